#include "core/seat.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <optional>
#include <utility>

#include "base/budget.h"
#include "testing/fake_scheduler.h"
#include "testing/memory_journal.h"

namespace openseat {
namespace {

using testing::FakeScheduler;
using testing::MemoryJournal;

class RecordingAgent final : public Agent {
 public:
  struct Log {
    std::vector<std::string> lines;
    std::vector<Decision> decisions;
    bool interactive = false;
  };
  explicit RecordingAgent(Log& log) : log_(log) {}
  std::string_view kind() const override { return "recording"; }
  bool interactive() const override { return log_.interactive; }
  void OnSeated(Seat&) override { log_.lines.emplace_back("seated"); }
  void OnDecision(const Decision& decision) override {
    log_.decisions.push_back(decision);
    log_.lines.push_back("decide " + std::to_string(decision.id.value()) + "#" + std::to_string(decision.attempt) +
                         (decision.refusal.empty() ? "" : ": " + decision.refusal));
  }
  void OnDecisionEnded(DecisionId id, DecisionEnd end) override {
    log_.lines.push_back("ended " + std::to_string(id.value()) + " " + std::string(DecisionEndName(end)));
  }
  void OnContext(const Context& context) override { log_.lines.push_back("context " + context.message); }
  void OnInvited() override { log_.lines.emplace_back("invited"); }
  void OnEnd() override { log_.lines.emplace_back("end"); }
  void OnVerdict(const Choice& choice, const Verdict& verdict) override {
    log_.lines.push_back("verdict " + choice.action + " " + std::string(VerdictName(verdict.kind)));
  }

 private:
  Log& log_;
};

class SeatTest : public ::testing::Test, public SeatHost {
 protected:
  bool IsHere() const override { return here_; }
  Duration PauseBefore(const Seat&, const Decision& decision) override {
    return decision.attempt > 1 ? retry_pause_ : Duration(0);
  }
  void OnChoice(Seat&, const PendingChoice& choice) override { choices_.push_back(choice); }
  void OnDecisionEnded(Seat&, DecisionId id, DecisionEnd end) override {
    ends_.push_back(std::to_string(id.value()) + " " + std::string(DecisionEndName(end)));
  }
  void OnRefused(Seat&, const Choice&, const Error& error) override { refused_.push_back(error); }
  void OnTooCostly(Seat&, const Choice&, const Error& error) override { too_costly_.push_back(error); }

  void SetUp() override {
    seat_.SetAgent(std::make_unique<RecordingAgent>(log_));
    seat_.AddAction(MakeAction("move", R"({"type":"object","properties":{"x":{"type":"integer"}},"required":["x"]})"));
    seat_.AddAction(MakeAction("pass", nullptr));
    scheduler_.Run();
    log_.lines.clear();
  }

  static ActionPtr MakeAction(std::string name, const char* schema) {
    auto action = std::make_shared<Action>();
    action->name = std::move(name);
    if (schema != nullptr) {
      action->schema = *json::Parse(schema);
    }
    return action;
  }
  Decision MakeDecision() {
    Decision decision;
    decision.query = "Your turn";
    decision.actions = seat_.actions();
    return decision;
  }
  static Choice MakeChoice(std::string action, const char* data = nullptr) {
    Choice choice;
    choice.action = std::move(action);
    if (data != nullptr) choice.data = *json::Parse(data);
    return choice;
  }
  std::vector<std::string> Lines() {
    scheduler_.Run();
    return std::exchange(log_.lines, {});
  }

  bool here_ = true;
  Duration retry_pause_{0};
  FakeScheduler scheduler_;
  MemoryJournal journal_;
  Transcript transcript_{journal_, scheduler_, TableId("t")};
  Seat seat_{0, "Player", *this, scheduler_, transcript_, SeatRules{.max_attempts = 3, .max_invalid_attempts = 2}};
  RecordingAgent::Log log_;
  std::deque<PendingChoice> choices_;
  std::vector<std::string> ends_;
  std::vector<Error> refused_;
  std::vector<Error> too_costly_;
};

using Strings = std::vector<std::string>;

TEST_F(SeatTest, ADecisionIsAnsweredAndSettled) {
  seat_.Ask(MakeDecision());
  EXPECT_EQ(Lines(), Strings{"decide 1#1"});
  ASSERT_TRUE(seat_.Choose(MakeChoice("move", R"({"x":1})")).has_value());
  ASSERT_EQ(choices_.size(), 1u);
  EXPECT_EQ(choices_[0].choice.decision, DecisionId(1));
  seat_.Settle(choices_[0].id, Verdict{});
  EXPECT_EQ(Lines(), (Strings{"verdict move accepted", "ended 1 settled"}));
  EXPECT_EQ(ends_, Strings{"1 settled"});
  EXPECT_EQ(seat_.decision(), nullptr);
  EXPECT_EQ(journal_.Payloads(TableId("t"), EventKind::kChoice),
            Strings{R"({"seat":0,"decision":1,"action":"move","data":{"x":1},"choice":1,"agent":"recording"})"});
}

TEST_F(SeatTest, ARefusedChoiceIsAskedAgainBoundedly) {
  seat_.Ask(MakeDecision());
  Lines();
  for (int i = 1; i <= 3; ++i) {
    ASSERT_TRUE(seat_.Choose(MakeChoice("pass")).has_value());
    seat_.Settle(choices_.back().id, Verdict{Verdict::Kind::kRefused, "no", nullptr});
  }
  EXPECT_EQ(Lines(),
            (Strings{"verdict pass refused", "verdict pass refused", "verdict pass refused", "ended 1 gave-up"}));
  EXPECT_EQ(ends_, Strings{"1 gave-up"});
}

TEST_F(SeatTest, DataThatTakesTooMuchToCheckIsTheTablesToJudge) {
  // Every part is visited twice for each level.
  std::string schema = R"({"$defs":{"d0":{"type":"object","required":["x"]})";
  for (int i = 1; i < 40; ++i) {
    const std::string inner = R"({"$ref":"#/$defs/d)" + std::to_string(i - 1) + R"("})";
    schema += R"(,"d)" + std::to_string(i) + R"(":{"allOf":[)" + inner + "," + inner + "]}";
  }
  seat_.AddAction(MakeAction("climb", (schema + R"(},"$ref":"#/$defs/d39"})").c_str()));
  seat_.Ask(MakeDecision());
  ASSERT_TRUE(seat_.Choose(MakeChoice("climb", R"({"x":1})")).has_value());
  ASSERT_EQ(choices_.size(), 1u);
  EXPECT_TRUE(choices_[0].choice.unchecked);
  EXPECT_EQ(refused_.size(), 0u);
  ASSERT_EQ(too_costly_.size(), 1u);
  EXPECT_EQ(too_costly_[0].message, R"(the schema needs more than 300000 steps to check the data of "climb")");
}

TEST_F(SeatTest, TheSecondAttemptSaysWhyTheFirstWasRefused) {
  seat_.Ask(MakeDecision());
  ASSERT_TRUE(seat_.Choose(MakeChoice("pass")).has_value());
  seat_.Settle(choices_.back().id, Verdict{Verdict::Kind::kRefused, "not now", nullptr});
  EXPECT_EQ(Lines(), (Strings{"verdict pass refused", "decide 1#2: not now"}));
}

TEST_F(SeatTest, WrongChoicesAreRefusedHereAndAskedAgain) {
  seat_.Ask(MakeDecision());
  Lines();
  const auto wrong = seat_.Choose(MakeChoice("move", R"({"x":"a"})"));
  ASSERT_FALSE(wrong.has_value());
  EXPECT_EQ(wrong.error().code, ErrorCode::kIncorrectData);
  EXPECT_THAT(wrong.error().message, ::testing::HasSubstr("x"));
  EXPECT_EQ(Lines().size(), 1u);
  const auto unknown = seat_.Choose(MakeChoice("fly"));
  EXPECT_EQ(unknown.error().code, ErrorCode::kNoSuchAction);
  EXPECT_EQ(unknown.error().message, "the action must be move or pass; got \"fly\"");
  EXPECT_EQ(Lines(), Strings{"ended 1 gave-up"});
  EXPECT_TRUE(choices_.empty());
  EXPECT_EQ(refused_.size(), 2u);
  EXPECT_EQ(seat_.failure().at("refused_by"), "referee");
}

TEST_F(SeatTest, ARefusalNamesTheFirstActionsOnly) {
  for (int i = 0; i < 2000; ++i) seat_.AddAction(MakeAction(std::to_string(i) + std::string(500, '\x7f'), nullptr));
  seat_.Ask(MakeDecision());
  Lines();
  for (const std::string& action : {std::string("fly"), std::string(1u << 20, '\x7f')}) {
    const auto unknown = seat_.Choose(MakeChoice(action));
    ASSERT_FALSE(unknown);
    EXPECT_THAT(unknown.error().message, ::testing::StartsWith("the action must be move, pass, 0"));
    EXPECT_THAT(unknown.error().message, ::testing::HasSubstr(" more; got \"" + action.substr(0, 3)));
    EXPECT_LT(json::Write(json::Value(unknown.error().message)).size(), 8u << 10);
  }
}

TEST_F(SeatTest, WrongDataIsQuotedInShort) {
  const std::string name(100'000, 'x');
  seat_.AddAction(MakeAction("add", (R"({"required":["a",")" + name + R"("],"additionalProperties":{"type":"object",
      "additionalProperties":{"type":"string","pattern":"^)" +
                                     std::string(4000, 'y') + R"($"}}})")
                                        .c_str()));
  seat_.Ask(MakeDecision());
  const auto wrong =
      seat_.Choose(MakeChoice("add", (R"({")" + name + R"(b":{")" + name + R"(":"z"},"c":")" + name + "\"}").c_str()));
  ASSERT_FALSE(wrong);
  EXPECT_THAT(wrong.error().message, ::testing::HasSubstr("the data of \"add\" is wrong"));
  EXPECT_LT(wrong.error().message.size(), 4u << 10);
  EXPECT_LT(wrong.error().path.size(), 1u << 10);
}

TEST_F(SeatTest, AChoiceWithoutDataIsOneOfNoMembersOrNull) {
  seat_.AddAction(MakeAction("skip", R"({"type":"null"})"));
  seat_.AddAction(MakeAction("either", R"({"type":["object","null"]})"));
  const auto data_of = [this](const char* action, const char* data) -> std::string {
    if (const Result<ChoiceId> chosen = seat_.Choose(MakeChoice(action, data)); !chosen) return chosen.error().message;
    const PendingChoice& choice = choices_.back();
    seat_.Settle(choice.id, {});
    return json::Write(choice.choice.data);
  };
  EXPECT_EQ(data_of("skip", nullptr), "null");
  EXPECT_EQ(data_of("skip", "null"), "null");
  EXPECT_THAT(data_of("skip", "{}"), ::testing::HasSubstr("must be null"));
  EXPECT_EQ(data_of("either", "null"), "{}");
}

TEST_F(SeatTest, AnInteractiveAgentMayBeWrongForEver) {
  log_.interactive = true;
  seat_.Ask(MakeDecision());
  Lines();
  for (int i = 0; i < 20; ++i) EXPECT_FALSE(seat_.Choose(MakeChoice("fly")).has_value());
  EXPECT_EQ(Lines(), Strings{});
  EXPECT_NE(seat_.decision(), nullptr);
}

TEST_F(SeatTest, OnlyOneChoiceAwaitsItsVerdict) {
  ASSERT_TRUE(seat_.Choose(MakeChoice("pass")).has_value());
  EXPECT_EQ(seat_.Choose(MakeChoice("pass")).error().code, ErrorCode::kBusy);
}

TEST_F(SeatTest, ContextIsHeldWhileAVerdictIsDue) {
  ASSERT_TRUE(seat_.Choose(MakeChoice("pass")).has_value());
  seat_.Tell({.message = "one"});
  seat_.Tell({.message = "two"});
  EXPECT_EQ(Lines(), Strings{});
  seat_.Settle(choices_.back().id, Verdict{});
  EXPECT_EQ(Lines(), (Strings{"verdict pass accepted", "context one", "context two"}));
}

TEST_F(SeatTest, ADecisionThatComesWhileAVerdictIsDueWaits) {
  seat_.Ask(MakeDecision());
  Lines();
  ASSERT_TRUE(seat_.Choose(MakeChoice("pass")).has_value());
  seat_.Ask(MakeDecision());
  EXPECT_EQ(Lines(), Strings{});
  seat_.Settle(choices_.back().id, Verdict{});
  EXPECT_EQ(Lines(), (Strings{"verdict pass accepted", "ended 1 settled", "decide 2#1"}));
}

TEST_F(SeatTest, TheEndOfTheTableEndsTheDecisionAndDeliversWhatWasHeld) {
  seat_.Ask(MakeDecision());
  Lines();
  ASSERT_TRUE(seat_.Choose(MakeChoice("pass")).has_value());
  seat_.Tell({.message = "you lost"});
  seat_.End();
  EXPECT_EQ(Lines(), (Strings{"ended 1 withdrawn", "context you lost", "end"}));
  EXPECT_EQ(ends_, Strings{}) << "the table knows";
}

TEST_F(SeatTest, ANewDecisionReplacesThePendingOne) {
  seat_.Ask(MakeDecision());
  Lines();
  seat_.Ask(MakeDecision());
  EXPECT_EQ(Lines(), (Strings{"ended 1 replaced", "decide 2#1"}));
  Choice late = MakeChoice("pass");
  late.decision = DecisionId(1);
  EXPECT_EQ(seat_.Choose(std::move(late)).error().code, ErrorCode::kNotYourTurn);
}

TEST_F(SeatTest, ADecisionWithoutActionsLeftEnds) {
  seat_.Ask(MakeDecision());
  seat_.RemoveAction("move");
  EXPECT_EQ(seat_.choosable().Names(), "pass");
  seat_.RemoveAction("pass");
  EXPECT_EQ(ends_, Strings{"1 withdrawn"});
}

TEST_F(SeatTest, UnregisteringWhileTheVerdictIsDueLetsTheVerdictDecide) {
  seat_.Ask(MakeDecision());
  ASSERT_TRUE(seat_.Choose(MakeChoice("pass")).has_value());
  seat_.ClearActions();
  EXPECT_EQ(ends_, Strings{});
  seat_.Settle(choices_.back().id, Verdict{});
  EXPECT_EQ(ends_, Strings{"1 settled"});
}

TEST_F(SeatTest, ActionsThatComeBackMayBeChosenInTheRetry) {
  seat_.Ask(MakeDecision());
  ASSERT_TRUE(seat_.Choose(MakeChoice("pass")).has_value());
  seat_.RemoveAction("pass");
  seat_.AddAction(MakeAction("pass", nullptr));
  seat_.AddAction(MakeAction("other", nullptr));
  seat_.Settle(choices_.back().id, Verdict{Verdict::Kind::kRefused, "no", nullptr});
  EXPECT_EQ(seat_.choosable().Names(), "move or pass");
}

TEST_F(SeatTest, AMissingVerdictEndsTheDecision) {
  seat_.Ask(MakeDecision());
  ASSERT_TRUE(seat_.Choose(MakeChoice("pass")).has_value());
  seat_.Settle(choices_.back().id, Verdict{Verdict::Kind::kTimedOut, "", nullptr});
  EXPECT_EQ(ends_, Strings{"1 timed-out"});
}

TEST_F(SeatTest, ATimeLimitEndsTheDecision) {
  Decision decision = MakeDecision();
  decision.time_limit = std::chrono::seconds(5);
  seat_.Ask(std::move(decision));
  scheduler_.Advance(std::chrono::seconds(4));
  EXPECT_EQ(ends_, Strings{});
  scheduler_.Advance(std::chrono::seconds(1));
  EXPECT_EQ(ends_, Strings{"1 timed-out"});
}

TEST_F(SeatTest, WhatWasChosenInTimeCountsThoughTheVerdictIsLate) {
  Decision decision = MakeDecision();
  decision.time_limit = std::chrono::seconds(5);
  seat_.Ask(decision);
  ASSERT_TRUE(seat_.Choose(MakeChoice("pass")).has_value());
  scheduler_.Advance(std::chrono::seconds(6));
  EXPECT_EQ(ends_, Strings{});
  seat_.Settle(choices_.back().id, Verdict{Verdict::Kind::kAccepted, "", nullptr});
  EXPECT_EQ(ends_, Strings{"1 settled"});

  seat_.Ask(decision);
  ASSERT_TRUE(seat_.Choose(MakeChoice("pass")).has_value());
  scheduler_.Advance(std::chrono::seconds(6));
  seat_.Settle(choices_.back().id, Verdict{Verdict::Kind::kRefused, "no", nullptr});
  EXPECT_EQ(ends_, (Strings{"1 settled", "2 timed-out"})) << "there is no time for another try";
}

TEST_F(SeatTest, ADecisionSaysSinceWhenAndUntilWhen) {
  scheduler_.Advance(std::chrono::seconds(60));
  const Time now = scheduler_.clock().Now();
  Decision decision = MakeDecision();
  seat_.Ask(decision);
  json::Object shown;
  AddTimes(*seat_.decision(), shown);
  EXPECT_EQ(json::Write(shown), R"({"asked":")" + FormatIso8601(now) + "\"}");
  decision.time_limit = std::chrono::seconds(90);
  seat_.Ask(decision);
  ASSERT_TRUE(seat_.Choose(MakeChoice("pass")).has_value());
  scheduler_.Advance(std::chrono::seconds(3));
  seat_.Settle(choices_.back().id, Verdict{Verdict::Kind::kRefused, "no", nullptr});
  AddTimes(*seat_.decision(), shown);
  EXPECT_EQ(json::Write(shown), R"({"asked":")" + FormatIso8601(now) + R"(","deadline":")" +
                                    FormatIso8601(now + std::chrono::seconds(90)) + "\"}")
      << "another try does not restart the time";
}

TEST_F(SeatTest, ANewAgentIsToldOfThePendingDecision) {
  seat_.Ask(MakeDecision());
  Lines();
  RecordingAgent::Log second;
  seat_.SetAgent(std::make_unique<RecordingAgent>(second));
  scheduler_.Run();
  EXPECT_EQ(second.lines, (Strings{"seated", "decide 1#1"}));
  EXPECT_EQ(log_.lines, Strings{});
}

TEST_F(SeatTest, UncheckedChoicesPassAsTheyAre) {
  seat_.Ask(MakeDecision());
  Choice choice = MakeChoice("no-such");
  choice.unchecked = true;
  choice.raw = "{not json";
  ASSERT_TRUE(seat_.Choose(std::move(choice)).has_value());
  EXPECT_EQ(choices_.back().choice.decision, DecisionId(1));
  EXPECT_EQ(choices_.back().choice.raw, "{not json");
}

TEST_F(SeatTest, OnlySoMuchIsHeldBackForAVerdict) {
  Seat seat(0, "Player", *this, scheduler_, transcript_, SeatRules{.held = {.items = 3, .bytes = 1'000}});
  seat.SetAgent(std::make_unique<RecordingAgent>(log_));
  seat.AddAction(MakeAction("pass", nullptr));
  ASSERT_TRUE(seat.Choose(MakeChoice("pass")).has_value());
  Lines();
  EXPECT_TRUE(seat.Tell({.message = "one"}));
  EXPECT_FALSE(seat.Tell({.message = std::string(1'000, 'x')})) << "too many bytes";
  EXPECT_TRUE(seat.Tell({.message = ""}));
  EXPECT_TRUE(seat.Tell({.message = "three"}));
  EXPECT_FALSE(seat.Tell({.message = ""})) << "too many";
  seat.Settle(choices_.back().id, Verdict{});
  EXPECT_TRUE(seat.Tell({.message = "four"}));
  EXPECT_EQ(Lines(), (Strings{"verdict pass accepted", "context one", "context ", "context three", "context four"}));
}

// A seat whose table has the rules.
class JudgedSeatTest : public SeatTest {
 protected:
  bool IsJudge() const override { return true; }
  std::shared_ptr<Payer> PayerOfRefusals() const override { return payer_; }
  std::optional<Verdict> Answer(const Seat&, const Choice& choice) override {
    if (choice.action != "ask") return std::nullopt;
    Verdict verdict;
    verdict.result = 7;
    return verdict;
  }
  void OnChoice(Seat& seat, const PendingChoice& choice) override {
    SeatTest::OnChoice(seat, choice);
    if (at_once_) seat.Settle(choice.id, *std::exchange(at_once_, std::nullopt));
  }
  void Refuse(ErrorCode code) { seat_.Settle(choices_.back().id, Verdict::Refused({code, "no", "x"})); }
  std::vector<std::string> Payloads(EventKind kind) {
    transcript_.Flush();
    return journal_.Payloads(TableId("t"), kind);
  }

  std::optional<Verdict> at_once_;
  std::shared_ptr<Payer> payer_;
};

TEST_F(JudgedSeatTest, LeavesDataToTheRulesAndRecordsWhatTheyRefuse) {
  seat_.Ask(MakeDecision());
  Lines();
  ASSERT_TRUE(seat_.Choose(MakeChoice("fly", R"({"x":"far"})")).has_value());
  Refuse(ErrorCode::kNoSuchAction);
  EXPECT_EQ(Lines(), (Strings{"verdict fly refused", "decide 1#2: no"}));
  EXPECT_EQ(Payloads(EventKind::kRefusal),
            Strings{R"({"seat":0,"decision":1,"action":"fly","data":{"x":"far"},"code":"no-such-action",)"
                    R"("message":"no","agent":"recording"})"});
  ASSERT_TRUE(seat_.Choose(MakeChoice("move")).has_value());
  EXPECT_EQ(choices_.back().choice.data, json::Value(json::Object())) << "as if none was given";
  seat_.Settle(choices_.back().id, Verdict{});
  EXPECT_EQ(Lines(), (Strings{"verdict move accepted", "ended 1 settled"}));
  EXPECT_EQ(Payloads(EventKind::kDecision).size(), 2u);
  EXPECT_EQ(Payloads(EventKind::kRefusal).size(), 1u);
  EXPECT_EQ(Payloads(EventKind::kChoice), Strings{});
  EXPECT_EQ(Payloads(EventKind::kVerdict), Strings{});
}

TEST_F(JudgedSeatTest, RecordsRefusalsInBriefWhileTheirPayerOwes) {
  PeerLimits limits;
  limits.match_bytes = {.per_second = 1'000, .burst = 10'000};
  Budget budget({.others = limits});
  payer_ = budget.PayerOf("192.0.2.7", scheduler_.clock().Monotonic());
  log_.interactive = true;
  seat_.Ask(MakeDecision());
  Lines();
  const auto refuse = [&] {
    Choice choice = MakeChoice("move");
    choice.data = json::Object{{"x", std::string(4'000, 'y')}};
    EXPECT_TRUE(seat_.Choose(std::move(choice)).has_value());
    seat_.Settle(choices_.back().id, Verdict::Refused({ErrorCode::kIncorrectMove, std::string(3'000, 'z'), "x"}));
    return Payloads(EventKind::kRefusal).back();
  };
  EXPECT_GT(refuse().size(), 7'000u);
  EXPECT_GT(refuse().size(), 7'000u) << "it owes nothing yet";
  const std::string brief = refuse();
  EXPECT_LT(brief.size(), 500u);
  EXPECT_THAT(brief, ::testing::HasSubstr(R"("action":"move","bytes":4)"));
  EXPECT_THAT(brief, ::testing::HasSubstr(R"(,"code":"incorrect-move","message":"zzz)"));
  EXPECT_TRUE(payer_->RefuseToRecord(scheduler_.clock().Monotonic()));
  scheduler_.Advance(std::chrono::seconds(6));
  EXPECT_GT(refuse().size(), 7'000u);
}

TEST_F(JudgedSeatTest, RecordsOnlySoManyBytesOfRefusals) {
  log_.interactive = true;
  const std::string text(4'000, 'y');
  for (int round = 0; round < 60; ++round) {
    seat_.Ask(MakeDecision());
    for (int i = 0; i < 90; ++i) {
      Choice choice = MakeChoice("move");
      choice.data = json::Object{{"x", text}};
      ASSERT_TRUE(seat_.Choose(std::move(choice)).has_value());
      seat_.Settle(choices_.back().id, Verdict::Refused({ErrorCode::kIncorrectMove, text, "x"}));
    }
    ASSERT_TRUE(seat_.Choose(MakeChoice("move")).has_value());
    seat_.Settle(choices_.back().id, Verdict{});
  }
  std::size_t bytes = 0;
  const std::vector<std::string> refusals = Payloads(EventKind::kRefusal);
  for (const std::string& payload : refusals) bytes += payload.size();
  EXPECT_GT(refusals.front().size(), 7'000u);
  EXPECT_LT(refusals.back().size(), 1'000u);
  EXPECT_GT(bytes, 900'000u);
  EXPECT_LT(bytes, 1'100'000u);
  EXPECT_THAT(Payloads(EventKind::kNote),
              ::testing::ElementsAre(::testing::HasSubstr("further refusals are not recorded")));
}

TEST_F(JudgedSeatTest, CountsTheAgentsOwnMistakesApart) {
  seat_.Ask(MakeDecision());
  for (const ErrorCode code : {ErrorCode::kIncorrectMove, ErrorCode::kIncorrectData, ErrorCode::kIncorrectMove}) {
    ASSERT_TRUE(seat_.Choose(MakeChoice("pass")).has_value());
    Refuse(code);
  }
  ASSERT_NE(seat_.decision(), nullptr) << "2 of 3, and 1 of 2";
  ASSERT_TRUE(seat_.Choose(MakeChoice("pass", R"({"y":1})")).has_value());
  Refuse(ErrorCode::kIncorrectData);
  EXPECT_EQ(ends_, Strings{"1 gave-up"});
  EXPECT_EQ(json::Write(seat_.failure()), R"({"reason":"no","code":"refused","refused_by":"referee","data":{"y":1}})");
}

TEST_F(JudgedSeatTest, WhoPlaysAtItsOwnPaceIsToldAndNotAskedAgain) {
  log_.interactive = true;
  seat_.Ask(MakeDecision());
  Lines();
  for (int i = 0; i < 10; ++i) {
    ASSERT_TRUE(seat_.Choose(MakeChoice("move")).has_value());
    Refuse(i % 2 == 0 ? ErrorCode::kIncorrectData : ErrorCode::kIncorrectMove);
  }
  EXPECT_EQ(Lines().size(), 10u) << "verdicts alone";
  EXPECT_EQ(seat_.decision()->attempt, 1);
  EXPECT_EQ(Payloads(EventKind::kDecision).size(), 1u);
}

TEST_F(JudgedSeatTest, SomebodyElsesMistakeIsNotTheAgents) {
  seat_.Ask(MakeDecision());
  Lines();
  Choice choice = MakeChoice("move");
  choice.by = "console";
  for (int i = 0; i < 10; ++i) {
    ASSERT_TRUE(seat_.Choose(choice).has_value());
    Refuse(ErrorCode::kIncorrectMove);
  }
  EXPECT_EQ(seat_.decision()->attempt, 1);
  EXPECT_EQ(Lines().size(), 10u);
  // It tried to choose meanwhile, and has to be asked once more.
  ASSERT_TRUE(seat_.Choose(choice).has_value());
  EXPECT_EQ(seat_.Choose(MakeChoice("pass")).error().code, ErrorCode::kBusy);
  Refuse(ErrorCode::kIncorrectMove);
  EXPECT_EQ(Lines(), (Strings{"verdict move refused", "decide 1#1"}));
}

TEST_F(JudgedSeatTest, AQuestionIsAnsweredAtOnceAndLeavesNothing) {
  seat_.Ask(MakeDecision());
  Lines();
  ASSERT_TRUE(seat_.Choose(MakeChoice("move", R"({"x":1})")).has_value());
  json::Value told;
  ASSERT_TRUE(seat_.Choose(MakeChoice("ask"), [&](const Verdict& verdict) { told = verdict.result; }).has_value());
  EXPECT_EQ(told, json::Value(7)) << "though a choice is under way";
  EXPECT_EQ(Lines(), Strings{"verdict ask accepted"});
  EXPECT_EQ(choices_.size(), 1u);
  ASSERT_NE(seat_.awaiting(), nullptr);
  EXPECT_EQ(Payloads(EventKind::kRefusal), Strings{});
}

TEST_F(JudgedSeatTest, WhoeverChoseIsToldFirst) {
  seat_.Ask(MakeDecision());
  Lines();
  const auto told = [this](const Verdict& verdict) { log_.lines.push_back("told " + verdict.message); };
  at_once_ = Verdict::Refused({ErrorCode::kIncorrectMove, "no", {}});
  ASSERT_TRUE(seat_.Choose(MakeChoice("move"), told).has_value());
  EXPECT_EQ(log_.lines, Strings{"told no"}) << "within the call";
  EXPECT_EQ(Lines(), (Strings{"told no", "verdict move refused", "decide 1#2: no"}));
  // Even if another agent has the seat by then.
  ASSERT_TRUE(seat_.Choose(MakeChoice("move"), told).has_value());
  seat_.SetAgent(std::make_unique<RecordingAgent>(log_));
  seat_.Settle(choices_.back().id, Verdict{});
  EXPECT_EQ(log_.lines, Strings{"told "});
}

TEST_F(SeatTest, WithoutALimitRefusalsAreAskedAgainAfterTheHostsPause) {
  seat_.SetRules({.max_attempts = 0});
  retry_pause_ = std::chrono::seconds(1);
  seat_.Ask(MakeDecision());
  for (int i = 1; i <= 20; ++i) {
    scheduler_.Run();
    ASSERT_TRUE(seat_.Choose(MakeChoice("pass")));
    seat_.Settle(choices_.back().id, {Verdict::Kind::kRefused, "no", nullptr});
    scheduler_.Run();
    EXPECT_EQ(log_.decisions.size(), static_cast<std::size_t>(i)) << "not before the pause is over";
    scheduler_.Advance(std::chrono::seconds(1));
    ASSERT_EQ(log_.decisions.size(), static_cast<std::size_t>(i + 1));
    EXPECT_FALSE(log_.decisions.back().last);
  }
}

TEST_F(SeatTest, TheLastAttemptIsSaidToBeTheLast) {
  seat_.SetRules({.max_attempts = 2});
  seat_.Ask(MakeDecision());
  scheduler_.Run();
  EXPECT_FALSE(log_.decisions.back().last);
  ASSERT_TRUE(seat_.Choose(MakeChoice("pass")));
  seat_.Settle(choices_.back().id, {Verdict::Kind::kRefused, "no", nullptr});
  scheduler_.Run();
  EXPECT_TRUE(log_.decisions.back().last);
}

TEST_F(SeatTest, WhatCannotReachTheGameLeavesNoTrace) {
  here_ = false;
  const std::size_t before = journal_.Read(TableId("t"), 0, 1000)->size();
  const auto chosen = seat_.Choose(MakeChoice("pass"));
  ASSERT_FALSE(chosen);
  EXPECT_EQ(chosen.error().code, ErrorCode::kClosed);
  scheduler_.Run();
  EXPECT_EQ(journal_.Read(TableId("t"), 0, 1000)->size(), before);
  EXPECT_TRUE(refused_.empty());
}

TEST_F(SeatTest, AChoiceBesideTheDecisionLeavesItAlone) {
  Decision decision = MakeDecision();
  decision.actions.Remove("pass");
  seat_.Ask(std::move(decision));
  Choice stray = MakeChoice("pass");
  stray.beside = true;
  stray.by = "somebody";
  ASSERT_TRUE(seat_.Choose(std::move(stray)));
  Lines();
  EXPECT_TRUE(log_.decisions.empty()) << "a verdict is due first";
  seat_.Settle(choices_.back().id, {Verdict::Kind::kAccepted, "", nullptr});
  EXPECT_EQ(Lines(), (std::vector<std::string>{"verdict pass accepted", "decide 1#1"}));
  EXPECT_NE(seat_.decision(), nullptr);
}

TEST_F(SeatTest, OnlyAnAgentAtLeisureIsInvited) {
  seat_.Invite();
  EXPECT_EQ(Lines(), std::vector<std::string>{"invited"});
  seat_.Ask(MakeDecision());
  seat_.Invite();
  EXPECT_EQ(Lines(), std::vector<std::string>{"decide 1#1"});
}

}  // namespace
}  // namespace openseat
