#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "checker/checker.h"
#include "testing/fake_scheduler.h"

namespace openseat::checker {
namespace {

using std::chrono::milliseconds;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// A game with the actions "go", which takes a whole number, and "rest", which takes no data.
class ProfileTest : public ::testing::Test, public CheckerPort {
 protected:
  void Make(neuro::Profile profile) {
    CheckerOptions options;
    options.profile = profile;
    options.id_prefix = "t-";
    options.seed = 7;
    options.until = Until::kTimeout;
    options.timeout = std::chrono::hours(1);
    sent_.clear();
    keys_.clear();
    checker_ = std::make_unique<Checker>(std::move(options), scheduler_, *this);
    checker_->Start("ws://127.0.0.1:8000");
    checker_->OnConnected("127.0.0.1");
    Say("startup", "{}");
    Say("actions/register", R"({"actions":[{"name":"go","description":"Goes.","schema":{"type":"object",
        "properties":{"x":{"type":"integer"}},"required":["x"]}},{"name":"rest","description":"Rests."}]})");
  }
  void Say(std::string_view command, std::string_view data) {
    checker_->OnPacket(R"({"command":")" + std::string(command) + R"(","game":"Game","data":)" + std::string(data) +
                       "}");
    scheduler_.Run();
  }
  void Force() { Say("actions/force", R"({"query":"q","action_names":["go"]})"); }
  // The commands that were sent, and forgets them.
  std::vector<json::Value> Take() {
    std::vector<json::Value> out;
    for (const std::string& packet : std::exchange(sent_, {})) out.push_back(*json::Parse(packet));
    return out;
  }
  void Answer(const json::Value& action, bool success) {
    Say("action/result", json::Write(json::Object{{"id", action.at("data").at("id")},
                                                  {"success", success},
                                                  {"message", success ? "" : "x must be a whole number"}}));
  }
  // Answers one force as a game does that checks its data, or that accepts all.
  void Play(bool careful) {
    Force();
    for (int turn = 0; turn < 5; ++turn) {
      scheduler_.Advance(milliseconds(2'500));
      for (const json::Value& message : Take()) {
        if (message.at("command") != "action") {
          ++spoken_;
          continue;
        }
        if (message.at("data").at("name") == "rest") {
          ++strays_;
          Answer(message, true);
          continue;
        }
        const json::Value* data = json::Find(message.at("data"), "data");
        const Result<json::Value> read = json::Parse(data == nullptr ? "null" : json::View(data->as_string()));
        const json::Value* x = read ? json::Find(*read, "x") : nullptr;
        const bool right = x != nullptr && (x->is_int64() || x->is_uint64());
        wrong_ += right ? 0 : 1;
        Answer(message, right || !careful);
        if (right || !careful) {
          ++answered_;
          return;
        }
      }
    }
  }

  void Send(std::string_view packet) override { sent_.emplace_back(packet); }
  void Log(const LogLine& line) override {
    if (line.level >= Level::kWarn && !line.key.empty()) keys_.insert(line.key);
  }
  void ActionsChanged() override {}
  void ContextChanged() override {}
  void Finished() override {}

  testing::FakeScheduler scheduler_;
  std::unique_ptr<Checker> checker_;
  std::vector<std::string> sent_;
  std::set<std::string> keys_;
  int spoken_ = 0;
  int strays_ = 0;
  int wrong_ = 0;
  int answered_ = 0;
};

TEST_F(ProfileTest, ProductionPausesAndSpeaks) {
  Make(neuro::Profile::kProduction);
  EXPECT_THAT(sent_.at(0), HasSubstr("Neuro-sama"));
  Take();
  Force();
  scheduler_.Advance(milliseconds(399));
  EXPECT_THAT(sent_, IsEmpty());
  Make(neuro::Profile::kProduction);
  Take();
  for (int i = 0; i < 30; ++i) Play(true);
  EXPECT_EQ(answered_, 30);
  EXPECT_GT(spoken_, 0);
  EXPECT_EQ(strays_, 0);
  EXPECT_EQ(wrong_, 0);
}

TEST_F(ProfileTest, ProductionReplacesWhatIsRegisteredAgain) {
  Make(neuro::Profile::kProduction);
  Say("actions/register", R"({"actions":[{"name":"go","description":"Goes far."}]})");
  EXPECT_EQ(checker_->ActionsStore().at(0).at("description"), "Goes far.");
  Make(neuro::Profile::kDocument);
  Say("actions/register", R"({"actions":[{"name":"go","description":"Goes far."}]})");
  EXPECT_EQ(checker_->ActionsStore().at(0).at("description"), "Goes.");
}

TEST_F(ProfileTest, ChaosNeverStrandsAGameThatChecksItsData) {
  Make(neuro::Profile::kChaos);
  for (int i = 0; i < 60; ++i) Play(true);
  EXPECT_EQ(answered_, 60);
  EXPECT_GT(strays_, 0);
  EXPECT_GT(wrong_, 0);
  EXPECT_THAT(keys_, Not(Contains(HasSubstr("prot/"))));
}

TEST_F(ProfileTest, ChaosFindsAGameThatAcceptsAnything) {
  Make(neuro::Profile::kChaos);
  for (int i = 0; i < 60; ++i) Play(false);
  EXPECT_THAT(keys_, Contains("prot/result/accepted_invalid"));
}

TEST_F(ProfileTest, TheDocumentsCharacterAnswersAtOnce) {
  Make(neuro::Profile::kDocument);
  Take();
  Force();
  EXPECT_EQ(Take().size(), 1u);
}

}  // namespace
}  // namespace openseat::checker
