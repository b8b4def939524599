#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "checker/checker.h"
#include "testing/fake_scheduler.h"

namespace openseat::checker {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::Contains;
using ::testing::ContainsRegex;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// A game with the actions "go", which takes a whole number, and "rest", which takes no data.
class ProfileTest : public ::testing::Test, public CheckerPort {
 protected:
  void Make(neuro::Profile profile, std::vector<ScriptEntry> script = {}) {
    CheckerOptions options;
    options.profile = profile;
    options.script = std::move(script);
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
  std::vector<json::Value> Actions() {
    std::vector<json::Value> out = Take();
    std::erase_if(out, [](const json::Value& message) { return message.at("command") != "action"; });
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
        ids_.emplace_back(message.at("data").at("id").as_string());
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
    // It answers late where the clock jumps.
    const bool counts = line.level >= Level::kWarn && !line.key.empty() && line.key != "perf/late/action_result";
    if (counts) keys_.insert(line.key);
  }
  void ActionsChanged() override {}
  void ContextChanged() override {}
  void Finished() override {}

  testing::FakeScheduler scheduler_;
  std::unique_ptr<Checker> checker_;
  std::vector<std::string> sent_;
  std::set<std::string> keys_;
  std::vector<std::string> ids_;
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
  EXPECT_EQ(wrong_, 0);
  EXPECT_THAT(keys_, IsEmpty());
}

TEST_F(ProfileTest, SpeechTakesTimeAndACriticalForceInterruptsIt) {
  Make(neuro::Profile::kProduction);
  Take();
  const auto talk = [this] {  // half of the contexts make her talk
    for (int i = 0; i < 20; ++i) Say("context", R"({"message":"m","silent":false})");
  };
  talk();
  scheduler_.Advance(milliseconds(1'999));
  EXPECT_THAT(sent_, IsEmpty());
  scheduler_.Advance(seconds(6));
  EXPECT_THAT(sent_, ElementsAre(HasSubstr(R"("speech_finished","data":{"isFinal":true})")));
  Take();
  talk();
  Say("actions/force", R"({"query":"q","action_names":["go"],"priority":"critical"})");
  EXPECT_THAT(sent_, ElementsAre(HasSubstr(R"("cancelled":true,"reason":"interrupted")")));
}

TEST_F(ProfileTest, SheActsUnaskedOnceTheScriptIsDone) {
  Make(neuro::Profile::kProduction);
  Take();
  scheduler_.Advance(std::chrono::minutes(5));  // nothing is answered: one action at a time
  EXPECT_EQ(Actions().size(), 1u);
  Make(neuro::Profile::kProduction, {{.action = "later"}});
  Take();
  scheduler_.Advance(std::chrono::minutes(5));
  EXPECT_EQ(Actions().size(), 0u);
  Make(neuro::Profile::kDocument);
  Take();
  scheduler_.Advance(std::chrono::minutes(5));
  EXPECT_EQ(Actions().size(), 0u);
}

TEST_F(ProfileTest, AForceMayCrossAnActionThatNobodyAskedFor) {
  Make(neuro::Profile::kProduction);
  Take();
  std::vector<json::Value> actions;
  while (actions.empty()) {
    scheduler_.Advance(milliseconds(100));
    actions = Actions();
  }
  Say("actions/register", R"({"actions":[{"name":"jump","description":"Jumps."}]})");
  Say("actions/force", R"({"query":"q","action_names":["go","gone"]})");
  Answer(actions[0], true);
  scheduler_.Advance(seconds(15));
  actions = Actions();
  ASSERT_EQ(actions.size(), 1u);
  EXPECT_EQ(actions[0].at("data").at("name"), "go");
  Answer(actions[0], true);
  EXPECT_THAT(keys_, IsEmpty());
}

TEST_F(ProfileTest, ARefusedForceRestsAfterTheProfilesTries) {
  Make(neuro::Profile::kProduction);
  Take();
  Force();
  const auto refuse = [this](int tries) {
    for (int i = 0; i < tries; ++i) {
      std::vector<json::Value> actions;
      for (int waited = 0; actions.empty() && waited < 200; ++waited) {
        scheduler_.Advance(milliseconds(100));
        actions = Actions();
      }
      ASSERT_EQ(actions.size(), 1u) << i;
      Answer(actions[0], false);
    }
  };
  refuse(4);
  EXPECT_THAT(keys_, ElementsAre("prot/force/refused"));
  scheduler_.Advance(milliseconds(4'999));
  EXPECT_THAT(Actions(), IsEmpty());
  refuse(4);  // it comes back to it
  scheduler_.Advance(milliseconds(9'999));
  EXPECT_THAT(Actions(), IsEmpty());
  refuse(1);
  EXPECT_THAT(keys_, ElementsAre("prot/force/refused"));
}

TEST_F(ProfileTest, ChaosHasOddForms) {
  Make(neuro::Profile::kChaos);
  for (int i = 0; i < 30; ++i) Play(true);
  EXPECT_THAT(ids_, Contains(ContainsRegex("^t-[0-9]+-[0-9]+$")));
  EXPECT_THAT(ids_, Contains(ContainsRegex("^t-[0-9]+$")));
  const auto odd = std::ranges::find_if(ids_, [](const std::string& id) { return id.size() > 10; });
  ASSERT_NE(odd, ids_.end());
  Say("action/result", R"({"id":")" + *odd + R"(","success":true})");
  EXPECT_THAT(keys_, ElementsAre("prot/result/duplicate"));
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
