#include <gtest/gtest.h>

#include "games/netrunner/play_test_support.h"

namespace openseat::games::netrunner {
namespace {

// --- Anarch ---

TEST(Anarch, LoupGainsAndDrawsForTheFirstTrashOfATurn) {
  TestGame game({.runner = "René \"Loup\" Arcemont: Party Animal", .corp_hand = {"Nico Campaign", "Nico Campaign"}});
  game.Play("Nico Campaign", "New remote");
  game.Play("Nico Campaign", "New remote");
  game.EndTurn();
  game.Run("Server 1");
  game.RunOn();
  game.Do("trash");
  EXPECT_EQ(game.runner_credits(), 5 - 2 + 1);
  EXPECT_EQ(game.grip(), 6);
  game.Run("Server 2");
  game.RunOn();
  game.Do("trash");
  EXPECT_EQ(game.runner_credits(), 4 - 2);
  EXPECT_EQ(game.grip(), 6);
}

TEST(Anarch, LoupCountsNoOtherTrashing) {
  TestGame game = Guarded("Ballista", {.runner = "René \"Loup\" Arcemont: Party Animal", .runner_hand = {"Marjanah"}});
  game.Play("Marjanah");
  game.Run("HQ");
  game.Continue();
  game.Choose("Trash a program");
  EXPECT_EQ(game.runner_credits(), 5);
}

TEST(Anarch, WildcatStrikeLetsTheCorpChoose) {
  TestGame game = RunnersTurn({.runner_hand = {"Wildcat Strike", "Wildcat Strike"}});
  game.Play("Wildcat Strike");
  EXPECT_EQ(game.state.prompt.side, Side::kCorp);
  game.Choose("Runner gains 6 [Credits]");
  EXPECT_EQ(game.runner_credits(), 5 - 2 + 6);
  game.Play("Wildcat Strike");
  game.Choose("Runner draws 4 cards");
  EXPECT_EQ(game.grip(), 3 + 4);
}

TEST(Anarch, WildcatStrikeDrawsWhatIsThere) {
  TestGame game = RunnersTurn({.runner_hand = {"Wildcat Strike"}, .runner_rest = 2});
  game.Play("Wildcat Strike");
  game.Choose("Runner draws 4 cards");
  EXPECT_EQ(game.grip(), 4 + 2);
}

TEST(Anarch, CarnivoreTrashesAnythingOnceATurn) {
  TestGame game = RunnersTurn({.corp_hand = {"Palisade", "Palisade", "Palisade", "Palisade", "Palisade"},
                               .runner_hand = {"Carnivore"},
                               .corp_filler = "Palisade"});
  game.Play("Carnivore");
  EXPECT_EQ(MemoryLimit(game.state), 5);
  game.Run("HQ");
  game.RunOn();
  EXPECT_EQ(game.Options(),
            (std::vector<std::string>{"[Carnivore] Trash 2 cards from your hand: Trash card", "No action"}));
  game.Choose("[Carnivore] Trash 2 cards from your hand: Trash card");
  game.Select("Sure Gamble");
  game.Select("Sure Gamble");
  EXPECT_EQ(game.grip(), 2);
  EXPECT_TRUE(game.state[game.state.corp().discard.back()].faceup);
  game.Run("HQ");
  game.RunOn();
  EXPECT_EQ(game.Options(), std::vector<std::string>{"No action"});
}

TEST(Anarch, CarnivoreKeepsAnAgendaFromBeingStolenAndCountsForLoup) {
  TestGame game({.runner = "René \"Loup\" Arcemont: Party Animal",
                 .corp_hand = {"Offworld Office"},
                 .runner_hand = {"Carnivore"}});
  game.Play("Offworld Office", "New remote");
  game.EndTurn();
  game.Play("Carnivore");
  game.Run("Server 1");
  game.RunOn();
  game.Choose("[Carnivore] Trash 2 cards from your hand: Trash card");
  game.Select("Sure Gamble");
  game.Select("Sure Gamble");
  EXPECT_TRUE(game.In("Offworld Office", Zone::kDiscard));
  EXPECT_EQ(Points(game.state, Side::kRunner), 0);
  EXPECT_EQ(game.runner_credits(), 1 + 1);
  EXPECT_EQ(game.grip(), 2 + 1);
}

TEST(Anarch, CarnivoreIsNotOfferedWhereTheRunnerCannotTrash) {
  TestGame game = Guarded("Ansel 1.0", {.runner_hand = {"Carnivore", "Smartware Distributor"}});
  game.Play("Carnivore");
  game.Play("Smartware Distributor");
  game.Run("HQ");
  game.Continue();
  game.Select("Smartware Distributor");
  game.RunOn();
  EXPECT_EQ(game.Options(), std::vector<std::string>{"No action"});
}

TEST(Anarch, BotulusBreaksItsHostByVirusCounters) {
  TestGame game = Guarded("Palisade", {.runner_hand = {"Botulus"}});
  game.Play("Botulus");
  game.Select("Palisade");
  EXPECT_EQ(game.On("Botulus").virus, 1);
  EXPECT_EQ(MemoryUsed(game.state), 1);
  game.Run("HQ");
  game.Ability("Botulus");
  EXPECT_EQ(game.On("Botulus").virus, 0);
  game.RunOn();
  EXPECT_TRUE(game.state.run.successful);
  game.Choose("No action");
  game.EndTurn();
  game.EndTurn();
  EXPECT_EQ(game.On("Botulus").virus, 1);
}

TEST(Anarch, BotulusNeedsAnIce) {
  TestGame game = RunnersTurn({.runner_hand = {"Botulus"}});
  EXPECT_FALSE(game.CanWith("play", "Botulus"));
}

TEST(Anarch, BuzzsawBreaksTwoCodeGateSubroutinesForOneCredit) {
  TestGame game = Guarded("Whitespace", {.runner_hand = {"Buzzsaw"}});
  game.Play("Buzzsaw");
  game.Run("HQ");
  game.Ability("Buzzsaw");
  game.Choose("Make the Runner lose 3 [Credits]");
  game.Choose("End the run if the Runner has 6 [Credits] or less");
  EXPECT_EQ(game.Broken(), 2);
  EXPECT_EQ(game.runner_credits(), 0);
}

TEST(Anarch, BuzzsawMayBreakOnlyOneAndGetsStronger) {
  TestGame game = Guarded("Whitespace", {.runner_hand = {"Buzzsaw", "Sure Gamble"}});
  game.Play("Sure Gamble");
  game.Play("Buzzsaw");
  game.Run("HQ");
  game.Ability("Buzzsaw", 1);
  EXPECT_EQ(game.StrengthOf("Buzzsaw"), 4);
  EXPECT_EQ(game.runner_credits(), 2);
  game.Ability("Buzzsaw");
  game.Choose("Make the Runner lose 3 [Credits]");
  game.Done();
  EXPECT_EQ(game.Broken(), 1);
  EXPECT_EQ(game.runner_credits(), 1);
  game.Continue();
  EXPECT_FALSE(game.running());
  EXPECT_EQ(game.StrengthOf("Buzzsaw"), 3);
}

TEST(Anarch, BuzzsawBreaksNoBarriers) {
  TestGame game = Guarded("Palisade", {.runner_hand = {"Buzzsaw"}});
  game.Play("Buzzsaw");
  game.Run("HQ");
  EXPECT_FALSE(game.running());  // there was nothing to do but to be stopped
}

TEST(Anarch, CleaverBreaksTwoBarrierSubroutines) {
  TestGame game = Guarded("Pharos", {.runner_hand = {"Cleaver", "Sure Gamble"}});
  game.Play("Sure Gamble");
  game.Play("Cleaver");
  game.Run("HQ");
  EXPECT_EQ(game.Can("ability",
                     json::Object{{"card", CidOf(game.state, game.Find("Cleaver", Zone::kInstalled))}, {"ability", 0}}),
            false);
  game.Ability("Cleaver", 1);
  game.Ability("Cleaver", 1);
  EXPECT_EQ(game.StrengthOf("Cleaver"), 5);
  game.Ability("Cleaver");
  game.Choose("End the run");
  game.Choose("End the run");
  EXPECT_EQ(game.Broken(), 2);
  EXPECT_EQ(game.runner_credits(), 9 - 3 - 4 - 1);
  game.RunOn();
  EXPECT_EQ(game.state.tags, 1);
  EXPECT_TRUE(game.state.run.successful);
}

TEST(Anarch, FermenterGrowsAndIsCashedIn) {
  TestGame game = RunnersTurn({.runner_hand = {"Fermenter"}});
  game.Play("Fermenter");
  EXPECT_EQ(game.On("Fermenter").virus, 1);
  game.EndTurn();
  game.EndTurn();
  EXPECT_EQ(game.On("Fermenter").virus, 2);
  const int credits = game.runner_credits();
  game.Ability("Fermenter");
  EXPECT_EQ(game.runner_credits(), credits + 4);
  EXPECT_TRUE(game.In("Fermenter", Zone::kDiscard));
  EXPECT_EQ(game.clicks(), 3);
}

TEST(Anarch, LeechWeakensTheIceOfThisEncounter) {
  TestGame game = Guarded("Palisade", {.runner_hand = {"Leech", "Marjanah"}});
  game.Play("Leech");
  game.Play("Marjanah");
  game.RunAndAccessAll("Archives");
  EXPECT_EQ(game.On("Leech").virus, 1);
  game.Run("HQ");
  game.Ability("Leech");
  EXPECT_EQ(game.StrengthOf("Palisade"), 1);
  EXPECT_EQ(game.On("Leech").virus, 0);
  game.Ability("Marjanah");
  EXPECT_EQ(game.Broken(), 1);
  game.RunOn();
  EXPECT_EQ(game.StrengthOf("Palisade"), 2);
}

TEST(Anarch, LeechGetsNothingFromRemotes) {
  TestGame game({.corp_hand = {"Nico Campaign"}, .runner_hand = {"Leech"}});
  game.Play("Nico Campaign", "New remote");
  game.EndTurn();
  game.Play("Leech");
  game.RunAndAccessAll("Server 1");
  EXPECT_EQ(game.On("Leech").virus, 0);
}

TEST(Anarch, CookbookAddsAVirusCounter) {
  TestGame game = RunnersTurn({.runner_hand = {"Cookbook", "Leech", "Fermenter", "Marjanah"}});
  game.Play("Cookbook");
  game.Play("Leech");
  EXPECT_EQ(game.On("Leech").virus, 1);
  game.Play("Fermenter");
  EXPECT_EQ(game.On("Fermenter").virus, 2);
  game.Play("Marjanah");
  EXPECT_EQ(game.On("Marjanah").virus, 0);
}

// --- Criminal ---

TEST(Criminal, ZahyaMayBePaidForAccessesOnceATurn) {
  TestGame game = RunnersTurn({.runner = "Zahya Sadeghi: Versatile Smuggler"});
  game.RunAndAccessAll("HQ");
  game.Choose("No");
  EXPECT_EQ(game.runner_credits(), 5);
  game.RunAndAccessAll("R&D");
  game.Choose("Yes");
  EXPECT_EQ(game.runner_credits(), 6);
  game.RunAndAccessAll("HQ");
  EXPECT_EQ(game.runner_credits(), 6);
  EXPECT_EQ(game.state.prompt.kind, PromptKind::kAction);
}

TEST(Criminal, ZahyaCountsEveryAccessAndNoArchives) {
  TestGame game = RunnersTurn({.runner = "Zahya Sadeghi: Versatile Smuggler", .runner_hand = {"Jailbreak"}});
  game.RunAndAccessAll("Archives");
  EXPECT_EQ(game.state.prompt.kind, PromptKind::kAction);
  game.Play("Jailbreak");
  game.Choose("HQ");
  game.RunOn();
  game.Choose("No action");
  game.Choose("No action");
  game.Choose("Yes");
  EXPECT_EQ(game.runner_credits(), 7);
}

TEST(Criminal, MutualFavorFetchesAnIcebreaker) {
  TestGame game = RunnersTurn({.runner_hand = {"Mutual Favor"}, .runner_deck = {"Cleaver", "Carmen", "Cleaver"}});
  game.Play("Mutual Favor");
  EXPECT_EQ(game.Options(), (std::vector<std::string>{"Carmen", "Cleaver", "Cancel"}));
  game.Choose("Cleaver");
  EXPECT_TRUE(game.In("Cleaver", Zone::kHand));
  EXPECT_EQ(game.state.prompt.kind, PromptKind::kAction);
}

TEST(Criminal, MutualFavorInstallsAfterASuccessfulRun) {
  for (const bool install : {true, false}) {
    TestGame game = RunnersTurn({.runner_hand = {"Mutual Favor"}, .runner_deck = {"Carmen"}});
    game.RunAndAccessAll("Archives");
    game.Play("Mutual Favor");
    game.Choose("Carmen");
    game.Choose(install ? "Yes" : "No");
    EXPECT_EQ(game.In("Carmen", install ? Zone::kInstalled : Zone::kHand), true);
    EXPECT_EQ(game.runner_credits(), install ? 5 - 3 : 5);
  }
}

TEST(Criminal, MutualFavorMayFindNothing) {
  TestGame game = RunnersTurn({.runner_hand = {"Mutual Favor"}, .runner_deck = {"Carmen"}});
  game.Play("Mutual Favor");
  game.Choose("Cancel");
  EXPECT_TRUE(game.In("Carmen", Zone::kDeck));
  EXPECT_TRUE(game.In("Mutual Favor", Zone::kDiscard));
}

TEST(Criminal, TreadLightlyMakesIceDearer) {
  TestGame game = Guarded("Tithe", {.runner_hand = {"Tread Lightly"}});
  const int credits = game.corp_credits();
  game.Play("Tread Lightly");
  game.Choose("HQ");
  EXPECT_EQ(game.corp_credits(), credits - 1 - 3 + 1);
  EXPECT_TRUE(game.In("Tread Lightly", Zone::kPlay));
  game.RunOn();
  game.Choose("No action");
  EXPECT_TRUE(game.In("Tread Lightly", Zone::kDiscard));
  EXPECT_FALSE(Lingers(game.state, Modifier::kIceRezCost));
}

TEST(Criminal, TreadLightlyLeavesUpgradesAlone) {
  TestGame game({.corp_hand = {"Manegarm Skunkworks"}, .runner_hand = {"Tread Lightly"}});
  game.Play("Manegarm Skunkworks", "HQ");
  game.EndTurn();
  const int credits = game.corp_credits();
  game.will_rez.push_back("Manegarm Skunkworks");
  game.Play("Tread Lightly");
  if (game.state.prompt.message == Message::kChooseServer) game.Choose("HQ");
  EXPECT_EQ(game.corp_credits(), credits - 2);
}

TEST(Criminal, DocklandsPassSeesOneMoreCardOfTheFirstBreach) {
  TestGame game = RunnersTurn({.runner_hand = {"Docklands Pass"}});
  game.Play("Docklands Pass");
  game.RunAndAccessAll("HQ");
  EXPECT_EQ(game.state.run.accesses, 2);
  game.RunAndAccessAll("HQ");
  EXPECT_EQ(game.state.run.accesses, 1);
}

TEST(Criminal, DocklandsPassCountsEarlierBreaches) {
  TestGame game = RunnersTurn({.runner_hand = {"Docklands Pass"}});
  game.RunAndAccessAll("HQ");
  game.Play("Docklands Pass");
  game.RunAndAccessAll("HQ");
  EXPECT_EQ(game.state.run.accesses, 1);
}

TEST(Criminal, PennyshaverCollectsFromRuns) {
  TestGame game = RunnersTurn({.runner_hand = {"Pennyshaver"}});
  game.Play("Pennyshaver");
  EXPECT_EQ(MemoryLimit(game.state), 5);
  game.RunAndAccessAll("Archives");
  game.RunAndAccessAll("HQ");
  EXPECT_EQ(game.On("Pennyshaver").credits, 2);
  game.Ability("Pennyshaver");
  EXPECT_EQ(game.runner_credits(), 2 + 3);
  EXPECT_EQ(game.On("Pennyshaver").credits, 0);
}

TEST(Criminal, CarmenIsCheaperAfterARun) {
  TestGame dear = RunnersTurn({.runner_hand = {"Carmen"}});
  dear.Play("Carmen");
  EXPECT_EQ(dear.runner_credits(), 0);
  TestGame cheap = RunnersTurn({.runner_hand = {"Carmen"}});
  cheap.RunAndAccessAll("Archives");
  cheap.Play("Carmen");
  EXPECT_EQ(cheap.runner_credits(), 2);
}

TEST(Criminal, CarmenBreaksSentries) {
  TestGame game = Guarded("Karunā", {.runner_hand = {"Carmen", "Sure Gamble"}});
  game.Play("Sure Gamble");
  game.Play("Carmen");
  game.Run("HQ");
  game.Ability("Carmen", 1);
  EXPECT_EQ(game.StrengthOf("Carmen"), 5);
  game.Ability("Carmen");
  game.Choose("Do 2 net damage");
  game.Ability("Carmen");
  EXPECT_EQ(game.Broken(), 2);
  EXPECT_EQ(game.runner_credits(), 9 - 5 - 2 - 2);
}

TEST(Criminal, MarjanahIsCheaperAfterARun) {
  TestGame game = Guarded("Palisade", {.runner_hand = {"Marjanah"}});
  game.Play("Marjanah");
  game.Run("HQ");
  game.Ability("Marjanah", 1);
  EXPECT_EQ(game.StrengthOf("Marjanah"), 2);
  game.Ability("Marjanah");
  EXPECT_EQ(game.runner_credits(), 5 - 1 - 2);
  game.RunOn();
  game.Choose("No action");
  game.Run("HQ");
  game.Ability("Marjanah", 1);
  game.Ability("Marjanah");
  EXPECT_EQ(game.runner_credits(), 2 - 1 - 1);
}

TEST(Criminal, TranquilizerDerezzesItsHost) {
  TestGame game = Guarded("Palisade", {.runner_hand = {"Tranquilizer"}});
  game.Run("HQ");
  ASSERT_TRUE(game.On("Palisade").faceup);
  game.Play("Tranquilizer");
  game.Select("Palisade");
  for (const int counters : {2, 3}) {
    EXPECT_TRUE(game.On("Palisade").faceup);
    game.EndTurn();
    game.EndTurn();
    EXPECT_EQ(game.On("Tranquilizer").virus, counters);
  }
  EXPECT_FALSE(game.On("Palisade").faceup);
  const int credits = game.corp_credits();
  game.Run("HQ");
  EXPECT_EQ(game.corp_credits(), credits - 3);
  game.EndTurn();
  game.EndTurn();
  EXPECT_FALSE(game.On("Palisade").faceup);
}

TEST(Criminal, TranquilizerWithCookbook) {
  TestGame game = Guarded("Palisade", {.runner_hand = {"Tranquilizer", "Cookbook"}});
  game.Run("HQ");
  game.Play("Cookbook");
  game.Play("Tranquilizer");
  game.Select("Palisade");
  EXPECT_EQ(game.On("Tranquilizer").virus, 2);
  EXPECT_TRUE(game.On("Palisade").faceup);
}

TEST(Criminal, RedTeamPaysForNewCentrals) {
  TestGame game = RunnersTurn({.runner_hand = {"Red Team"}});
  game.Play("Red Team");
  EXPECT_EQ(game.On("Red Team").credits, 12);
  game.Ability("Red Team");
  EXPECT_EQ(game.Options(), (std::vector<std::string>{"HQ", "R&D", "Archives"}));
  game.Choose("HQ");
  game.RunOn();
  EXPECT_EQ(game.runner_credits(), 3);  // before the breach
  game.Choose("No action");
  game.Ability("Red Team");
  EXPECT_EQ(game.Options(), (std::vector<std::string>{"R&D", "Archives"}));
  game.Choose("R&D");
  game.Do("jack-out");
  EXPECT_EQ(game.runner_credits(), 3);
  game.Ability("Red Team");  // only Archives is left
  game.RunOn();
  EXPECT_EQ(game.runner_credits(), 6);
  EXPECT_EQ(game.On("Red Team").credits, 6);
}

TEST(Criminal, RedTeamIsTrashedWhenEmptyAndGivesNothingForOtherRuns) {
  TestGame game = RunnersTurn({.runner_hand = {"Red Team"}});
  game.Play("Red Team");
  game.RunAndAccessAll("HQ");
  EXPECT_EQ(game.runner_credits(), 0);
  for (int i = 0; i < 4; ++i) {
    game.EndTurn();
    game.EndTurn();
    game.Ability("Red Team");
    game.Choose("Archives");
    game.RunOn();
    while (game.running()) game.Choose("No action");
  }
  EXPECT_TRUE(game.In("Red Team", Zone::kDiscard));
}

}  // namespace
}  // namespace openseat::games::netrunner
