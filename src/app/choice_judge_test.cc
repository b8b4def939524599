#include "app/choice_judge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "base/budget.h"
#include "base/loop_bill.h"
#include "base/metrics.h"
#include "core/judge.h"
#include "games/tictactoe/tictactoe.h"
#include "testing/fake_scheduler.h"

namespace openseat::app {
namespace {

using ::testing::HasSubstr;

class ChoiceJudgeTest : public ::testing::Test {
 protected:
  // Of its only thread, in order.
  void WaitForPool() {
    std::promise<void> done;
    std::future<void> reached = done.get_future();
    pool_.Post([done = std::move(done)]() mutable { done.set_value(); });
    reached.wait();
  }

  const std::unique_ptr<Game> game_ = games::MakeTicTacToe();
  Metrics metrics_;
  Budget budget_{{}, &metrics_};
  testing::FakeScheduler scheduler_;
  WorkerPool pool_{1};
  const openenv::ChoiceJudge judge_ = JudgeOn(pool_);
};

TEST_F(ChoiceJudgeTest, OnlySoManyChoicesWait) {
  std::promise<void> go;
  pool_.Post([waiting = go.get_future().share()] { waiting.wait(); });
  std::stop_source leaver;
  std::stop_source others;
  const auto ask = [&](const std::stop_source& of) {
    openenv::ChoiceJudge::Question question;
    question.game = game_.get();
    question.stop = of.get_token();
    return judge_.judge(std::move(question), scheduler_,
                        [](const Result<double>&) { FAIL() << "nobody waits for it"; });
  };
  EXPECT_TRUE(ask(leaver));
  for (std::size_t i = 1; i < kMaxToJudge; ++i) ASSERT_TRUE(ask(others));
  const Result<void> refused = ask(others);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kBusy);
  leaver.request_stop();
  EXPECT_TRUE(ask(others)) << "what nobody waits for leaves the queue";
  EXPECT_FALSE(ask(others));
  others.request_stop();
  go.set_value();
  WaitForPool();
  scheduler_.Run();
}

TEST_F(ChoiceJudgeTest, WhereItIsFullThoseOfWhoAsksMostGiveWay) {
  std::promise<void> go;
  pool_.Post([waiting = go.get_future().share()] { waiting.wait(); });
  std::stop_source all;
  std::vector<std::string> dropped;
  const auto ask = [&](const std::string& address) {
    openenv::ChoiceJudge::Question question;
    question.game = game_.get();
    question.stop = all.get_token();
    question.payer = budget_.PayerOf(address, Instant());
    return judge_.judge(std::move(question), scheduler_, [&dropped, address](const Result<double>& loss) {
      EXPECT_EQ(loss.error().code, ErrorCode::kBusy);
      dropped.push_back(address);
    });
  };
  for (std::size_t i = 0; i + 2 < kMaxToJudge; ++i) ASSERT_TRUE(ask("192.0.2.1"));
  for (int i = 0; i < 2; ++i) ASSERT_TRUE(ask("192.0.2.2"));
  EXPECT_FALSE(ask("192.0.2.1"));
  EXPECT_TRUE(ask("192.0.2.2"));
  EXPECT_TRUE(ask("192.0.2.3"));
  scheduler_.Run();
  EXPECT_EQ(dropped, (std::vector<std::string>{"192.0.2.1", "192.0.2.1"}));
  EXPECT_THAT(metrics_.Text(), HasSubstr(R"(openseat_refused_total{budget="openenv.judge"} 3)"));
  all.request_stop();
  go.set_value();
  WaitForPool();
  scheduler_.Run();
}

TEST_F(ChoiceJudgeTest, AddressesTakeTurns) {
  std::promise<void> go;
  pool_.Post([waiting = go.get_future().share()] { waiting.wait(); });
  std::vector<std::string> judged;
  const auto ask = [&](const std::string& address) {
    openenv::ChoiceJudge::Question question;
    question.game = game_.get();
    question.state = *game_->NewGame(nullptr, 1, {"Ann", "Bo"});
    question.choice = {"move", json::Object{{"position", json::Array{0, 0}}}};
    question.payer = budget_.PayerOf(address, Instant());
    ASSERT_TRUE(judge_.judge(std::move(question), scheduler_,
                             [&judged, address](const Result<double>&) { judged.push_back(address); }));
  };
  for (int i = 0; i < 3; ++i) ask("192.0.2.1");
  for (int i = 0; i < 2; ++i) ask("192.0.2.2");
  ask("192.0.2.3");
  go.set_value();
  for (std::size_t i = 0; i < 6; ++i) WaitForPool();
  scheduler_.Run();
  EXPECT_EQ(judged,
            (std::vector<std::string>{"192.0.2.1", "192.0.2.2", "192.0.2.3", "192.0.2.1", "192.0.2.2", "192.0.2.1"}));
}

// Keeps for whom something was posted.
class NotingScheduler final : public Scheduler {
 public:
  const Clock& clock() const override { return scheduler_.clock(); }
  void Post(Task task) override {
    payers.push_back(LoopBill::Current());
    scheduler_.Post(std::move(task));
  }
  void OffloadFor(std::string_view owner, Task work) override { scheduler_.OffloadFor(owner, std::move(work)); }
  TimerId After(Duration delay, Task task) override { return scheduler_.After(delay, std::move(task)); }
  bool Cancel(TimerId timer) override { return scheduler_.Cancel(timer); }
  void Run() { scheduler_.Run(); }

  std::vector<LoopSharePtr> payers;

 private:
  testing::FakeScheduler scheduler_;
};

TEST_F(ChoiceJudgeTest, WhoAsksIsChargedForTheAnswer) {
  std::promise<void> go;
  pool_.Post([waiting = go.get_future().share()] { waiting.wait(); });
  const auto asker = std::make_shared<LoopShare>();
  const auto other = std::make_shared<LoopShare>();
  NotingScheduler scheduler;
  std::stop_source all;
  std::vector<LoopSharePtr> answered;
  const auto ask = [&](const LoopSharePtr& share, const std::string& address) {
    const LoopBill bill(share);
    openenv::ChoiceJudge::Question question;
    question.game = game_.get();
    question.state = *game_->NewGame(nullptr, 1, {"Ann", "Bo"});
    question.choice = {"move", json::Object{{"position", json::Array{0, 0}}}};
    question.stop = all.get_token();
    question.payer = budget_.PayerOf(address, Instant());
    ASSERT_TRUE(judge_.judge(std::move(question), scheduler,
                             [&answered](const Result<double>&) { answered.push_back(LoopBill::Current()); }));
  };
  for (std::size_t i = 0; i < kMaxToJudge; ++i) ask(asker, "192.0.2.1");
  ask(other, "192.0.2.2");  // instead of one of those
  scheduler.Run();
  EXPECT_EQ(scheduler.payers, std::vector<LoopSharePtr>{asker});
  EXPECT_EQ(answered, std::vector<LoopSharePtr>{asker});
  go.set_value();
  for (int i = 0; i < 2; ++i) WaitForPool();  // one of each address, or more
  all.request_stop();
  WaitForPool();
  scheduler.Run();
  ASSERT_GE(answered.size(), 3);
  EXPECT_EQ(scheduler.payers, answered);
  answered.resize(3);
  EXPECT_EQ(answered, (std::vector<LoopSharePtr>{asker, asker, other}));
}

TEST_F(ChoiceJudgeTest, SaysWhatAChoiceGaveAway) {
  const auto at = [](int row, int column) { return json::Object{{"position", json::Array{row, column}}}; };
  // Both have two in a row: who chooses wins at once, or not.
  std::shared_ptr<const GameState> state = *game_->NewGame(nullptr, 1, {"Ann", "Bo"});
  SeatIndex seat = 0;
  for (const json::Object& place : {at(0, 0), at(1, 0), at(0, 1), at(1, 1)}) {
    const Result<Ruling> ruling = Judge(*state, seat, "move", place);
    ASSERT_TRUE(ruling) << ruling.error().message;
    state = ruling->next;
    seat = 1 - seat;
  }
  std::vector<double> losses;
  for (const json::Object& place : {at(0, 2), at(2, 2)}) {
    const openenv::ChoiceJudge::Question question{game_.get(), state, 0, {"move", place}, 1};
    EXPECT_TRUE(judge_.judge(question, scheduler_, [&losses](const Result<double>& loss) { losses.push_back(*loss); }));
    WaitForPool();
    scheduler_.Run();
  }
  ASSERT_EQ(losses.size(), 2U);
  EXPECT_EQ(losses[0], 0);
  EXPECT_GT(losses[1], 0.4);
}

}  // namespace
}  // namespace openseat::app
