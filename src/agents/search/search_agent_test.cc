#include "agents/search/search_agent.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "agents/search/script_test_support.h"
#include "games/connectm/connectm.h"
#include "testing/fake_scheduler.h"
#include "testing/memory_journal.h"

namespace openseat::search {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Every look at it takes a while.
class LookedAtClock final : public Clock {
 public:
  Time Now() const override { return {}; }
  Instant Monotonic() const override { return Instant(++looks * look); }

  Duration look = std::chrono::milliseconds(1);
  mutable int looks = 0;
};

// Keeps what is offloaded until the test runs it.
class HoldingScheduler final : public Scheduler {
 public:
  const LookedAtClock& clock() const override { return clock_; }
  void LooksTake(Duration look) { clock_.look = look; }
  void Post(Task task) override { scheduler_.Post(std::move(task)); }
  void OffloadFor(std::string_view owner, Task work) override {
    held.push_back(std::move(work));
    owners.emplace_back(owner);
  }
  TimerId After(Duration delay, Task task) override { return scheduler_.After(delay, std::move(task)); }
  bool Cancel(TimerId timer) override { return scheduler_.Cancel(timer); }

  void Run() { scheduler_.Run(); }
  void RunHeld() {
    for (const Task& work : std::exchange(held, {})) work();
    scheduler_.Run();
  }

  std::vector<Task> held;
  std::vector<std::string> owners;  // of all that was held

 private:
  testing::FakeScheduler scheduler_;
  LookedAtClock clock_;
};

class SearchAgentTest : public ::testing::Test, public SeatHost {
 protected:
  bool IsJudge() const override { return true; }
  void OnChoice(Seat& seat, const PendingChoice& pending) override {
    chosen_.push_back(json::Write(pending.choice.data));
    scheduler_.Post([&seat, id = pending.id] { seat.Settle(id, {}); });
  }
  void OnDecisionEnded(Seat&, DecisionId, DecisionEnd end) override { ends_.push_back(end); }
  void OnRefused(Seat&, const Choice&, const Error&) override {}
  std::shared_ptr<Payer> GetPayer() const override { return payer_; }

  void Sit(const json::Object& options) { seat_.SetAgent(*SearchKind(nullptr).make(options)); }
  void Ask(bool hosted = true) {
    Decision decision;
    decision.actions = seat_.actions();
    if (hosted) decision.sight = std::make_shared<Sight>(*game_, state_, Viewer::Seat(0));
    seat_.Ask(std::move(decision));
    scheduler_.Run();
  }
  void PlayWithRedeal(const std::string& redeal) {
    game_ = GameWithRedeal(redeal);
    state_ = game_->NewGame(nullptr, 1, {"ann", "ben"}).value();
  }
  void SetUp() override {
    auto drop = std::make_shared<Action>();
    drop->name = "drop";
    seat_.AddAction(std::move(drop));
    // Three in column 3: the fourth wins.
    for (const Move column : {3U, 0U, 3U, 0U, 3U, 1U}) state_->ApplyMove(state_->Awaited().First(), column);
  }

  Budget budget_{BudgetLimits()};
  const std::shared_ptr<Payer> payer_ = budget_.PayerOf("192.0.2.7", Instant());
  std::unique_ptr<Game> game_ = games::MakeConnectM();
  std::shared_ptr<GameState> state_ = game_->NewGame(nullptr, 1, {"ann", "ben"}).value();
  HoldingScheduler scheduler_;
  testing::MemoryJournal journal_;
  Transcript transcript_{journal_, scheduler_, TableId("t")};
  Seat seat_{0, "ann", *this, scheduler_, transcript_, SeatRules{}};
  std::vector<std::string> chosen_;
  std::vector<DecisionEnd> ends_;
};

TEST_F(SearchAgentTest, ChoosesWhatTheSearchFoundOffTheLoop) {
  Sit({{"iterations", 300}, {"seed", 1}, {"threads", 3}});
  Ask();
  EXPECT_EQ(scheduler_.held.size(), 3U);
  EXPECT_THAT(chosen_, IsEmpty());
  scheduler_.RunHeld();
  EXPECT_THAT(chosen_, ElementsAre(R"({"column":3})"));
}

TEST_F(SearchAgentTest, WaitsItsTurnWithTheTablesPayer) {
  Sit({{"iterations", 300}, {"threads", 2}});
  Ask();
  EXPECT_THAT(scheduler_.owners, ElementsAre("192.0.2.7", "192.0.2.7"));
}

TEST_F(SearchAgentTest, TimeIsForAllThreadsTogether) {
  state_ = game_->NewGame(nullptr, 1, {"ann", "ben"}).value();
  Sit({{"ms", 10}, {"seed", 1}, {"threads", 16}});
  Ask();
  ASSERT_EQ(scheduler_.held.size(), 16U);
  const int before = scheduler_.clock().looks;
  scheduler_.RunHeld();  // one after another
  EXPECT_LT(scheduler_.clock().looks - before, 40);
  EXPECT_EQ(chosen_.size(), 1U);
}

TEST_F(SearchAgentTest, ALevelSaysHowItPlays) {
  Sit({{"level", 8}, {"seed", 1}});
  Ask();
  scheduler_.RunHeld();
  EXPECT_THAT(chosen_, ElementsAre(R"({"column":3})"));
}

TEST_F(SearchAgentTest, ErrsAsOftenAsAsked) {
  state_ = game_->NewGame(nullptr, 1, {"ann", "ben"}).value();
  const auto chosen_with = [&](json::Object options) {
    chosen_.clear();
    options["iterations"] = 100;
    options["seed"] = 1;
    Sit(options);
    for (int i = 0; i < 12; ++i) {
      Ask();
      scheduler_.RunHeld();
    }
    return chosen_;
  };
  const std::vector<std::string> best = chosen_with({});
  EXPECT_EQ(best.size(), 12U);
  EXPECT_EQ(chosen_with({{"slip", 0}}), best);
  const auto errors_with = [&](double slip) {
    const std::vector<std::string> chosen = chosen_with({{"slip", slip}});
    std::size_t errors = 0;
    for (std::size_t i = 0; i < best.size(); ++i) errors += chosen.at(i) == best[i] ? 0 : 1;
    return errors;
  };
  EXPECT_LT(errors_with(0.01), errors_with(1));
}

TEST_F(SearchAgentTest, ALevelHasALimitOnTime) {
  state_ = game_->NewGame(nullptr, 1, {"ann", "ben"}).value();
  scheduler_.LooksTake(std::chrono::seconds(8));
  Sit({{"level", 8}, {"seed", 1}});
  Ask();
  const int before = scheduler_.clock().looks;
  scheduler_.RunHeld();
  EXPECT_GT(scheduler_.clock().looks - before, 3);  // whether 20 seconds are over
  EXPECT_LT(scheduler_.clock().looks - before, 10);
  EXPECT_EQ(chosen_.size(), 1U);
}

TEST_F(SearchAgentTest, StopsWhenItsDecisionEnds) {
  Sit({{"iterations", 100'000'000}, {"seed", 1}});
  Ask();
  seat_.Withdraw();
  scheduler_.Run();
  scheduler_.RunHeld();  // it would take minutes
  EXPECT_THAT(chosen_, IsEmpty());
  Ask();
  ASSERT_EQ(scheduler_.held.size(), 1U);
  seat_.Dismiss();
  scheduler_.RunHeld();
  EXPECT_THAT(chosen_, IsEmpty());
}

TEST_F(SearchAgentTest, DoesNotSearchWhereThereIsOneMove) {
  state_ = game_->NewGame(json::Object{{"rows", 2}, {"columns", 1}}, 1, {"ann", "ben"}).value();
  Sit({{"iterations", 100}});
  Ask();
  EXPECT_THAT(scheduler_.held, IsEmpty());
  EXPECT_THAT(chosen_, ElementsAre(R"({"column":0})"));
}

TEST_F(SearchAgentTest, GivesUpWhereTheRulesAreElsewhere) {
  Sit({});
  Ask(false);
  EXPECT_THAT(ends_, ElementsAre(DecisionEnd::kGaveUp));
}

TEST_F(SearchAgentTest, DrawsNoSampleOnTheLoop) {
  for (const char* redeal : kAlwaysWrong) {
    ends_.clear();
    PlayWithRedeal(redeal);
    Sit({{"iterations", 20}, {"seed", 1}, {"threads", 2}});
    Ask();
    EXPECT_THAT(ends_, IsEmpty());
    scheduler_.RunHeld();
    EXPECT_THAT(ends_, ElementsAre(DecisionEnd::kGaveUp)) << redeal;
    EXPECT_THAT(chosen_, IsEmpty());
  }
}

TEST_F(SearchAgentTest, PlaysOnWhereSamplesAreWrong) {
  for (const std::string& redeal : LaterWrong(2)) {
    chosen_.clear();
    PlayWithRedeal(redeal);
    Sit({{"iterations", 12}, {"seed", 1}});
    Ask();
    scheduler_.RunHeld();
    EXPECT_THAT(chosen_, ElementsAre(::testing::HasSubstr("column"))) << redeal;
  }
}

// Mistakes are those that a person makes: what is nearly as good is chosen now and then, what loses hardly ever.
TEST(SearchLevels, LowLevelsMakePlausibleMistakes) {
  SearchResult found;
  found.moves = {{.move = 0, .value = 0.6, .visits = 50, .share = 1},
                 {.move = 1, .value = 0.55, .visits = 20},
                 {.move = 2, .value = 0.1, .visits = 5}};
  Rng rng(1);
  std::array<int, 3> of_newcomer{};
  std::array<int, 3> of_master{};
  for (int i = 0; i < 1000; ++i) {
    ++of_newcomer[ChooseAt(LevelAt("connectm", 2), found, rng)];
    ++of_master[ChooseAt(LevelAt("connectm", 8), found, rng)];
  }
  EXPECT_EQ(of_master[0], 1000);
  EXPECT_GT(of_newcomer[1], 250);
  EXPECT_LT(of_newcomer[2], 80);
  EXPECT_GT(of_newcomer[2], 0);
}

TEST(SearchLevels, RiseWithTheirNumber) {
  for (const char* game : {"connectm", "netrunner"}) {
    for (int level = 2; level <= kLevels; ++level) {
      EXPECT_GE(LevelAt(game, level).iterations, LevelAt(game, level - 1).iterations);
      EXPECT_LE(LevelAt(game, level).slip, LevelAt(game, level - 1).slip);
    }
  }
}

}  // namespace
}  // namespace openseat::search
