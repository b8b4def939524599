#include <gtest/gtest.h>

#include "games/netrunner/play_test_support.h"

namespace openseat::games::netrunner {
namespace {

// --- Haas-Bioroid ---

TEST(HaasBioroid, PrecisionDesignHoldsSixCardsAndTakesOneBackWhenItScores) {
  TestGame game({.corp = "Haas-Bioroid: Precision Design", .corp_hand = {"Offworld Office", "Hedge Fund"}});
  EXPECT_EQ(MaxHandSize(game.state, Side::kCorp), 6);
  game.Play("Hedge Fund");
  ASSERT_EQ(game.state.corp().discard.size(), 1u);
  game.InstallAndScore("Offworld Office");
  game.Choose("Haas-Bioroid: Precision Design");
  const int hq = game.hq();
  game.Select("Hedge Fund");
  EXPECT_EQ(game.hq(), hq + 1);
  EXPECT_TRUE(game.In("Offworld Office", Zone::kScore));
}

TEST(HaasBioroid, PrecisionDesignMayLeaveArchivesAlone) {
  TestGame game({.corp = "Haas-Bioroid: Precision Design", .corp_hand = {"Luminal Transubstantiation", "Hedge Fund"}});
  game.Play("Hedge Fund");
  game.InstallAndScore("Luminal Transubstantiation");
  game.Choose("Luminal Transubstantiation");
  const int hq = game.hq();
  game.Done();
  EXPECT_EQ(game.hq(), hq);
}

TEST(HaasBioroid, LuminalGivesThreeClicksAndForbidsToScore) {
  TestGame game({.corp_hand = {"Luminal Transubstantiation", "Superconducting Hub"}});
  game.Play("Superconducting Hub", "New remote");
  game.AdvanceFully("Superconducting Hub");
  game.EndTurn();
  game.EndTurn();
  game.Play("Luminal Transubstantiation", "New remote");
  game.AdvanceFully("Luminal Transubstantiation");
  const int clicks = game.clicks();
  game.Score("Luminal Transubstantiation");
  EXPECT_EQ(game.clicks(), clicks + 3);
  EXPECT_FALSE(game.CanWith("score", "Superconducting Hub"));
  game.EndTurn();
  game.EndTurn();
  EXPECT_TRUE(game.CanWith("score", "Superconducting Hub"));
}

TEST(HaasBioroid, NicoCampaignPaysThreeTimesAndLeavesACard) {
  TestGame game({.corp_hand = {"Nico Campaign"}});
  game.Play("Nico Campaign", "New remote");
  game.Rez("Nico Campaign");
  EXPECT_EQ(game.On("Nico Campaign").credits, 9);
  for (const int left : {6, 3}) {
    game.EndTurn();
    game.PassTurn();
    const int credits = game.corp_credits();
    game.StartTurn();
    EXPECT_EQ(game.corp_credits(), credits + 3);
    EXPECT_EQ(game.On("Nico Campaign").credits, left);
  }
  game.EndTurn();
  game.PassTurn();
  const int hq = game.hq();
  game.StartTurn();
  EXPECT_EQ(game.hq(), hq + 2);
  EXPECT_TRUE(game.state[game.Find("Nico Campaign", Zone::kDiscard)].faceup);
}

TEST(HaasBioroid, NicoCampaignRezzedBeforeTheTurnPaysAtOnce) {
  TestGame game({.corp_hand = {"Nico Campaign"}});
  game.Play("Nico Campaign", "New remote");
  game.EndTurn();
  game.PassTurn();
  const int credits = game.corp_credits();
  game.Rez("Nico Campaign");
  game.StartTurn();
  EXPECT_EQ(game.corp_credits(), credits - 2 + 3);
}

TEST(HaasBioroid, TheRunnerTrashesNicoCampaignAndNothingIsDrawn) {
  TestGame game({.corp_hand = {"Nico Campaign"}});
  game.Play("Nico Campaign", "New remote");
  game.Rez("Nico Campaign");
  game.EndTurn();
  game.Run("Server 1");
  game.RunOn();
  const int hq = game.hq();
  game.Do("trash");
  EXPECT_EQ(game.hq(), hq);
  EXPECT_EQ(game.runner_credits(), 3);
  EXPECT_TRUE(game.In("Nico Campaign", Zone::kDiscard));
}

TEST(HaasBioroid, AnselTrashesInstallsAndBars) {
  TestGame game = Guarded("Ansel 1.0", {.corp_hand = {"Nico Campaign"}, .runner_hand = {"Telework Contract"}});
  game.Play("Telework Contract");
  game.Run("HQ");
  game.Continue();
  EXPECT_FALSE(game.In("Telework Contract", Zone::kInstalled));
  EXPECT_EQ(game.Message(), "Choose a card to install from HQ or Archives");
  game.Select("Nico Campaign");
  game.Choose("New remote");
  EXPECT_TRUE(game.In("Nico Campaign", Zone::kInstalled));
  game.RunOn();
  EXPECT_EQ(game.Options(), std::vector<std::string>{"No action"});
}

TEST(HaasBioroid, AnselLetsTheCorpChooseWhatIsTrashed) {
  TestGame game = Guarded("Ansel 1.0", {.runner_hand = {"Telework Contract", "Smartware Distributor"}});
  game.Play("Telework Contract");
  game.Play("Smartware Distributor");
  game.Run("HQ");
  game.Continue();
  EXPECT_EQ(game.state.prompt.side, Side::kCorp);
  game.Select("Smartware Distributor");
  EXPECT_TRUE(game.In("Telework Contract", Zone::kInstalled));
  EXPECT_TRUE(game.In("Smartware Distributor", Zone::kDiscard));
}

TEST(HaasBioroid, AnselForbidsToStealForThisRunOnly) {
  TestGame game = Guarded("Ansel 1.0", {.corp_hand = {"Offworld Office", "Offworld Office"},
                                        .corp_deck = {"Offworld Office"},
                                        .corp_filler = "Offworld Office"});
  game.Run("HQ");
  game.Continue();
  game.Done();
  game.RunOn();
  game.Choose("No action");
  EXPECT_TRUE(game.state.runner().score.empty());
  game.Run("R&D");
  game.RunOn();
  game.Choose("Steal");
  EXPECT_EQ(Points(game.state, Side::kRunner), 2);
}

TEST(HaasBioroid, BioroidsAreBrokenByClicks) {
  TestGame game = Guarded("Ansel 1.0");
  game.Run("HQ");
  game.BreakByClick("Ansel 1.0");
  game.Choose("Install a card from HQ or Archives");
  EXPECT_EQ(game.Broken(), 1);
  EXPECT_EQ(game.clicks(), 2);
  game.BreakByClick("Ansel 1.0");
  game.Choose("Trash an installed Runner card");
  game.BreakByClick("Ansel 1.0");  // the only one left
  EXPECT_EQ(game.clicks(), 0);
  EXPECT_EQ(game.state.prompt.kind, PromptKind::kJackOut);  // nothing was left to do or to resolve
}

TEST(HaasBioroid, BranInstallsAnIceThatTheRunnerMeetsNext) {
  TestGame game = Guarded("Brân 1.0", {.corp_hand = {"Palisade"}});
  game.Run("HQ");
  game.BreakByClick("Brân 1.0");
  game.Choose("End the run");
  game.BreakByClick("Brân 1.0");
  game.Choose("End the run");
  game.will_rez.push_back("Palisade");
  game.Continue();
  const int credits = game.corp_credits();
  game.Select("Palisade");
  EXPECT_EQ(game.corp_credits(), credits);
  EXPECT_EQ(game.state.run.position, 1);  // Brân is passed
  EXPECT_EQ(IceOn(game.state, kHqServer)[0], game.Find("Palisade", Zone::kInstalled));
  game.Continue();  // does not jack out: meets Palisade, which ends the run
  EXPECT_EQ(game.corp_credits(), credits - 3);
  EXPECT_FALSE(game.running());
  EXPECT_FALSE(game.state.run.successful);
}

TEST(HaasBioroid, BranEndsTheRun) {
  TestGame game = Guarded("Brân 1.0");
  game.Run("HQ");
  game.Continue();
  EXPECT_FALSE(game.running());
  EXPECT_EQ(game.On("Brân 1.0").faceup, true);
}

TEST(HaasBioroid, BranMayDeclineToInstall) {
  TestGame game = Guarded("Brân 1.0", {.corp_hand = {"Palisade"}});
  game.Run("HQ");
  game.Continue();
  game.Done();
  EXPECT_FALSE(game.running());
  EXPECT_TRUE(game.In("Palisade", Zone::kHand));
}

TEST(HaasBioroid, SeamlessLaunchAdvancesWhatWasNotInstalledThisTurn) {
  TestGame game({.corp_hand = {"Seamless Launch", "Superconducting Hub", "Nico Campaign"}});
  game.Play("Superconducting Hub", "New remote");
  game.EndTurn();
  game.EndTurn();
  game.Play("Nico Campaign", "New remote");
  game.Play("Seamless Launch");  // the Hub is the only target
  EXPECT_EQ(game.On("Superconducting Hub").advancement, 2);
  EXPECT_EQ(game.On("Nico Campaign").advancement, 0);
}

TEST(HaasBioroid, SeamlessLaunchMustChooseAmongSeveral) {
  TestGame game({.corp_hand = {"Seamless Launch", "Superconducting Hub", "Palisade"}});
  game.Play("Superconducting Hub", "New remote");
  game.Play("Palisade", "HQ");
  game.EndTurn();
  game.EndTurn();
  game.Play("Seamless Launch");
  EXPECT_TRUE(game.Options().empty());
  game.Select("Palisade");
  EXPECT_EQ(game.On("Palisade").advancement, 2);
}

TEST(HaasBioroid, SeamlessLaunchWithoutTargetDoesNothing) {
  TestGame game({.corp_hand = {"Seamless Launch"}});
  game.Play("Seamless Launch");
  EXPECT_EQ(game.corp_credits(), 4);
  EXPECT_TRUE(game.In("Seamless Launch", Zone::kDiscard));
}

TEST(HaasBioroid, SprintDrawsThreeAndShufflesTwoAway) {
  TestGame game({.corp_hand = {"Sprint", "Palisade", "Tithe"}});
  const int hq = game.hq();
  const std::size_t deck = game.state.corp().deck.size();
  game.Play("Sprint");
  EXPECT_TRUE(game.Options().empty());
  game.Select("Palisade");
  game.Select("Tithe");
  EXPECT_EQ(game.hq(), hq - 1 + 3 - 2);
  EXPECT_EQ(game.state.corp().deck.size(), deck - 3 + 2);
  EXPECT_TRUE(game.In("Palisade", Zone::kDeck));
}

TEST(HaasBioroid, SprintBeyondTheDeckLosesTheGame) {
  TestGame game({.corp_hand = {"Sprint"}, .corp_rest = 3});
  game.Play("Sprint");
  EXPECT_EQ(game.state.ending, Ending::kDecked);
  EXPECT_EQ(game.state.winner, 1);
}

TestGame Manegarm(TestDecks decks = {}) {
  decks.corp_hand.insert(decks.corp_hand.begin(), "Manegarm Skunkworks");
  TestGame game(decks);
  game.Play("Manegarm Skunkworks", "HQ");
  game.Rez("Manegarm Skunkworks");
  game.EndTurn();
  return game;
}

TEST(HaasBioroid, ManegarmIsPassedForTwoClicks) {
  TestGame game = Manegarm();
  game.Run("HQ");
  game.Continue();
  EXPECT_EQ(game.Options(), (std::vector<std::string>{"Spend [Click][Click]", "Pay 5 [Credits]", "End the run"}));
  game.Choose("Spend [Click][Click]");
  EXPECT_EQ(game.clicks(), 1);
  EXPECT_TRUE(game.state.run.successful);
}

TEST(HaasBioroid, ManegarmIsPassedForFiveCredits) {
  TestGame game = Manegarm();
  game.Run("HQ");
  game.Continue();
  game.Choose("Pay 5 [Credits]");
  EXPECT_EQ(game.runner_credits(), 0);
  EXPECT_TRUE(game.state.run.successful);
}

TEST(HaasBioroid, ManegarmEndsTheRunAndLeavesOtherServersAlone) {
  TestGame game = Manegarm();
  game.Run("HQ");
  game.Continue();
  game.Choose("End the run");
  EXPECT_FALSE(game.running());
  EXPECT_FALSE(game.state.run.successful);
  game.RunAndAccessAll("R&D");
  EXPECT_TRUE(game.state.run.successful);
}

TEST(HaasBioroid, ManegarmNeedsToBeRezzed) {
  TestGame game({.corp_hand = {"Manegarm Skunkworks"}});
  game.Play("Manegarm Skunkworks", "HQ");
  game.EndTurn();
  game.Run("HQ");
  game.Continue();
  EXPECT_TRUE(game.state.run.successful);
}

// --- Jinteki ---

TEST(Jinteki, RestoringHumanityPaysForAFacedownCard) {
  TestGame game({.corp = "Jinteki: Restoring Humanity"});
  game.Draw();
  game.Credit(2);
  const int credits = game.corp_credits();
  game.PassTurn();  // discards facedown
  EXPECT_EQ(game.corp_credits(), credits + 1);
}

TEST(Jinteki, RestoringHumanityWantsItFacedown) {
  TestGame game({.corp = "Jinteki: Restoring Humanity", .corp_hand = {"Hedge Fund"}});
  game.Play("Hedge Fund");
  game.Credit(2);
  const int credits = game.corp_credits();
  game.PassTurn();
  EXPECT_EQ(game.corp_credits(), credits);
}

TEST(Jinteki, LongevitySerumTrashesAndRecycles) {
  TestGame game({.corp_hand = {"Longevity Serum", "Tithe", "Whitespace", "Hedge Fund", "Hedge Fund"}});
  game.Play("Hedge Fund");
  game.InstallAndScore("Longevity Serum");
  game.Select("Tithe");
  game.Select("Whitespace");
  game.Done();
  EXPECT_FALSE(game.state[game.Find("Tithe", Zone::kDiscard)].faceup);
  const std::size_t deck = game.state.corp().deck.size();
  game.Select("Tithe");
  game.Select("Hedge Fund");
  game.Done();
  EXPECT_EQ(game.state.corp().deck.size(), deck + 2);
  EXPECT_TRUE(game.In("Tithe", Zone::kDeck));
  EXPECT_TRUE(game.In("Whitespace", Zone::kDiscard));
}

TEST(Jinteki, UrticaCipherHurtsMoreWhenAdvanced) {
  TestGame game({.corp_hand = {"Urtica Cipher"}});
  game.Play("Urtica Cipher", "New remote");
  game.Advance("Urtica Cipher", 2);
  game.EndTurn();
  game.Run("Server 1");
  game.RunOn();
  EXPECT_EQ(game.grip(), 1);
  EXPECT_EQ(game.Options(), (std::vector<std::string>{"Pay 2 [Credits] to trash", "No action"}));
}

TEST(Jinteki, UrticaCipherIsHarmlessInHq) {
  TestGame game({.corp_hand = {"Urtica Cipher"}, .corp_deck = {"Urtica Cipher"}, .corp_filler = "Urtica Cipher"});
  game.Credit(3);
  game.EndTurn();
  game.Run("HQ");
  game.RunOn();
  EXPECT_EQ(game.grip(), 5);
}

TEST(Jinteki, DivinerEndsTheRunForAnOddCard) {
  TestGame odd = Guarded("Diviner");  // Sure Gamble costs 5
  odd.Run("HQ");
  odd.RunOn();
  EXPECT_EQ(odd.grip(), 4);
  EXPECT_FALSE(odd.running());
  EXPECT_FALSE(odd.state.run.successful);
  TestGame even = Guarded("Diviner", {.runner_filler = "Mutual Favor"});
  even.Run("HQ");
  even.RunOn();
  EXPECT_EQ(even.grip(), 4);
  EXPECT_TRUE(even.state.run.successful);
}

TEST(Jinteki, DivinerFlatlinesAnEmptyGrip) {
  TestGame game = Guarded("Diviner", {.runner_hand = {"Smartware Distributor", "Smartware Distributor"},
                                      .runner_filler = "Smartware Distributor"});
  for (int i = 0; i < 3; ++i) game.Play("Smartware Distributor");
  game.EndTurn();
  game.EndTurn();
  game.Play("Smartware Distributor");
  game.Play("Smartware Distributor");
  EXPECT_EQ(game.grip(), 0);
  game.Run("HQ");
  game.RunOn();
  EXPECT_EQ(game.state.ending, Ending::kFlatline);
  EXPECT_EQ(game.state.winner, 0);
}

TEST(Jinteki, KarunaOffersToJackOutBetweenItsDamages) {
  TestGame stays = Guarded("Karunā");
  stays.Run("HQ");
  stays.RunOn();
  EXPECT_EQ(stays.Message(), "Jack out?");
  EXPECT_EQ(stays.grip(), 3);
  stays.Choose("No");
  EXPECT_EQ(stays.grip(), 1);
  TestGame leaves = Guarded("Karunā");
  leaves.Run("HQ");
  leaves.RunOn();
  leaves.Choose("Yes");
  EXPECT_EQ(leaves.grip(), 3);
  EXPECT_FALSE(leaves.running());
}

TEST(Jinteki, HanseiReviewGainsTenAndTrashesOne) {
  TestGame game({.corp_hand = {"Hansei Review", "Palisade"}});
  game.Play("Hansei Review");
  game.Select("Palisade");
  EXPECT_EQ(game.corp_credits(), 10);
  EXPECT_FALSE(game.state[game.Find("Palisade", Zone::kDiscard)].faceup);
  EXPECT_TRUE(game.state[game.Find("Hansei Review", Zone::kDiscard)].faceup);
}

TEST(Jinteki, NeurospikeDoesTheDamageOfThePointsScored) {
  TestGame game({.corp_hand = {"Neurospike", "Offworld Office", "Hedge Fund"}});
  game.Play("Hedge Fund");
  game.Play("Offworld Office", "New remote");
  game.Advance("Offworld Office");
  game.EndTurn();
  game.EndTurn();
  game.Advance("Offworld Office", 3);
  game.EndTurn();
  game.EndTurn();
  game.Score("Offworld Office");
  game.Play("Neurospike");
  EXPECT_EQ(game.grip(), 3);
}

TEST(Jinteki, NeurospikeWithoutAgendasDoesNothing) {
  TestGame game({.corp_hand = {"Neurospike"}});
  game.Play("Neurospike");
  EXPECT_EQ(game.corp_credits(), 2);
  EXPECT_EQ(game.grip(), 5);
}

TEST(Jinteki, AnoeticVoidEndsTheRunForTwoCardsAndTwoCredits) {
  TestGame game({.corp_hand = {"Anoetic Void", "Tithe", "Whitespace"}});
  game.Play("Anoetic Void", "HQ");
  game.Rez("Anoetic Void");
  game.EndTurn();
  const int credits = game.corp_credits();
  game.Run("HQ");
  game.Continue();
  game.Choose("Yes");
  game.Select("Tithe");
  game.Select("Whitespace");
  EXPECT_EQ(game.corp_credits(), credits - 2);
  EXPECT_FALSE(game.running());
  EXPECT_FALSE(game.state[game.Find("Tithe", Zone::kDiscard)].faceup);
  game.Run("HQ");
  game.Continue();
  game.Choose("No");
  EXPECT_TRUE(game.state.run.successful);
}

TEST(Jinteki, AnoeticVoidIsOfferedOnlyWhereItCanBePaid) {
  TestGame game({.corp_hand = {"Anoetic Void", "Nico Campaign", "Nico Campaign"}});
  game.Play("Anoetic Void", "R&D");
  game.Rez("Anoetic Void");
  game.Play("Nico Campaign", "New remote");
  game.Play("Nico Campaign", "New remote");
  game.Rez("Nico Campaign");
  game.Do("rez", json::Object{{"card", CidOf(game.state, game.state.corp().installed.back())}});
  game.EndTurn();
  ASSERT_EQ(game.corp_credits(), 1);
  game.Run("R&D");
  game.Continue();
  EXPECT_TRUE(game.state.run.successful);
}

TEST(Jinteki, TheCorpOrdersWhatHappensWhenItsServerIsApproached) {
  TestGame game({.corp_hand = {"Anoetic Void", "Manegarm Skunkworks", "Hedge Fund"}});
  game.Play("Anoetic Void", "HQ");
  game.Play("Manegarm Skunkworks", "HQ");
  game.Rez("Anoetic Void");
  game.Rez("Manegarm Skunkworks");
  game.EndTurn();
  game.Run("HQ");
  game.Continue();
  EXPECT_EQ(game.state.prompt.side, Side::kCorp);
  game.Choose("Manegarm Skunkworks");
  game.Choose("End the run");
  EXPECT_FALSE(game.running());  // the other one is not asked any more
}

}  // namespace
}  // namespace openseat::games::netrunner
