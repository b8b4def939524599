#include <gtest/gtest.h>

#include "games/netrunner/play_test_support.h"

namespace openseat::games::netrunner {
namespace {

// --- Shaper ---

TEST(Shaper, TaoMaySwapIceWhenAnAgendaIsStolen) {
  TestGame game(
      {.runner = "Tāo Salonga: Telepresence Magician", .corp_hand = {"Offworld Office", "Palisade", "Tithe"}});
  game.Play("Palisade", "HQ");
  game.Play("Tithe", "R&D");
  game.Play("Offworld Office", "New remote");
  game.EndTurn();
  game.Run("Server 1");
  game.RunOn();
  game.Choose("Steal");
  EXPECT_EQ(game.state.prompt.side, Side::kRunner);
  EXPECT_EQ(game.Message(), "Swap 2 pieces of ice?");
  game.Choose("Yes");  // the only two there are
  EXPECT_EQ(game.On("Palisade").server, kRndServer);
  EXPECT_EQ(game.On("Tithe").server, kHqServer);
}

TEST(Shaper, TaoSwapsTwoOfThreeWhenTheCorpScores) {
  TestGame game({.runner = "Tāo Salonga: Telepresence Magician",
                 .corp_hand = {"Offworld Office", "Palisade", "Tithe", "Whitespace"}});
  game.Play("Palisade", "New remote");
  game.Play("Tithe", "R&D");
  game.Play("Whitespace", "HQ");
  game.EndTurn();
  game.EndTurn();
  game.InstallAndScore("Offworld Office");
  game.Choose("Yes");
  EXPECT_TRUE(game.Options().empty());
  game.Select("Palisade");
  game.Select("Tithe");
  EXPECT_EQ(game.On("Palisade").server, kRndServer);
  EXPECT_EQ(game.StrengthOf("Palisade"), 2);
  EXPECT_EQ(game.On("Whitespace").server, kHqServer);
}

TEST(Shaper, TaoIsNotAskedWithLessThanTwoIceAndMayDecline) {
  TestGame one({.runner = "Tāo Salonga: Telepresence Magician", .corp_hand = {"Offworld Office", "Palisade"}});
  one.Play("Palisade", "HQ");
  one.Play("Offworld Office", "New remote");
  one.EndTurn();
  one.RunAndAccessAll("Server 1");
  EXPECT_EQ(one.state.prompt.kind, PromptKind::kAction);
  TestGame two({.runner = "Tāo Salonga: Telepresence Magician", .corp_hand = {"Offworld Office", "Palisade", "Tithe"}});
  two.Play("Palisade", "HQ");
  two.Play("Tithe", "R&D");
  two.Play("Offworld Office", "New remote");
  two.EndTurn();
  two.Run("Server 1");
  two.RunOn();
  two.Choose("Steal");
  two.Choose("No");
  EXPECT_EQ(two.On("Palisade").server, kHqServer);
}

TEST(Shaper, CreativeCommissionCostsAClickMore) {
  TestGame game = RunnersTurn({.runner_hand = {"Creative Commission"}});
  game.Play("Creative Commission");
  EXPECT_EQ(game.runner_credits(), 5 - 1 + 5);
  EXPECT_EQ(game.clicks(), 2);
}

TEST(Shaper, CreativeCommissionWithTheLastClick) {
  TestGame game = RunnersTurn({.runner_hand = {"Creative Commission"}});
  game.Credit(3);
  game.Play("Creative Commission");
  EXPECT_EQ(game.runner_credits(), 8 - 1 + 5);
  EXPECT_EQ(game.clicks(), 0);
}

TEST(Shaper, VrcationDrawsFour) {
  TestGame game = RunnersTurn({.runner_hand = {"VRcation"}});
  game.Play("VRcation");
  EXPECT_EQ(game.grip(), 8);
  EXPECT_EQ(game.clicks(), 2);
}

TEST(Shaper, DzmzOptimizerMakesTheFirstProgramCheaper) {
  TestGame game = RunnersTurn({.runner_hand = {"DZMZ Optimizer", "Fermenter", "Leech"}});
  game.Play("DZMZ Optimizer");
  EXPECT_EQ(MemoryLimit(game.state), 5);
  game.Play("Fermenter");
  EXPECT_EQ(game.runner_credits(), 3);
  game.Play("Leech");
  EXPECT_EQ(game.runner_credits(), 2);
}

TEST(Shaper, DzmzOptimizersAddUpButNotAfterTheFirstProgram) {
  TestGame two = RunnersTurn({.runner_hand = {"DZMZ Optimizer", "DZMZ Optimizer", "Tranquilizer", "Cleaver"}});
  two.Play("DZMZ Optimizer");
  two.Play("DZMZ Optimizer");
  two.Play("Cleaver");
  EXPECT_EQ(two.runner_credits(), 0);
  TestGame late = RunnersTurn({.runner_hand = {"DZMZ Optimizer", "Leech", "Fermenter"}});
  late.Play("Leech");
  late.Play("DZMZ Optimizer");
  late.Play("Fermenter");
  EXPECT_EQ(late.runner_credits(), 5 - 1 - 2 - 1);
}

TEST(Shaper, PantographPaysAndInstallsWhenTheRunnerSteals) {
  TestGame game({.corp_hand = {"Offworld Office"}, .runner_hand = {"Pantograph", "Fermenter", "Cleaver"}});
  game.Play("Offworld Office", "New remote");
  game.EndTurn();
  game.Play("Pantograph");
  EXPECT_EQ(MemoryLimit(game.state), 5);
  game.Run("Server 1");
  game.RunOn();
  game.Choose("Steal");
  EXPECT_EQ(game.runner_credits(), 4);
  game.Select("Cleaver");
  EXPECT_EQ(game.runner_credits(), 1);
  EXPECT_TRUE(game.In("Cleaver", Zone::kInstalled));
  EXPECT_EQ(game.clicks(), 2);
}

TEST(Shaper, PantographWorksWhenTheCorpScoresAndMayInstallNothing) {
  TestGame game({.corp_hand = {"Offworld Office"}, .runner_hand = {"Pantograph", "Fermenter"}});
  game.EndTurn();
  game.Play("Pantograph");
  game.EndTurn();
  game.Play("Offworld Office", "New remote");
  game.AdvanceFully("Offworld Office");
  const int credits = game.runner_credits();
  game.Score("Offworld Office");
  game.Done();
  EXPECT_EQ(game.runner_credits(), credits + 1);
  EXPECT_TRUE(game.In("Fermenter", Zone::kHand));
}

TEST(Shaper, ConduitDigsDeeperWithEachCounter) {
  TestGame game = RunnersTurn({.runner_hand = {"Conduit"}});
  game.Play("Conduit");
  game.Ability("Conduit");
  game.RunOn();
  game.AccessAll();
  EXPECT_EQ(game.state.run.accesses, 1);
  EXPECT_EQ(game.Message(), "Place 1 virus counter on Conduit?");
  game.Choose("Yes");
  EXPECT_EQ(game.On("Conduit").virus, 1);
  game.Ability("Conduit");
  game.RunOn();
  game.AccessAll();
  EXPECT_EQ(game.state.run.accesses, 2);
  game.Choose("No");
  EXPECT_EQ(game.On("Conduit").virus, 1);
  game.RunAndAccessAll("R&D");
  EXPECT_EQ(game.state.run.accesses, 1);
  game.Choose("Yes");
  EXPECT_EQ(game.On("Conduit").virus, 2);
}

TEST(Shaper, ConduitGetsNothingFromOtherServersOrFailedRuns) {
  TestGame game = RunnersTurn({.runner_hand = {"Conduit"}});
  game.Play("Conduit");
  game.RunAndAccessAll("HQ");
  EXPECT_EQ(game.state.prompt.kind, PromptKind::kAction);
  game.Ability("Conduit");
  game.Do("jack-out");
  EXPECT_EQ(game.state.prompt.kind, PromptKind::kAction);
}

TEST(Shaper, EchelonIsAsStrongAsThereAreIcebreakers) {
  TestGame game = Guarded("Karunā", {.runner_hand = {"Echelon", "Marjanah", "Leech"}});
  game.Play("Echelon");
  EXPECT_EQ(game.StrengthOf("Echelon"), 1);
  game.Play("Marjanah");
  EXPECT_EQ(game.StrengthOf("Echelon"), 2);
  game.Play("Leech");
  EXPECT_EQ(game.StrengthOf("Echelon"), 2);
  game.EndTurn();
  game.EndTurn();
  game.Credit(3);
  game.Run("HQ");
  game.Ability("Echelon", 1);
  EXPECT_EQ(game.StrengthOf("Echelon"), 4);
  game.Ability("Echelon");
  game.Choose("Do 2 net damage");
  EXPECT_EQ(game.Broken(), 1);
}

TEST(Shaper, UnityGrowsWithTheIcebreakers) {
  TestGame game = Guarded("Diviner", {.runner_hand = {"Unity", "Marjanah"}});
  game.Play("Unity");
  game.Play("Marjanah");
  game.Run("HQ");
  EXPECT_EQ(game.StrengthOf("Unity"), 1);
  game.Ability("Unity", 1);
  EXPECT_EQ(game.StrengthOf("Unity"), 3);
  game.Ability("Unity");
  EXPECT_EQ(game.Broken(), 1);
  EXPECT_EQ(game.runner_credits(), 0);
}

TEST(Shaper, TeleworkContractPaysOnceATurn) {
  TestGame game = RunnersTurn({.runner_hand = {"Telework Contract"}});
  game.Play("Telework Contract");
  EXPECT_EQ(game.On("Telework Contract").credits, 9);
  game.Ability("Telework Contract");
  EXPECT_EQ(game.runner_credits(), 7);
  EXPECT_FALSE(game.CanWith("ability", "Telework Contract"));
  for (int i = 0; i < 2; ++i) {
    game.EndTurn();
    game.EndTurn();
    game.Ability("Telework Contract");
  }
  EXPECT_TRUE(game.In("Telework Contract", Zone::kDiscard));
}

// --- Neutral ---

TEST(NeutralRunner, JailbreakDrawsAndSeesOneMore) {
  TestGame game = RunnersTurn({.runner_hand = {"Jailbreak", "Docklands Pass"}});
  game.Play("Docklands Pass");
  game.Play("Jailbreak");
  EXPECT_EQ(game.Options(), (std::vector<std::string>{"HQ", "R&D"}));
  game.Choose("HQ");
  EXPECT_TRUE(game.In("Jailbreak", Zone::kPlay));
  game.RunOn();
  EXPECT_EQ(game.grip(), 4);
  game.AccessAll();
  EXPECT_EQ(game.state.run.accesses, 3);
  EXPECT_TRUE(game.In("Jailbreak", Zone::kDiscard));
}

TEST(NeutralRunner, AFailedJailbreakGivesNothing) {
  TestGame game = RunnersTurn({.runner_hand = {"Jailbreak"}});
  game.Play("Jailbreak");
  game.Choose("R&D");
  game.Do("jack-out");
  EXPECT_EQ(game.grip(), 4);
  game.RunAndAccessAll("R&D");
  EXPECT_EQ(game.grip(), 4);
  EXPECT_EQ(game.state.run.accesses, 1);
}

TEST(NeutralRunner, OverclockLendsFiveCredits) {
  TestGame game({.corp_hand = {"Nico Campaign"}, .runner_hand = {"Overclock"}});
  game.Play("Nico Campaign", "New remote");
  game.EndTurn();
  game.Play("Overclock");
  game.Choose("Server 1");
  EXPECT_EQ(Spendable(game.state, Side::kRunner), 9);
  game.RunOn();
  game.Do("trash");
  EXPECT_EQ(game.Options(), (std::vector<std::string>{"0", "1", "2"}));
  game.Choose("2");
  EXPECT_EQ(game.runner_credits(), 4);
  EXPECT_EQ(Spendable(game.state, Side::kRunner), 4);
  EXPECT_TRUE(game.In("Overclock", Zone::kDiscard));
}

TEST(NeutralRunner, OverclockCreditsAreNotInThePool) {
  TestGame game = Guarded("Whitespace", {.runner_hand = {"Overclock"}});
  game.Credit();
  game.Play("Overclock");
  game.Choose("HQ");
  EXPECT_EQ(game.runner_credits(), 2);
  EXPECT_FALSE(game.running());
}

TEST(NeutralRunner, OverclockMayPaySpecialCosts) {
  TestGame game({.corp_hand = {"Manegarm Skunkworks"}, .runner_hand = {"Overclock"}});
  game.Play("Manegarm Skunkworks", "HQ");
  game.Rez("Manegarm Skunkworks");
  game.EndTurn();
  game.Play("Overclock");
  game.Choose("HQ");
  game.RunOn();
  game.Choose("Pay 5 [Credits]");
  game.Choose("5");
  EXPECT_EQ(game.runner_credits(), 4);
  EXPECT_TRUE(game.state.run.successful);
}

TEST(NeutralRunner, SureGambleGainsNine) {
  TestGame game = RunnersTurn({});
  game.Play("Sure Gamble");
  EXPECT_EQ(game.runner_credits(), 9);
  TestGame poor = RunnersTurn({.runner_hand = {"Telework Contract"}});
  poor.Play("Telework Contract");
  EXPECT_FALSE(poor.CanWith("play", "Sure Gamble"));
}

TEST(NeutralRunner, T400MemoryDiamondsStack) {
  TestGame game = RunnersTurn({.runner_hand = {"T400 Memory Diamond", "T400 Memory Diamond"}});
  game.Play("T400 Memory Diamond");
  game.Play("T400 Memory Diamond");
  EXPECT_EQ(MemoryLimit(game.state), 6);
  EXPECT_EQ(MaxHandSize(game.state, Side::kRunner), 7);
}

TEST(NeutralRunner, MayflyBreaksAnythingAndIsGoneWithTheRun) {
  TestGame game = Guarded("Whitespace", {.runner_hand = {"Mayfly"}});
  game.Play("Mayfly");
  EXPECT_EQ(MemoryUsed(game.state), 2);
  game.Run("HQ");
  game.Ability("Mayfly", 1);
  EXPECT_EQ(game.StrengthOf("Mayfly"), 2);
  game.Ability("Mayfly");
  game.Choose("Make the Runner lose 3 [Credits]");
  game.Ability("Mayfly");
  EXPECT_TRUE(game.In("Mayfly", Zone::kInstalled));
  game.Do(game.state.prompt.kind == PromptKind::kJackOut ? "jack-out" : "continue");
  if (game.running()) game.Do("jack-out");
  EXPECT_TRUE(game.In("Mayfly", Zone::kDiscard));
  EXPECT_EQ(game.runner_credits(), 4 - 3);
}

TEST(NeutralRunner, MayflyStaysWhereItOnlyGrew) {
  TestGame game = Guarded("Palisade", {.runner_hand = {"Mayfly"}});
  game.Play("Mayfly");
  game.Run("HQ");
  game.Ability("Mayfly", 1);
  game.Continue();
  EXPECT_FALSE(game.running());
  EXPECT_TRUE(game.In("Mayfly", Zone::kInstalled));
}

TEST(NeutralRunner, SmartwareDistributorPaysEachTurn) {
  TestGame game = RunnersTurn({.runner_hand = {"Smartware Distributor"}});
  game.Play("Smartware Distributor");
  game.Ability("Smartware Distributor");
  EXPECT_EQ(game.On("Smartware Distributor").credits, 3);
  for (const int left : {2, 1, 0, 0}) {
    game.EndTurn();
    const int credits = game.runner_credits();
    const int had = game.On("Smartware Distributor").credits;
    game.EndTurn();
    EXPECT_EQ(game.On("Smartware Distributor").credits, left);
    EXPECT_EQ(game.runner_credits(), credits + had - left);
  }
  EXPECT_TRUE(game.In("Smartware Distributor", Zone::kInstalled));
}

TEST(NeutralRunner, VerbalPlasticityDrawsTwoTheFirstTime) {
  TestGame game = RunnersTurn({.runner_hand = {"Verbal Plasticity"}});
  game.Play("Verbal Plasticity");
  game.Draw();
  EXPECT_EQ(game.grip(), 6);
  game.Draw();
  EXPECT_EQ(game.grip(), 7);
}

TEST(NeutralRunner, VerbalPlasticityCountsEarlierDrawsAndOnlyTheBasicOne) {
  TestGame late = RunnersTurn({.runner_hand = {"Verbal Plasticity"}});
  late.Draw();
  late.Play("Verbal Plasticity");
  late.Draw();
  EXPECT_EQ(late.grip(), 6);
  TestGame other = RunnersTurn({.runner_hand = {"Verbal Plasticity", "VRcation"}});
  other.Play("Verbal Plasticity");
  other.Play("VRcation");
  EXPECT_EQ(other.grip(), 7);
  other.Draw();
  EXPECT_EQ(other.grip(), 9);
}

}  // namespace
}  // namespace openseat::games::netrunner
