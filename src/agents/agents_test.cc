#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>

#include "agents/random_agent.h"
#include "agents/script_agent.h"
#include "testing/fake_scheduler.h"
#include "testing/memory_journal.h"

namespace openseat {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const AgentKinds& LocalKinds() {
  static const AgentKinds kinds({RandomKind(), ScriptKind()});
  return kinds;
}

// A table that accepts everything, unless told to refuse.
class AgentTest : public ::testing::Test, public SeatHost {
 protected:
  bool IsHere() const override { return here_; }
  void OnChoice(Seat& seat, const PendingChoice& pending) override {
    const Choice& choice = pending.choice;
    chosen_.push_back(choice.action + (choice.raw              ? " raw " + *choice.raw
                                       : choice.data.is_null() ? ""
                                                               : " " + json::Write(choice.data)));
    const Verdict verdict = refuse_ > 0 ? Verdict{Verdict::Kind::kRefused, "no", nullptr} : Verdict{};
    if (refuse_ > 0) --refuse_;
    scheduler_.Post([&seat, id = pending.id, verdict] { seat.Settle(id, verdict); });
  }
  void OnDecisionEnded(Seat&, DecisionId, DecisionEnd end) override { ends_.push_back(end); }
  void OnRefused(Seat&, const Choice&, const Error& error) override { refusals_.push_back(error.message); }

  void Add(std::string name, const char* schema = nullptr) {
    auto action = std::make_shared<Action>();
    action->name = std::move(name);
    if (schema != nullptr) {
      action->schema = *json::Parse(schema);
    }
    seat_.AddAction(std::move(action));
  }
  void Ask() {
    Decision decision;
    decision.query = "?";
    decision.actions = seat_.actions();
    seat_.Ask(std::move(decision));
  }
  void Sit(std::string_view spec) { seat_.SetAgent(*LocalKinds().Make(*LocalKinds().Parse(spec))); }
  void SitScript(const char* script) {
    seat_.SetAgent(std::make_unique<ScriptAgent>(*ParseScript(*json::Parse(script)), 1));
  }

  testing::FakeScheduler scheduler_;
  testing::MemoryJournal journal_;
  Transcript transcript_{journal_, scheduler_, TableId("t")};
  Seat seat_{0, "player", *this, scheduler_, transcript_, SeatRules{}};
  std::vector<std::string> chosen_;
  std::vector<DecisionEnd> ends_;
  std::vector<std::string> refusals_;
  int refuse_ = 0;
  bool here_ = true;
};

constexpr char kMove[] =
    R"({"type":"object","properties":{"x":{"type":"integer","minimum":0,"maximum":2}},"required":["x"]})";

TEST_F(AgentTest, RandomLeavesSomethingForTheOthersWhereOneSchemaTakesTooMuch) {
  Add("hard", R"({"type":"string","minLength":300,"allOf":[{"pattern":"^(a|b|ab)*a$"},{"pattern":"^(a|b|ab)*b$"}]})");
  Sit("random:seed=3");
  Ask();
  scheduler_.Run();
  EXPECT_THAT(ends_, ElementsAre(DecisionEnd::kGaveUp));
  EXPECT_THAT(json::Write(seat_.failure()), HasSubstr("the schema needs more than 150000 steps to generate a value"));
  Add("move", kMove);
  for (int i = 0; i < 10; ++i) {
    Ask();
    scheduler_.Run();
    EXPECT_THAT(chosen_.back(), HasSubstr("move"));
  }
}

TEST_F(AgentTest, RandomAnswersWithDataThatTheSchemaAccepts) {
  Add("move", kMove);
  Add("pass");
  Sit("random:seed=3");
  for (int i = 0; i < 50; ++i) {
    Ask();
    scheduler_.Run();
  }
  EXPECT_EQ(chosen_.size(), 50u);
  EXPECT_THAT(chosen_, ::testing::Contains("pass"));
  EXPECT_THAT(chosen_, ::testing::Contains("move {\"x\":2}"));
  EXPECT_TRUE(refusals_.empty());
}

TEST_F(AgentTest, TheSameSeedChoosesTheSame) {
  Add("move", kMove);
  std::vector<std::string> first;
  for (int round = 0; round < 2; ++round) {
    chosen_.clear();
    Sit("random:seed=42");
    for (int i = 0; i < 20; ++i) {
      Ask();
      scheduler_.Run();
    }
    if (round == 0) first = chosen_;
  }
  EXPECT_EQ(chosen_, first);
}

TEST_F(AgentTest, RandomWaitsItsDelay) {
  Add("pass");
  Sit("random:seed=1,delay_ms=200");
  Ask();
  scheduler_.Advance(std::chrono::milliseconds(199));
  EXPECT_TRUE(chosen_.empty());
  scheduler_.Advance(std::chrono::milliseconds(1));
  EXPECT_THAT(chosen_, ElementsAre("pass"));
}

TEST_F(AgentTest, RandomActsUnaskedWhenToldTo) {
  Add("pass");
  Sit("random:seed=1,act_every_ms=1000");
  scheduler_.Advance(std::chrono::milliseconds(3500));
  EXPECT_EQ(chosen_.size(), 3u);
}

TEST_F(AgentTest, RandomDoesNotActWhereItCannotBeHeard) {
  Add("pass");
  Sit("random:seed=1,act_every_ms=1000");
  here_ = false;
  scheduler_.Run();
  const std::size_t before = journal_.Read(TableId("t"), 0, 1000)->size();
  scheduler_.Advance(std::chrono::seconds(5));
  EXPECT_TRUE(chosen_.empty());
  EXPECT_EQ(journal_.Read(TableId("t"), 0, 1000)->size(), before);
  here_ = true;
  scheduler_.Advance(std::chrono::seconds(1));
  EXPECT_EQ(chosen_.size(), 1u);
}

TEST_F(AgentTest, RandomsLastTryIsAlwaysValid) {
  Add("move", kMove);
  Sit("random:seed=1,invalid=1");
  for (int i = 0; i < 40; ++i) {
    chosen_.clear();
    refuse_ = 2;
    Ask();
    scheduler_.Run();
    ASSERT_EQ(chosen_.size(), 3u);
    EXPECT_THAT(chosen_[2], ::testing::MatchesRegex(R"(move \{"x":[0-2]\})"));
  }
  seat_.SetRules({.max_attempts = 1});
  chosen_.clear();
  Ask();
  scheduler_.Run();
  EXPECT_THAT(chosen_, ElementsAre(::testing::MatchesRegex(R"(move \{"x":[0-2]\})")));
}

TEST_F(AgentTest, RandomDoesNotDrawAgainWhatWasRefused) {
  Add("move", kMove);
  Add("pass");
  seat_.SetRules({.max_attempts = 0});
  Sit("random:seed=5");
  for (int i = 0; i < 20; ++i) {
    chosen_.clear();
    refuse_ = 3;  // of four
    Ask();
    scheduler_.Run();
    EXPECT_THAT(chosen_, ::testing::UnorderedElementsAre("pass", "move {\"x\":0}", "move {\"x\":1}", "move {\"x\":2}"));
  }
  // If everything was refused, it begins again.
  refuse_ = 6;
  Ask();
  scheduler_.Run();
  EXPECT_EQ(ends_.back(), DecisionEnd::kSettled);
}

TEST_F(AgentTest, RandomSendsInvalidDataWhenToldTo) {
  Add("move", kMove);
  Sit("random:seed=1,invalid=1");
  for (int i = 0; i < 40; ++i) {
    Ask();
    scheduler_.Run();
  }
  EXPECT_EQ(chosen_.size(), 40u);
  EXPECT_THAT(chosen_, ::testing::Contains("move raw {}"));
  EXPECT_THAT(chosen_, ::testing::Contains(HasSubstr("move_please")));
}

TEST_F(AgentTest, RandomGivesUpWhereNothingCanBeGenerated) {
  Add("move", R"({"type":"object","properties":{"x":{"type":"integer","minimum":2,"maximum":1}},"required":["x"]})");
  Sit("random:seed=1");
  Ask();
  scheduler_.Run();
  EXPECT_THAT(ends_, ElementsAre(DecisionEnd::kGaveUp));
}

TEST_F(AgentTest, ScriptPlaysItsStepsInOrderAsTheyMayBeChosen) {
  SitScript(R"({"pass": {}, "move": {"x": 1}})");
  scheduler_.Run();
  Add("move", kMove);
  scheduler_.Run();
  EXPECT_TRUE(chosen_.empty());
  Add("pass");
  scheduler_.Run();
  EXPECT_THAT(chosen_, ElementsAre("pass", "move {\"x\":1}"));
}

TEST_F(AgentTest, ScriptWaitsWhereADecisionHasNotItsStep) {
  Add("pass");
  SitScript(R"([{"action": "move", "data": {"x": 1}}])");
  Ask();
  scheduler_.Run();
  EXPECT_TRUE(chosen_.empty());
}

TEST_F(AgentTest, ScriptMayAnswerOtherDecisionsAtRandom) {
  Add("pass");
  SitScript(R"({"steps": [{"action": "move", "data": {"x": 1}}], "otherwise": "random"})");
  Ask();
  scheduler_.Run();
  EXPECT_THAT(chosen_, ElementsAre("pass"));
}

TEST_F(AgentTest, ScriptRepeatsARefusedStepWhileItsDecisionIsOpen) {
  Add("pass");
  Add("move", kMove);
  refuse_ = 2;
  Ask();
  SitScript(R"([{"action": "pass"}, {"action": "move", "data": {"x": 0}}])");
  scheduler_.Run();
  EXPECT_THAT(chosen_, ElementsAre("pass", "pass", "pass", "move {\"x\":0}"));
}

TEST_F(AgentTest, ScriptSkipsAStepThatDoesNotFit) {
  Add("move", kMove);
  Add("pass");
  SitScript(R"([{"action": "move", "data": {"x": 9}}, {"action": "pass"}])");
  scheduler_.Run();
  EXPECT_EQ(refusals_.size(), 1u);
  Ask();
  scheduler_.Run();
  EXPECT_THAT(chosen_, ElementsAre("pass"));
}

TEST(Scripts, AreReadAndRefusedWithReasons) {
  const auto message = [](std::string_view spec) {
    return LocalKinds().Make(*LocalKinds().Parse(spec)).error().message;
  };
  EXPECT_THAT(message("script"), HasSubstr("needs a file, as in script:FILE"));
  EXPECT_THAT(message("script:/no/such/file"), HasSubstr("cannot read"));
  const std::string broken = ::testing::TempDir() + "broken_script_" + std::to_string(getpid());
  std::ofstream(broken) << "\xEF\xBB\xBF{\"a\":\n 1,}";
  EXPECT_THAT(message("script:" + broken), HasSubstr("line 2, column 4: not valid JSON"));
  EXPECT_THAT(message("script:" + broken), HasSubstr("a script is {\"action\": data"));
  std::remove(broken.c_str());
  EXPECT_THAT(ParseScript(*json::Parse("[]")).error().message, HasSubstr("no steps"));
  EXPECT_THAT(ParseScript(*json::Parse("[1]")).error().message, HasSubstr("steps[0]"));
  EXPECT_THAT(ParseScript(*json::Parse("3")).error().message, HasSubstr("a script is"));
}

TEST(RandomChoice, SaysTheExamplesUntilTheyAreRefused) {
  auto say = std::make_shared<Action>();
  say->name = "say";
  say->schema = *json::Parse(R"({"type":"object","properties":{"text":{"type":"string","examples":["Hello","Bye"]}},
    "required":["text"],"additionalProperties":false})");
  ActionSet actions;
  actions.Put(say);
  RandomChoice random(1);
  const auto said = [&] { return std::string(json::TextOf(random.Pick(actions, true)->data, "text")); };
  for (int i = 0; i < 50; ++i) EXPECT_THAT(said(), ::testing::AnyOf("Hello", "Bye"));
  for (const char* text : {"Hello", "Bye"}) {
    Choice refused;
    refused.action = "say";
    refused.data = json::Object{{"text", text}};
    random.Refuse(refused);
  }
  for (int i = 0; i < 50; ++i) EXPECT_THAT(said(), ::testing::Not(::testing::AnyOf("Hello", "Bye")));
}

}  // namespace
}  // namespace openseat
