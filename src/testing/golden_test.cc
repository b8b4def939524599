// Tests of the check itself: it finds rules that changed under their version, and ignores changes of words.
#include "testing/golden.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <utility>

#include "core/game_base.h"

namespace openseat::testing {
namespace {

using ::testing::HasSubstr;

struct Count {
  int sum = 0;
  int left = 6;
  bool operator==(const Count&) const = default;
};

struct Rules {
  int version = 1;
  int factor = 1;
  std::string words = "Add.";
};

// Seats take turns to add 1 to 3 to a sum, times a factor.
class CountState final : public MoveState<CountState, Count> {
 public:
  CountState(PlayerNames names, const GameInfo& info, Rules rules)
      : MoveState(std::move(names), {}), info_(&info), rules_(std::move(rules)) {}

  SeatSet Awaited() const override {
    if (position().left == 0) return {};
    return {static_cast<SeatIndex>(position().left % 2)};
  }
  std::vector<ActionSpec> Actions(SeatIndex seat) const override {
    return Awaited().Contains(seat) ? info_->actions : std::vector<ActionSpec>();
  }
  std::size_t Moves(SeatIndex seat, std::span<Move> out) const override {
    if (!Awaited().Contains(seat)) return 0;
    for (Move move = 1; move <= 3 && move <= out.size(); ++move) out[move - 1] = move;
    return 3;
  }
  void ApplyMove(SeatIndex, Move move) override {
    position().sum += rules_.factor * static_cast<int>(move);
    --position().left;
  }
  PlayedChoice ToChoice(SeatIndex, Move move) const override {
    return {"add", json::Object{{"n", static_cast<int>(move)}}};
  }
  json::Value Observe(Viewer) const override { return json::Object{{"sum", position().sum}, {"text", rules_.words}}; }
  std::string Describe(SeatIndex) const override { return rules_.words; }
  std::optional<Outcome> GetOutcome() const override {
    if (position().left > 0) return std::nullopt;
    return Outcome{{}, {0, 0}, rules_.words};
  }
  json::Value Serialize() const override { return json::Object{{"left", position().left}}; }

 private:
  const GameInfo& game_info() const override { return *info_; }
  Result<Move> Read(SeatIndex, std::string_view, const json::Value& data) const override {
    return static_cast<Move>(json::Find(data, "n")->to_number<int>());
  }
  json::Value ResultOf(SeatIndex, Move) const override { return json::Object(); }

  const GameInfo* info_;
  Rules rules_;
};

class CountGame final : public Game {
 public:
  explicit CountGame(Rules rules) : rules_(std::move(rules)) {
    info_.id = "count";
    info_.roles = {"First", "Second"};
    info_.actions = {{.name = "add", .description = "Add.", .schema = nullptr}};
    info_.rules_version = rules_.version;
    info_.max_moves = 3;
  }
  const GameInfo& info() const override { return info_; }
  Result<std::unique_ptr<GameState>> NewGame(const json::Value&, std::uint64_t,
                                             std::vector<std::string> names) const override {
    return std::make_unique<CountState>(PlayerNames(std::move(names)), info_, rules_);
  }
  Result<std::unique_ptr<GameState>> Restore(const json::Value&) const override {
    return Fail(ErrorCode::kInvalid, "nothing is saved here");
  }

 private:
  const Rules rules_;
  GameInfo info_;
};

class GoldenTest : public ::testing::Test {
 protected:
  void SetUp() override {
    path_ = ::testing::TempDir() + "golden-" + std::to_string(::testing::UnitTest::GetInstance()->random_seed()) +
            ::testing::UnitTest::GetInstance()->current_test_info()->name() + ".txt";
    std::filesystem::remove(path_);
    ASSERT_EQ(Write({}), "");
    ASSERT_EQ(Check({}), "");
  }
  void TearDown() override {
    ::unsetenv("OPENSEAT_REGENERATE_PLAYTHROUGHS");
    std::filesystem::remove(path_);
  }
  std::string Check(const Rules& rules) {
    ::unsetenv("OPENSEAT_REGENERATE_PLAYTHROUGHS");
    return CheckGolden(CountGame(rules), {.facts = {"sum"}}, path_);
  }
  std::string Write(const Rules& rules) {
    ::setenv("OPENSEAT_REGENERATE_PLAYTHROUGHS", "1", 1);
    return CheckGolden(CountGame(rules), {.facts = {"sum"}}, path_);
  }
  std::string Kept() const {
    std::ostringstream text;
    text << std::ifstream(path_).rdbuf();
    return text.str();
  }

  std::string path_;
};

TEST_F(GoldenTest, WordsAreNoRules) {
  EXPECT_EQ(Check({.words = "Something else."}), "");
}

TEST_F(GoldenTest, ChangedRulesNeedAnotherVersion) {
  EXPECT_THAT(Check({.factor = 2}), HasSubstr("raise GameInfo::rules_version"));
  const std::string kept = Kept();
  EXPECT_THAT(Write({.factor = 2}), HasSubstr("raise GameInfo::rules_version"));
  EXPECT_EQ(Kept(), kept);
}

TEST_F(GoldenTest, AnotherVersionIsWrittenAnew) {
  const Rules rules{.version = 2, .factor = 2};
  EXPECT_THAT(Check(rules), HasSubstr("is of version 1 of the rules; OPENSEAT_REGENERATE_PLAYTHROUGHS=1 writes"));
  EXPECT_EQ(Write(rules), "");
  EXPECT_EQ(Check(rules), "");
  EXPECT_THAT(Check({}), HasSubstr("is of version 2 of the rules, and the game of version 1"));
}

TEST_F(GoldenTest, AChoiceThatIsNotInTheFileIsFound) {
  std::string kept = Kept();
  const std::size_t at = kept.find("{\"n\":");
  ASSERT_NE(at, std::string::npos);
  kept[at + 5] = kept[at + 5] == '1' ? '2' : '1';
  std::ofstream(path_) << kept;
  EXPECT_THAT(Check({}), HasSubstr("it leads to something else"));
}

}  // namespace
}  // namespace openseat::testing
