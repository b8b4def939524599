// A match whose journal refuses each append in turn: those who are told so try again, and nothing is lost or doubled.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "agents/make_agent.h"
#include "base/json.h"
#include "core/seat_view.h"
#include "games/tictactoe/tictactoe.h"
#include "match/lobby.h"
#include "match/match.h"
#include "testing/fake_scheduler.h"
#include "testing/memory_journal.h"

namespace openseat {
namespace {

using ::testing::SizeIs;

// A server with one match, of which one append fails.
class Played {
 public:
  explicit Played(std::optional<std::size_t> fails_at) {
    journal_.fails_at = fails_at;
    Try([this] { return Create(); });
    if (!ref_) return;
    for (const char* name : {"Alex", "Sam"}) {
      Try([&] { return Join(name); });
    }
    constexpr std::array<const char*, 5> kCells{"[0,0]", "[1,0]", "[0,1]", "[1,1]", "[0,2]"};
    for (std::size_t i = 0; i < kCells.size(); ++i) {
      if (i == 3) Restart();
      Try([&] { return Choose(i % 2, kCells[i]); });
    }
    over_ = On().status() == MatchStatus::kDone;
    // It is let go, and its record closed; if that is refused, it is tried again.
    scheduler_.Advance(std::chrono::minutes(6));
  }

  bool over() const { return over_; }
  bool failed() const { return journal_.fails_at && journal_.appends > *journal_.fails_at; }
  // How often somebody was told that something could not be journaled.
  std::size_t refusals() const { return refusals_; }
  std::vector<std::string> Payloads(EventKind kind) const { return journal_.Payloads(ref_->id, kind); }
  // Without the numbers of the questions: a question that could not be journaled has none.
  std::vector<std::string> Choices() const {
    std::vector<std::string> choices;
    for (const std::string& payload : Payloads(EventKind::kPlayed)) {
      const json::Value choice = *json::Parse(payload);
      choices.push_back(json::Write(json::Array{choice.at("seat"), choice.at("data"), choice.at("result")}));
    }
    return choices;
  }

 private:
  // Once more if it is refused, which changes nothing.
  template <typename Step>
  void Try(Step step) {
    const json::Value before = Observe();
    std::optional<ErrorCode> refused = step();
    if (!refused) return;
    ++refusals_;
    EXPECT_EQ(refused, ErrorCode::kIo);
    EXPECT_TRUE(failed());
    EXPECT_TRUE(json::Equal(Observe(), before));
    refused = step();
    EXPECT_FALSE(refused) << ErrorCodeName(*refused);
  }
  std::optional<ErrorCode> Create() {
    std::optional<ErrorCode> refused;
    lobby_->Create(scheduler_, "tictactoe", nullptr, {}, [&](Result<MatchRef> ref) {
      if (ref) {
        ref_ = *ref;
      } else {
        refused = ref.error().code;
      }
    });
    Run();
    return refused;
  }
  std::optional<ErrorCode> Join(const std::string& name) {
    std::optional<ErrorCode> refused;
    On().Join(name, [&](const Result<JoinedSeat>& joined) {
      if (!joined) refused = joined.error().code;
    });
    Run();
    return refused;
  }
  std::optional<ErrorCode> Choose(SeatIndex seat, const std::string& cell) {
    std::optional<ErrorCode> refused = ErrorCode::kTimeout;
    EXPECT_TRUE(On().seat(seat).Choose(
        {.action = "move", .data = *json::Parse(R"({"position":)" + cell + "}")},
        [&](const Verdict& verdict) { refused = verdict.accepted() ? std::nullopt : std::optional(verdict.code); }));
    Run();
    return refused;
  }
  void Restart() {
    const json::Value before = Observe();
    lobby_.reset();
    directory_ = std::make_unique<TableDirectory>(std::vector<Scheduler*>{&scheduler_});
    lobby_ = Make();
    EXPECT_EQ(lobby_->Recover()->matches, 1u);
    Run();
    EXPECT_TRUE(json::Equal(Observe(), before));
  }
  json::Value Observe() { return ref_ ? On().SightOf(Viewer::Spectator())->Observe() : json::Value(); }
  Match& On() {
    Match* found = nullptr;
    lobby_->OnMatch(*ref_, [&](Match& match) { found = &match; }, [] {});
    Run();
    return *found;
  }
  void Run() {
    for (int i = 0; i < 10; ++i) scheduler_.Run();
  }
  std::unique_ptr<Lobby> Make() {
    return std::make_unique<Lobby>(games_, MatchRules{}, std::chrono::minutes(5), *directory_, journal_,
                                   MakeLocalAgent);
  }

  const std::unique_ptr<Game> tictactoe_ = games::MakeTicTacToe();
  const std::array<const Game*, 1> games_{tictactoe_.get()};
  testing::FakeScheduler scheduler_;
  testing::MemoryJournal journal_;
  std::unique_ptr<TableDirectory> directory_ = std::make_unique<TableDirectory>(std::vector<Scheduler*>{&scheduler_});
  std::unique_ptr<Lobby> lobby_ = Make();
  std::optional<MatchRef> ref_;
  std::size_t refusals_ = 0;
  bool over_ = false;
};

TEST(JournalFaults, EveryAppendOfAMatchFailsOnce) {
  const std::vector<std::string> choices = Played(std::nullopt).Choices();
  ASSERT_THAT(choices, SizeIs(5));
  std::size_t failed = 0;
  std::size_t refusals = 0;
  for (std::size_t at = 0;; ++at) {
    SCOPED_TRACE("append " + std::to_string(at) + " fails");
    Played played(at);
    EXPECT_TRUE(played.over());
    EXPECT_EQ(played.Choices(), choices);
    EXPECT_THAT(played.Payloads(EventKind::kClosed), SizeIs(1));
    refusals += played.refusals();
    if (!played.failed() || HasFailure()) break;
    ++failed;
  }
  EXPECT_GE(failed, 8u) << "a match is made, two players join, and five choices are made";
  EXPECT_GE(refusals, 8u);
}

}  // namespace
}  // namespace openseat
