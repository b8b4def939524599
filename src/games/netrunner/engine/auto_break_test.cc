#include "games/netrunner/engine/auto_break.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "games/netrunner/play_test_support.h"

namespace openseat::games::netrunner {
namespace {

using ::testing::Contains;

// The Corp's ice protects HQ, and it is the Runner's turn with the icebreaker installed.
TestGame RunAt(std::string_view ice, std::string_view breaker, int credits) {
  TestGame game({.corp_hand = {ice}, .runner_hand = {breaker}});
  game.Play(ice, "HQ");
  game.state.corp().credits = 20;
  game.EndTurn();
  game.state.runner().credits = 20;
  game.Play(breaker);
  game.state.runner().credits = static_cast<std::int16_t>(credits);
  game.WillRez(ice);
  game.Run("HQ");
  return game;
}

TEST(AutoBreak, MatchesTheStrengthAndBreaksEverythingAtThePriceThatIsShown) {
  TestGame game = RunAt("Karunā", "Carmen", 20);
  ASSERT_TRUE(Encountering(game.state)) << game.LogText();
  const Inst carmen = game.Find("Carmen", Zone::kInstalled);
  const std::optional<BreakPlan> plan = PlanBreak(game.state, carmen);
  ASSERT_TRUE(plan.has_value());
  EXPECT_EQ(plan->subroutines, 2);
  EXPECT_GT(plan->boosts, 0);
  game.AutoBreak("Carmen");
  EXPECT_EQ(game.runner_credits(), 20 - plan->credits);
  EXPECT_EQ(game.grip(), 4) << "nothing fired";
  game.RunOn();
  EXPECT_EQ(game.state.run.successful, true);
}

TEST(AutoBreak, IsOfferedOnlyWhereAllOfItCanBePaid) {
  TestGame rich = RunAt("Karunā", "Carmen", 20);
  const int price = PlanBreak(rich.state, rich.Find("Carmen", Zone::kInstalled))->credits;
  EXPECT_TRUE(RunAt("Karunā", "Carmen", price).CanWith("auto-break", "Carmen"));
  EXPECT_FALSE(RunAt("Karunā", "Carmen", price - 1).CanWith("auto-break", "Carmen"));
}

TEST(AutoBreak, IsNotOfferedWhereOneUseDoesTheSame) {
  const TestGame game = RunAt("Palisade", "Cleaver", 20);
  ASSERT_TRUE(Encountering(game.state));
  EXPECT_TRUE(PlanBreak(game.state, game.Find("Cleaver", Zone::kInstalled)).has_value());
  EXPECT_FALSE(game.CanWith("auto-break", "Cleaver"));
}

TEST(AutoBreak, IsNotOfferedForIceOfAnotherKind) {
  EXPECT_FALSE(RunAt("Karunā", "Cleaver", 20).CanWith("auto-break", "Cleaver"));
}

TEST(AutoBreak, CameWithVersion2) {
  TestGame game({.corp_hand = {"Karunā"}, .runner_hand = {"Carmen"}, .rules = 1});
  game.Play("Karunā", "HQ");
  game.state.corp().credits = 20;
  game.EndTurn();
  game.state.runner().credits = 20;
  game.Play("Carmen");
  game.WillRez("Karunā");
  game.Run("HQ");
  ASSERT_TRUE(Encountering(game.state));
  EXPECT_FALSE(game.CanWith("auto-break", "Carmen"));
}

}  // namespace
}  // namespace openseat::games::netrunner
