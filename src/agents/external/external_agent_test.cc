#include "agents/external/external_agent.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agents/external/seat_token.h"
#include "base/budget.h"
#include "base/digest.h"
#include "base/metrics.h"
#include "testing/fake_scheduler.h"
#include "testing/memory_journal.h"

namespace openseat {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// A table with one seat that settles a choice when told to.
class OneSeatTable final : public Table, private SeatHost {
 public:
  explicit OneSeatTable(std::string id) : transcript_(journal_, scheduler_, TableId(std::move(id))) {
    auto action = std::make_shared<Action>();
    action->name = "move";
    action->schema = *json::Parse(R"({"type":"object","properties":{"x":{"type":"integer"}},"required":["x"]})");
    seat_.AddAction(action);
  }

  const TableId& id() const override { return transcript_.table(); }
  Scheduler& scheduler() override { return scheduler_; }
  std::size_t seats() const override { return 1; }
  Seat& seat(SeatIndex) override { return seat_; }
  const Seat& seat(SeatIndex) const override { return seat_; }
  std::string_view status_name() const override { return "open"; }
  void SeatAgent(SeatIndex, std::string, AgentSpec, Seated) override {}
  void Resign(SeatIndex, std::string, Quitter, Done) override {}
  json::Object Info() const override { return {}; }
  Result<json::Value> Control(std::string_view, const json::Object&) override { return json::Value(); }

  DecisionId Ask() {
    Decision decision;
    decision.actions = seat_.actions();
    const DecisionId id = seat_.Ask(std::move(decision));
    scheduler_.Run();
    return id;
  }
  void Settle(Verdict verdict = {}) {
    seat_.Settle(seat_.awaiting()->id, std::move(verdict));
    scheduler_.Run();
  }

  testing::FakeScheduler scheduler_;
  int choices_ = 0;
  std::vector<DecisionEnd> ends_;
  Metrics metrics_;
  Budget budget_{{}, &metrics_};
  const std::shared_ptr<Payer> payer_ = budget_.PayerOf("192.0.2.7", Instant());

 private:
  void OnChoice(Seat&, const PendingChoice&) override { ++choices_; }
  std::shared_ptr<Payer> GetPayer() const override { return payer_; }
  void OnDecisionEnded(Seat&, DecisionId, DecisionEnd end) override { ends_.push_back(end); }
  void OnRefused(Seat&, const Choice&, const Error&) override {}

  testing::MemoryJournal journal_;
  Transcript transcript_;
  Seat seat_{0, "player", *this, scheduler_, transcript_, SeatRules{}};
};

class ExternalAgentTest : public ::testing::Test {
 protected:
  ExternalAgentTest() {
    json::Object options;
    secrets_ = MintSeat(options);
    auto agent = std::make_unique<ExternalAgent>(*ParseExternalAgentOptions(options));
    agent_ = agent.get();
    table_.seat(0).SetAgent(std::move(agent));
    table_.scheduler_.Run();
  }

  static Choice Move(int x, DecisionId decision) {
    Choice choice;
    choice.action = "move";
    choice.data = json::Object{{"x", x}};
    choice.decision = decision;
    return choice;
  }
  ExternalAgent::Acted Note(std::string name) {
    return [this, name = std::move(name)](const Result<Verdict>& verdict) {
      said_.push_back(
          name + ": " +
          (verdict ? std::string(VerdictName(verdict->kind)) : std::string(ErrorCodeName(verdict.error().code))));
    };
  }

  std::vector<std::string> said_;
  SeatSecrets secrets_;
  OneSeatTable table_{"calm-table"};
  ExternalAgent* agent_ = nullptr;
};

TEST_F(ExternalAgentTest, AChoiceGetsItsVerdict) {
  const DecisionId decision = table_.Ask();
  agent_->Act(Move(1, decision), Note("a"));
  EXPECT_TRUE(said_.empty());
  table_.Settle();
  EXPECT_THAT(said_, ElementsAre("a: accepted"));
}

TEST_F(ExternalAgentTest, TheSameChoiceAgainGetsTheSameVerdict) {
  const DecisionId decision = table_.Ask();
  agent_->Act(Move(1, decision), Note("first"));
  agent_->Act(Move(1, decision), Note("meanwhile"));
  agent_->Act(Move(2, decision), Note("another"));
  table_.Settle();
  agent_->Act(Move(1, decision), Note("late"));
  agent_->Act(Move(2, decision), Note("other late"));
  EXPECT_THAT(said_, ElementsAre("another: busy", "first: accepted", "meanwhile: accepted", "late: accepted",
                                 "other late: not-your-turn"));
  EXPECT_EQ(table_.choices_, 1);
}

TEST_F(ExternalAgentTest, ARefusedChoiceMayBeTriedAgainForEver) {
  const DecisionId decision = table_.Ask();
  for (int i = 0; i < 10; ++i) {
    agent_->Act(Move(i, decision), Note("a"));
    table_.Settle({Verdict::Kind::kRefused, "no", nullptr});
    Choice wrong;
    wrong.action = "move";
    agent_->Act(wrong, Note("b"));
  }
  EXPECT_EQ(said_.size(), 20u);
  EXPECT_THAT(said_.back(), "b: incorrect-data");
  EXPECT_TRUE(table_.ends_.empty());
  ASSERT_NE(table_.seat(0).decision(), nullptr);
}

TEST_F(ExternalAgentTest, WaitersWakeWhenSomethingIsLearned) {
  std::vector<std::string> woken;
  const auto wake = [&woken](std::string name) {
    return [&woken, name = std::move(name)](bool news) { woken.push_back(name + (news ? "+" : "-")); };
  };
  EXPECT_TRUE(agent_->Wait(0, std::chrono::seconds(5), wake("at once")));
  const std::uint64_t now = agent_->version();
  EXPECT_TRUE(agent_->Wait(now, std::chrono::seconds(5), wake("a")));
  EXPECT_TRUE(agent_->Wait(now + 1, std::chrono::seconds(5), wake("b")));
  const auto canceled = agent_->Wait(now, std::chrono::seconds(5), wake("canceled"));
  agent_->CancelWait(*canceled);
  table_.seat(0).Tell({.message = "hello"});
  table_.scheduler_.Run();
  EXPECT_THAT(woken, ElementsAre("at once+", "a+"));
  EXPECT_EQ(LookAt(table_, Viewer::Seat(0)).told.back().version, agent_->version());
  table_.scheduler_.Advance(std::chrono::seconds(5));
  EXPECT_THAT(woken, ElementsAre("at once+", "a+", "b-"));
}

TEST_F(ExternalAgentTest, WhoWaitsPaysForWhatTheyDoWithIt) {
  const auto waiter = std::make_shared<LoopShare>();
  const auto mover = std::make_shared<LoopShare>();
  std::vector<LoopSharePtr> payers;
  const auto note = [&payers](bool) { payers.push_back(LoopBill::Current()); };
  {
    const LoopBill bill(waiter);
    EXPECT_TRUE(agent_->Wait(agent_->version(), std::chrono::seconds(5), note));
    EXPECT_TRUE(agent_->Wait(agent_->version() + 1, std::chrono::seconds(5), note));
  }
  {
    const LoopBill bill(mover);
    table_.seat(0).Tell({.message = "hello"});
    table_.scheduler_.Run();
  }
  table_.scheduler_.Advance(std::chrono::seconds(5));
  EXPECT_THAT(payers, ElementsAre(waiter, waiter));
}

TEST_F(ExternalAgentTest, SoManyMayWait) {
  std::size_t woken = 0;
  const auto wait = [&] {
    return agent_->Wait(agent_->version(), std::chrono::seconds(5), [&woken](bool) { ++woken; });
  };
  for (std::size_t i = 0; i < ExternalAgent::kMostCallers; ++i) ASSERT_TRUE(wait()) << i;
  const auto refused = wait();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kBusy);
  EXPECT_THAT(refused.error().message, HasSubstr("16 calls"));
  EXPECT_THAT(table_.metrics_.Text(), HasSubstr(R"(openseat_refused_total{budget="seat.calls"} 1)"));
  table_.scheduler_.Advance(std::chrono::seconds(5));
  EXPECT_EQ(woken, ExternalAgent::kMostCallers);
  EXPECT_TRUE(wait()) << "there is room again";
}

TEST_F(ExternalAgentTest, SoManyMayWaitForOneVerdict) {
  const DecisionId decision = table_.Ask();
  for (std::size_t i = 0; i <= ExternalAgent::kMostCallers; ++i) agent_->Act(Move(1, decision), Note("a"));
  EXPECT_THAT(said_, ElementsAre("a: busy"));
  EXPECT_THAT(table_.metrics_.Text(), HasSubstr(R"(openseat_refused_total{budget="seat.calls"} 1)"));
  table_.Settle();
  EXPECT_EQ(said_.size(), 1 + ExternalAgent::kMostCallers);
}

TEST_F(ExternalAgentTest, AChoiceIsRepeatedByItsDecision) {
  const DecisionId first = table_.Ask();
  agent_->Act(Move(1, first), Note("first"));
  agent_->Repeat(first, Note("meanwhile"));
  table_.Settle();
  agent_->Repeat(first, Note("late"));
  const DecisionId second = table_.Ask();
  agent_->Act(Move(2, second), Note("second"));
  table_.Settle({Verdict::Kind::kRefused, "no", nullptr});
  agent_->Repeat(first, Note("later"));
  agent_->Repeat(second, Note("refused"));
  agent_->Act(Move(1, first), Note("in full"));
  EXPECT_THAT(said_, ElementsAre("first: accepted", "meanwhile: accepted", "late: accepted", "second: refused",
                                 "later: accepted", "refused: not-your-turn", "in full: accepted"));
  EXPECT_EQ(table_.choices_, 2);
}

TEST_F(ExternalAgentTest, WhoWaitsIsToldWhenTheSeatIsGivenAway) {
  const DecisionId decision = table_.Ask();
  agent_->Act(Move(1, decision), Note("act"));
  bool woken = false;
  EXPECT_TRUE(agent_->Wait(agent_->version(), std::chrono::seconds(5), [&woken](bool news) { woken = !news; }));
  table_.seat(0).SetAgent(nullptr);
  table_.scheduler_.Run();
  EXPECT_THAT(said_, ElementsAre("act: closed"));
  EXPECT_TRUE(woken);
}

TEST_F(ExternalAgentTest, AfterTheEndNothingCanBeChosen) {
  table_.seat(0).End();
  table_.scheduler_.Run();
  EXPECT_TRUE(agent_->ended());
  Choice choice;
  choice.action = "move";
  agent_->Act(choice, Note("a"));
  EXPECT_THAT(said_, ElementsAre("a: closed"));
}

TEST_F(ExternalAgentTest, WhatWasToldIsBounded) {
  for (int i = 0; i < 300; ++i) {
    table_.seat(0).Tell({.message = std::string(i < 250 ? 10 : 10'000, 'x')});
    table_.scheduler_.Run();
  }
  const SeatView view = LookAt(table_, Viewer::Seat(0));
  std::size_t bytes = 0;
  for (const Told& told : view.told) bytes += told.context.message.size();
  EXPECT_LE(view.told.size(), 200u);
  EXPECT_LE(bytes, 256u << 10);
  EXPECT_GT(bytes, 200u << 10);
}

TEST_F(ExternalAgentTest, ATokenFindsItsSeat) {
  TableDirectory directory({&table_.scheduler_});
  directory.Add(table_);
  std::vector<std::string> results;
  const auto with = [&](std::string_view token) {
    WithSeat(
        directory, table_.scheduler_, token, [&](Table& table, ExternalAgent&) { results.push_back(table.id().str()); },
        [&](const Error& error) { results.emplace_back(ErrorCodeName(error.code)); });
    table_.scheduler_.Run();
  };
  with(SeatToken{table_.id(), 0, secrets_.token}.Text());
  with(SeatToken{table_.id(), 0, secrets_.key}.Text());
  with(SeatToken{table_.id(), 1, secrets_.token}.Text());
  with(SeatToken{table_.id(), 0, std::string(26, 'a')}.Text());
  with(SeatToken{TableId("other"), 0, secrets_.token}.Text());
  with("nonsense");
  with("a.b.c");
  with("calm-table.0.");
  EXPECT_THAT(results, ElementsAre("calm-table", "calm-table", "denied", "denied", "not-found", "invalid", "invalid",
                                   "invalid"));
}

TEST_F(ExternalAgentTest, OptionsAreHashes) {
  EXPECT_TRUE(ParseExternalAgentOptions({}).has_value());
  EXPECT_FALSE(ParseExternalAgentOptions({{"token_sha256", "x"}}).has_value());
  const auto unknown = ParseExternalAgentOptions({{"url", "x"}});
  ASSERT_FALSE(unknown.has_value());
  EXPECT_THAT(unknown.error().message, HasSubstr("url"));
  EXPECT_TRUE(ParseExternalAgentOptions({{"url", "x"}}, {"url"}).has_value());
  EXPECT_FALSE(ExternalAgent({}).Admits(""));
}

}  // namespace
}  // namespace openseat
