#include <gtest/gtest.h>

#include "games/netrunner/play_test_support.h"

namespace openseat::games::netrunner {
namespace {

// --- NBN ---

TEST(Nbn, RealityPlusPaysForTheFirstTagOfATurn) {
  TestGame game = Guarded("Funhouse", {.corp = "NBN: Reality Plus"});
  const int credits = game.corp_credits() - 5;
  game.Run("HQ");
  game.Choose("Take 1 tag");
  EXPECT_EQ(game.state.prompt.side, Side::kCorp);
  EXPECT_EQ(game.Options(), (std::vector<std::string>{"Gain 2 [Credits]", "Draw 2 cards"}));
  game.Choose("Gain 2 [Credits]");
  EXPECT_EQ(game.corp_credits(), credits + 2);
  game.Choose("Take 1 tag");  // the subroutine: the second tag of this turn
  EXPECT_EQ(game.state.tags, 2);
  EXPECT_EQ(game.corp_credits(), credits + 2);
}

TEST(Nbn, RealityPlusMayDraw) {
  TestGame game = Guarded("Ping", {.corp = "NBN: Reality Plus"});
  const int hq = game.hq();
  game.Run("HQ");
  game.Choose("Draw 2 cards");
  EXPECT_EQ(game.hq(), hq + 2);
  EXPECT_FALSE(game.running());
}

TEST(Nbn, TomorrowsHeadlineTagsWhoeverGetsIt) {
  TestGame scored({.corp_hand = {"Tomorrow's Headline"}});
  scored.InstallAndScore("Tomorrow's Headline");
  EXPECT_EQ(scored.state.tags, 1);
  TestGame stolen({.corp_hand = {"Tomorrow's Headline"}});
  stolen.Play("Tomorrow's Headline", "New remote");
  stolen.EndTurn();
  stolen.RunAndAccessAll("Server 1");
  EXPECT_EQ(stolen.state.tags, 1);
  EXPECT_EQ(Points(stolen.state, Side::kRunner), 2);
}

TEST(Nbn, SpinDoctorDrawsTwoAndRecyclesTwo) {
  TestGame game({.corp_hand = {"Spin Doctor", "Hedge Fund"}});
  game.Play("Hedge Fund");
  game.Play("Spin Doctor", "New remote");
  const int hq = game.hq();
  game.Rez("Spin Doctor");
  EXPECT_EQ(game.hq(), hq + 2);
  const std::size_t deck = game.state.corp().deck.size();
  game.Ability("Spin Doctor");
  EXPECT_TRUE(game.In("Spin Doctor", Zone::kRemoved));
  game.Select("Hedge Fund");
  EXPECT_EQ(game.state.corp().deck.size(), deck + 1);
  EXPECT_TRUE(game.state.corp().discard.empty());
}

TEST(Nbn, SpinDoctorMayTakeNothing) {
  TestGame game({.corp_hand = {"Spin Doctor", "Hedge Fund"}});
  game.Play("Hedge Fund");
  game.Play("Spin Doctor", "New remote");
  game.Rez("Spin Doctor");
  game.Ability("Spin Doctor");
  game.Done();
  EXPECT_EQ(game.state.corp().discard.size(), 1u);
}

TEST(Nbn, ARunOnAServerThatVanishesIsNeitherSuccessfulNorBreached) {
  TestGame game({.corp_hand = {"Spin Doctor"}, .runner_hand = {"Pennyshaver"}});
  game.Play("Spin Doctor", "New remote");
  game.Rez("Spin Doctor");
  game.EndTurn();
  game.Play("Pennyshaver");
  game.corp_decides = true;
  game.Run("Server 1");
  game.Ability("Spin Doctor");
  game.Done();
  EXPECT_FALSE(game.running());
  EXPECT_TRUE(game.state.run.vanished);
  EXPECT_FALSE(game.state.run.successful);
  EXPECT_EQ(game.On("Pennyshaver").credits, 0);
}

TEST(Nbn, SpinDoctorIsUnique) {
  TestGame game({.corp_hand = {"Spin Doctor", "Spin Doctor"}});
  game.Play("Spin Doctor", "New remote");
  game.Rez("Spin Doctor");
  game.Play("Spin Doctor", "New remote");
  const Inst older = game.state.corp().installed[0];
  game.Do("rez", json::Object{{"card", CidOf(game.state, game.state.corp().installed[1])}});
  EXPECT_EQ(game.state[older].zone, Zone::kDiscard);
  EXPECT_EQ(game.state.corp().installed.size(), 1u);
}

TEST(Nbn, FunhouseEndsTheRunUnlessATagIsTaken) {
  TestGame game = Guarded("Funhouse");
  game.Run("HQ");
  game.Choose("End the run");
  EXPECT_FALSE(game.running());
  EXPECT_EQ(game.state.tags, 0);
  game.Run("HQ");
  game.Choose("Take 1 tag");
  EXPECT_EQ(game.Options(), (std::vector<std::string>{"Take 1 tag", "Pay 4 [Credits]"}));
  game.Choose("Pay 4 [Credits]");
  EXPECT_EQ(game.runner_credits(), 1);
  EXPECT_EQ(game.state.tags, 1);
  EXPECT_EQ(game.state.prompt.kind, PromptKind::kJackOut);
}

TEST(Nbn, FunhouseTagsWhoeverCannotPay) {
  TestGame game = Guarded("Funhouse", {.runner_hand = {"Wildcat Strike", "Carnivore"}});
  game.Play("Carnivore");
  ASSERT_EQ(game.runner_credits(), 1);
  game.Run("HQ");
  game.Choose("Take 1 tag");
  EXPECT_EQ(game.state.tags, 2);
}

TEST(Nbn, PingTagsWhenRezzedInARunOnItsServer) {
  TestGame game = Guarded("Ping");
  game.Run("HQ");
  EXPECT_EQ(game.state.tags, 1);
  EXPECT_FALSE(game.running());
  game.Run("HQ");
  EXPECT_EQ(game.state.tags, 1);
}

TEST(Nbn, PredictivePlanogramGivesBothForATag) {
  TestGame game({.corp_hand = {"Predictive Planogram", "Predictive Planogram"}});
  game.Play("Predictive Planogram");
  EXPECT_EQ(game.Options(), (std::vector<std::string>{"Gain 3 [Credits]", "Draw 3 cards"}));
  game.Choose("Gain 3 [Credits]");
  EXPECT_EQ(game.corp_credits(), 8);
  const int hq = game.hq();
  game.Play("Predictive Planogram");
  game.Choose("Draw 3 cards");
  EXPECT_EQ(game.hq(), hq - 1 + 3);
  TestGame tagged = Guarded("Ping", {.corp_hand = {"Predictive Planogram"}});
  tagged.Run("HQ");
  tagged.EndTurn();
  const int credits = tagged.corp_credits();
  const int cards = tagged.hq();
  tagged.Play("Predictive Planogram");
  tagged.Choose("Gain 3 [Credits] and draw 3 cards");
  EXPECT_EQ(tagged.corp_credits(), credits + 3);
  EXPECT_EQ(tagged.hq(), cards - 1 + 3);
}

TEST(Nbn, PublicTrailFollowsASuccessfulRun) {
  TestGame game({.corp_hand = {"Public Trail", "Public Trail"}});
  EXPECT_FALSE(game.CanWith("play", "Public Trail"));
  game.EndTurn();
  game.RunAndAccessAll("Archives");
  game.EndTurn();
  game.Play("Public Trail");
  EXPECT_EQ(game.state.prompt.side, Side::kRunner);
  game.Choose("Pay 8 [Credits]");
  EXPECT_EQ(game.runner_credits(), 0);
  EXPECT_EQ(game.state.tags, 0);
  game.Play("Public Trail");  // nothing left to pay with
  EXPECT_EQ(game.state.tags, 1);
  game.EndTurn();
  game.EndTurn();
  EXPECT_FALSE(game.state.ran_last_turn);
}

TEST(Nbn, AmazeAmusementsTagsForAStolenAgenda) {
  TestGame game({.corp_hand = {"AMAZE Amusements", "Offworld Office"}});
  game.Play("Offworld Office", "New remote");
  game.Play("AMAZE Amusements", "Server 1");
  game.Rez("AMAZE Amusements");
  game.EndTurn();
  game.Run("Server 1");
  game.RunOn();
  game.Select("Offworld Office");
  game.Choose("Steal");
  game.Choose("No action");
  EXPECT_EQ(game.state.tags, 2);
  game.RunAndAccessAll("Server 1");
  EXPECT_EQ(game.state.tags, 2);  // nothing was stolen
}

TEST(Nbn, AmazeAmusementsPersistsWhenTrashed) {
  TestGame game({.corp_hand = {"AMAZE Amusements", "Offworld Office"}});
  game.Play("Offworld Office", "New remote");
  game.Play("AMAZE Amusements", "Server 1");
  game.Rez("AMAZE Amusements");
  game.EndTurn();
  game.Run("Server 1");
  game.RunOn();
  game.Select("AMAZE Amusements");
  game.Do("trash");
  game.Choose("Steal");
  EXPECT_EQ(game.state.tags, 2);
}

TEST(Nbn, AmazeAmusementsTrashedUnrezzedDoesNothing) {
  TestGame game({.corp_hand = {"AMAZE Amusements", "Offworld Office"}});
  game.Play("Offworld Office", "New remote");
  game.Play("AMAZE Amusements", "Server 1");
  game.EndTurn();
  game.Run("Server 1");
  game.RunOn();
  game.Select("AMAZE Amusements");
  game.Do("trash");
  game.Choose("Steal");
  EXPECT_EQ(game.state.tags, 0);
}

// --- Weyland ---

TEST(Weyland, BuiltToLastPaysForTheFirstCounter) {
  TestGame game({.corp = "Weyland Consortium: Built to Last", .corp_hand = {"Offworld Office"}});
  game.Play("Offworld Office", "New remote");
  game.Advance("Offworld Office");
  EXPECT_EQ(game.corp_credits(), 5 - 1 + 2);
  game.Advance("Offworld Office");
  EXPECT_EQ(game.corp_credits(), 5);
}

TEST(Weyland, BuiltToLastDoesNotPayForPlacedCounters) {
  TestGame game({.corp = "Weyland Consortium: Built to Last", .corp_hand = {"Offworld Office", "Seamless Launch"}});
  game.Play("Offworld Office", "New remote");
  game.EndTurn();
  game.EndTurn();
  const int credits = game.corp_credits();
  game.Play("Seamless Launch");
  game.Advance("Offworld Office");
  EXPECT_EQ(game.corp_credits(), credits - 2);
}

TEST(Weyland, AboveTheLawMayTrashAResource) {
  for (const bool trash : {true, false}) {
    TestGame game({.corp_hand = {"Above the Law"}, .runner_hand = {"Smartware Distributor"}});
    game.EndTurn();
    game.Play("Smartware Distributor");
    game.EndTurn();
    game.InstallAndScore("Above the Law");
    if (trash) {
      game.Select("Smartware Distributor");
    } else {
      game.Done();
    }
    EXPECT_EQ(game.In("Smartware Distributor", Zone::kDiscard), trash);
  }
}

TEST(Weyland, AboveTheLawAsksNothingWithoutResources) {
  TestGame game({.corp_hand = {"Above the Law"}});
  game.InstallAndScore("Above the Law");
  EXPECT_EQ(game.state.prompt.kind, PromptKind::kAction);
}

TEST(Weyland, ClearinghouseMayBurnTheRunner) {
  TestGame game({.corp_hand = {"Clearinghouse"}});
  game.Play("Clearinghouse", "New remote");
  game.Rez("Clearinghouse");
  game.Advance("Clearinghouse", 2);
  game.EndTurn();
  game.EndTurn();
  game.Do("end-phase-12");
  game.Choose("No");
  EXPECT_TRUE(game.In("Clearinghouse", Zone::kInstalled));
  game.Advance("Clearinghouse", 2);
  game.EndTurn();
  game.EndTurn();
  EXPECT_FALSE(game.Can("credit"));  // phase 1.2
  game.Do("end-phase-12");
  game.Choose("Yes");
  EXPECT_EQ(game.grip(), 1);
  EXPECT_TRUE(game.state[game.Find("Clearinghouse", Zone::kDiscard)].faceup);
}

TEST(Weyland, AFacedownClearinghouseOpensNothing) {
  TestGame game({.corp_hand = {"Clearinghouse"}});
  game.Play("Clearinghouse", "New remote");
  game.EndTurn();
  game.EndTurn();
  EXPECT_EQ(game.state.prompt.kind, PromptKind::kAction);
}

TEST(Weyland, BallistaTrashesAProgramOrEndsTheRun) {
  TestGame game = Guarded("Ballista", {.runner_hand = {"Marjanah"}});
  game.Run("HQ");
  EXPECT_EQ(game.state.prompt.side, Side::kCorp);
  EXPECT_EQ(game.Options(), (std::vector<std::string>{"Do nothing", "End the run"}));
  game.Choose("End the run");
  EXPECT_FALSE(game.running());
  game.Run("HQ");
  game.Choose("Do nothing");
  EXPECT_TRUE(game.running());
  game.Do("jack-out");
  game.Play("Marjanah");
  game.Run("HQ");
  game.Continue();
  EXPECT_EQ(game.Options(), (std::vector<std::string>{"Trash a program", "End the run"}));
  game.Choose("Trash a program");
  EXPECT_TRUE(game.In("Marjanah", Zone::kDiscard));
  EXPECT_TRUE(game.running());
}

TEST(Weyland, PharosTagsAndEndsTheRun) {
  TestGame game = Guarded("Pharos");
  game.Run("HQ");
  EXPECT_EQ(game.state.tags, 1);
  EXPECT_FALSE(game.running());
  EXPECT_EQ(game.StrengthOf("Pharos"), 5);
  game.EndTurn();
  game.Advance("Pharos", 2);
  EXPECT_EQ(game.StrengthOf("Pharos"), 5);
  game.Advance("Pharos");
  EXPECT_EQ(game.StrengthOf("Pharos"), 10);
}

TEST(Weyland, GovernmentSubsidyGainsFifteen) {
  TestGame game({.corp_hand = {"Government Subsidy", "Hedge Fund"}});
  EXPECT_FALSE(game.CanWith("play", "Government Subsidy"));
  game.Play("Hedge Fund");
  game.Credit();
  game.Play("Government Subsidy");
  EXPECT_EQ(game.corp_credits(), 15);
}

TEST(Weyland, RetributionNeedsATagAndTrashesAProgramOrHardware) {
  TestGame game = Guarded("Ping", {.corp_hand = {"Retribution"},
                                   .runner_hand = {"Marjanah", "T400 Memory Diamond", "Smartware Distributor"}});
  game.Play("Marjanah");
  game.Play("T400 Memory Diamond");
  game.Play("Smartware Distributor");
  game.EndTurn();
  EXPECT_FALSE(game.CanWith("play", "Retribution"));
  game.EndTurn();
  game.Run("HQ");
  game.Continue();
  game.EndTurn();
  game.Play("Retribution");
  EXPECT_TRUE(game.Options().empty());
  game.Select("T400 Memory Diamond");
  EXPECT_TRUE(game.In("T400 Memory Diamond", Zone::kDiscard));
}

TestGame ScoredAtMalapert() {
  TestGame game({.corp_hand = {"Malapert Data Vault", "Superconducting Hub"},
                 .corp_deck = {"Hedge Fund", "Palisade", "Palisade", "Offworld Office"}});
  game.Play("Malapert Data Vault", "New remote");
  game.Play("Superconducting Hub", "Server 1");
  game.Rez("Malapert Data Vault");
  game.AdvanceFully("Superconducting Hub");
  game.Score("Superconducting Hub");
  game.Choose("Malapert Data Vault");
  return game;
}

TEST(Weyland, MalapertDataVaultFetchesACard) {
  TestGame game = ScoredAtMalapert();
  game.Choose("Yes");
  const std::vector<std::string> options = game.Options();
  EXPECT_EQ(options.back(), "Cancel");
  EXPECT_EQ(options.front(), "Hedge Fund");
  EXPECT_EQ(std::count(options.begin(), options.end(), "Offworld Office"), 0);
  const int hq = game.hq();
  game.Choose("Hedge Fund");
  EXPECT_EQ(game.hq(), hq + 1);
}

TEST(Weyland, MalapertDataVaultMayFindNothing) {
  TestGame game = ScoredAtMalapert();
  game.Choose("Yes");
  const int hq = game.hq();
  game.Choose("Cancel");
  EXPECT_EQ(game.hq(), hq);
}

TEST(Weyland, MalapertDataVaultNeedsItsOwnServer) {
  TestGame game({.corp_hand = {"Malapert Data Vault", "Offworld Office"}});
  game.Play("Malapert Data Vault", "New remote");
  game.Rez("Malapert Data Vault");
  game.InstallAndScore("Offworld Office");
  EXPECT_EQ(game.state.prompt.kind, PromptKind::kAction);
}

// --- Neutral ---

TEST(NeutralCorp, OffworldOfficeGainsSeven) {
  TestGame game({.corp_hand = {"Offworld Office"}});
  game.Play("Offworld Office", "New remote");
  game.AdvanceFully("Offworld Office");
  const int credits = game.corp_credits();
  game.Score("Offworld Office");
  EXPECT_EQ(game.corp_credits(), credits + 7);
  EXPECT_EQ(Points(game.state, Side::kCorp), 2);
}

TEST(NeutralCorp, OrbitalSuperiorityTagsThenBurns) {
  TestGame game({.corp_hand = {"Orbital Superiority", "Orbital Superiority"}});
  game.InstallAndScore("Orbital Superiority");
  EXPECT_EQ(game.state.tags, 1);
  game.EndTurn();
  game.EndTurn();
  const int grip = game.grip();
  game.InstallAndScore("Orbital Superiority");
  EXPECT_LE(game.grip(), grip - 4 + 1);
  EXPECT_EQ(game.state.tags, 1);
}

TEST(NeutralCorp, SendAMessageRezzesAnIceForNothing) {
  TestGame scored({.corp_hand = {"Send a Message", "Pharos", "Tithe"}});
  scored.Play("Pharos", "HQ");
  scored.Play("Tithe", "R&D");
  scored.InstallAndScore("Send a Message");
  const int credits = scored.corp_credits();
  scored.Select("Pharos");
  EXPECT_EQ(scored.corp_credits(), credits);
  EXPECT_TRUE(scored.On("Pharos").faceup);
  TestGame stolen({.corp_hand = {"Send a Message", "Pharos"}});
  stolen.Play("Pharos", "HQ");
  stolen.Play("Send a Message", "New remote");
  stolen.EndTurn();
  stolen.Run("Server 1");
  stolen.RunOn();
  stolen.Choose("Steal");
  EXPECT_EQ(stolen.state.prompt.side, Side::kCorp);
  stolen.Done();
  EXPECT_FALSE(stolen.On("Pharos").faceup);
}

TEST(NeutralCorp, SendAMessageSkipsWhereAllIceIsRezzed) {
  TestGame game({.corp_hand = {"Send a Message"}});
  game.InstallAndScore("Send a Message");
  EXPECT_EQ(game.state.prompt.kind, PromptKind::kAction);
}

TEST(NeutralCorp, SuperconductingHubDrawsAndHoldsMore) {
  for (const bool draw : {true, false}) {
    TestGame game({.corp_hand = {"Superconducting Hub"}});
    game.Play("Superconducting Hub", "New remote");
    game.AdvanceFully("Superconducting Hub");
    const int hq = game.hq();
    game.Score("Superconducting Hub");
    game.Choose(draw ? "Yes" : "No");
    EXPECT_EQ(game.hq(), draw ? hq + 2 : hq);
    EXPECT_EQ(MaxHandSize(game.state, Side::kCorp), 7);
  }
}

TEST(NeutralCorp, AStolenHubHelpsNobody) {
  TestGame game({.corp_hand = {"Superconducting Hub"}});
  game.Play("Superconducting Hub", "New remote");
  game.EndTurn();
  game.RunAndAccessAll("Server 1");
  EXPECT_EQ(Points(game.state, Side::kRunner), 1);
  EXPECT_EQ(MaxHandSize(game.state, Side::kCorp), 5);
  EXPECT_EQ(MaxHandSize(game.state, Side::kRunner), 5);
}

TEST(NeutralCorp, RegolithMiningLicensePaysFiveTimes) {
  TestGame game({.corp_hand = {"Regolith Mining License"}});
  game.Play("Regolith Mining License", "New remote");
  game.Rez("Regolith Mining License");
  EXPECT_EQ(game.On("Regolith Mining License").credits, 15);
  game.Ability("Regolith Mining License");
  game.Ability("Regolith Mining License");
  EXPECT_EQ(game.corp_credits(), 3 + 6);
  game.EndTurn();
  game.EndTurn();
  for (int i = 0; i < 3; ++i) game.Ability("Regolith Mining License");
  EXPECT_EQ(game.corp_credits(), 3 + 15);
  EXPECT_TRUE(game.In("Regolith Mining License", Zone::kDiscard));
}

TEST(NeutralCorp, PalisadeIsStrongerOnRemotes) {
  TestGame game({.corp_hand = {"Palisade", "Palisade"}});
  game.Play("Palisade", "HQ");
  EXPECT_EQ(game.StrengthOf("Palisade"), 2);
  TestGame remote({.corp_hand = {"Palisade"}});
  remote.Play("Palisade", "New remote");
  EXPECT_EQ(remote.StrengthOf("Palisade"), 4);
  TestGame run = Guarded("Palisade");
  run.Run("HQ");
  EXPECT_FALSE(run.running());
}

TEST(NeutralCorp, TitheHurtsAndPays) {
  TestGame game = Guarded("Tithe");
  const int credits = game.corp_credits();
  game.Run("HQ");
  EXPECT_EQ(game.grip(), 4);
  EXPECT_EQ(game.corp_credits(), credits - 1 + 1);
  EXPECT_TRUE(game.running());
}

TEST(NeutralCorp, WhitespaceTakesThreeAndStopsThePoor) {
  TestGame poor = Guarded("Whitespace");
  poor.Run("HQ");
  EXPECT_EQ(poor.runner_credits(), 2);
  EXPECT_FALSE(poor.running());
  poor.Run("HQ");
  EXPECT_EQ(poor.runner_credits(), 0);  // never below
  TestGame rich = Guarded("Whitespace", {.runner_hand = {"Sure Gamble"}});
  rich.Play("Sure Gamble");
  rich.Credit();
  rich.Run("HQ");
  EXPECT_EQ(rich.runner_credits(), 7);
  EXPECT_TRUE(rich.running());
}

TEST(NeutralCorp, HedgeFundGainsNine) {
  TestGame game({.corp_hand = {"Hedge Fund"}});
  game.Play("Hedge Fund");
  EXPECT_EQ(game.corp_credits(), 9);
  EXPECT_EQ(game.clicks(), 2);
}

TEST(NeutralCorp, TheStartersHaveNoAbility) {
  EXPECT_TRUE(CardOf(*FindCard("30076")).triggers.empty());
  EXPECT_TRUE(CardOf(*FindCard("30077")).triggers.empty());
  TestGame game({});
  EXPECT_EQ(MaxHandSize(game.state, Side::kCorp), 5);
  EXPECT_EQ(MaxHandSize(game.state, Side::kRunner), 5);
}

}  // namespace
}  // namespace openseat::games::netrunner
