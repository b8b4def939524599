// What is read of a game elsewhere that has sent very much.
#include "protocols/agent_api/seat_answers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/transcript.h"
#include "testing/fake_scheduler.h"
#include "testing/memory_journal.h"

namespace openseat::agent_api {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// A table whose rules are elsewhere.
class FarTable final : public Table, private SeatHost {
 public:
  explicit FarTable(Scheduler& scheduler) : scheduler_(scheduler), transcript_(journal_, scheduler, TableId("far")) {}

  const TableId& id() const override { return transcript_.table(); }
  Scheduler& scheduler() override { return scheduler_; }
  std::size_t seats() const override { return 1; }
  Seat& seat(SeatIndex) override { return seat_; }
  const Seat& seat(SeatIndex) const override { return seat_; }
  std::string_view status_name() const override { return "connected"; }
  void SeatAgent(SeatIndex, std::string, AgentSpec, Seated) override {}
  void Resign(SeatIndex, std::string, Quitter, Done) override {}
  json::Object Info() const override { return {}; }
  Result<json::Value> Control(std::string_view, const json::Object&) override { return json::Value(); }

 private:
  void OnChoice(Seat&, const PendingChoice&) override {}
  void OnDecisionEnded(Seat&, DecisionId, DecisionEnd) override {}
  void OnRefused(Seat&, const Choice&, const Error&) override {}

  Scheduler& scheduler_;
  testing::MemoryJournal journal_;
  Transcript transcript_;
  Seat seat_{0, "player", *this, scheduler_, transcript_, SeatRules{}};
};

class SeatAnswersTest : public ::testing::Test {
 public:
  ~SeatAnswersTest() override {
    table_.seat(0).SetAgent(nullptr);
    scheduler_.Run();
  }

 protected:
  SeatAnswersTest() {
    table_.seat(0).SetAgent(std::make_unique<ExternalAgent>(ExternalAgentOptions{}));
    scheduler_.Run();
  }
  ExternalAgent& agent() { return *table_.seat(0).agent()->external(); }
  void Add(std::size_t actions) {
    for (std::size_t i = 0; i < actions; ++i) {
      table_.seat(0).AddAction(std::make_shared<const Action>("action" + std::to_string(i), "",
                                                              json::Object{{"title", std::string(1'700, '\x7f')}}));
    }
    scheduler_.Run();
  }
  void Tell(const std::string& message) {
    EXPECT_TRUE(table_.seat(0).Tell({.message = message, .silent = true}));
    scheduler_.Run();
  }
  void Read(std::string_view what) {
    ReadSeatFor(
        nullptr, what, table_, agent(), [this](const WrittenAnswer& answer) { answers_.push_back(answer); },
        [this] { ++again_; });
  }

  testing::FakeScheduler scheduler_;
  FarTable table_{scheduler_};
  std::vector<WrittenAnswer> answers_;
  int again_ = 0;
};

TEST_F(SeatAnswersTest, WhatIsShortIsAnsweredAtOnce) {
  Add(2);
  for (const char* what : {"state", "prompt", "actions", "log", "board"}) Read(what);
  ASSERT_THAT(answers_, SizeIs(5));
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(answers_[i].status, 200);
  EXPECT_THAT(*answers_[0].body, HasSubstr(R"("available-commands":[{"command":"action0")"));
  EXPECT_EQ(answers_[4].status, 404) << "of Netrunner only";
}

TEST_F(SeatAnswersTest, ManyPollsOfManyActionsMakeOneText) {
  Add(500);
  for (int i = 0; i < 50; ++i) Read("actions");
  EXPECT_THAT(answers_, IsEmpty()) << "it is written elsewhere";
  scheduler_.Run();
  // What the seat is told does not change it.
  Tell("So it goes.");
  for (int i = 0; i < 50; ++i) Read("actions");
  ASSERT_THAT(answers_, SizeIs(100));
  for (const WrittenAnswer& answer : answers_) EXPECT_EQ(answer.body, answers_[0].body) << "the same text";
  const Result<json::Value> told = json::Parse(*answers_[0].body);
  ASSERT_TRUE(told);
  EXPECT_EQ(told->at("actions").at("available-commands").as_array().size(), 500u) << "all of them";
  Add(501);
  Read("actions");
  EXPECT_THAT(answers_, SizeIs(100)) << "others are written again";
  scheduler_.Run();
  ASSERT_THAT(answers_, SizeIs(101));
  EXPECT_NE(answers_[100].body, answers_[0].body);
  EXPECT_EQ(again_, 0);
}

TEST_F(SeatAnswersTest, TheStateSaysWhereManyActionsAre) {
  Add(500);
  Read("state");
  ASSERT_THAT(answers_, SizeIs(1)) << "at once";
  EXPECT_LT(answers_[0].body->size(), 2'000u);
  EXPECT_THAT(*answers_[0].body, HasSubstr(R"("action-type":"too-long")"));
  EXPECT_THAT(*answers_[0].body, HasSubstr("/game/actions has them"));
}

TEST_F(SeatAnswersTest, LongMessagesAreWrittenElsewhereToo) {
  Tell(std::string(100'000, '\x7f'));
  for (int i = 0; i < 16; ++i) Read("state");
  Read("log");
  EXPECT_THAT(answers_, IsEmpty());
  scheduler_.Run();
  ASSERT_THAT(answers_, SizeIs(17));
  for (int i = 0; i < 16; ++i) EXPECT_EQ(answers_[static_cast<std::size_t>(i)].body, answers_[0].body);
}

}  // namespace
}  // namespace openseat::agent_api
