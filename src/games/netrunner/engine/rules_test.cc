#include <gtest/gtest.h>

#include "games/netrunner/play_test_support.h"

namespace openseat::games::netrunner {
namespace {

// The chapters of the rules, through legal actions.

TEST(NetrunnerRules, TheCorpDecidesFirstWhetherToKeepItsHand) {
  const State state = MakeState(
      {.decks = {MakeTeachingDeck(TeachingDeck::kBeginnerCorp), MakeTeachingDeck(TeachingDeck::kBeginnerRunner)}}, 7);
  EXPECT_EQ(state.prompt.kind, PromptKind::kMulligan);
  EXPECT_EQ(state.prompt.side, Side::kCorp);
  State taken = state;
  const Result<Command> mulligan = ReadCommand(taken, "mulligan", nullptr);
  ASSERT_TRUE(mulligan.has_value());
  Engine(taken).Apply(*mulligan, Side::kCorp);
  EXPECT_EQ(taken.corp().hand.size(), 5u);
  EXPECT_TRUE(taken.corp().mulliganed);
  EXPECT_FALSE(taken.corp().hand == state.corp().hand);
  EXPECT_EQ(taken.prompt.side, Side::kRunner);
}

TEST(NetrunnerRules, TurnsHaveTheirClicksAndTheCorpDraws) {
  TestGame game({});
  EXPECT_EQ(game.clicks(), 3);
  EXPECT_EQ(game.hq(), 6);
  EXPECT_FALSE(game.Can("end-turn"));
  game.EndTurn();
  EXPECT_EQ(game.clicks(), 4);
  EXPECT_EQ(game.grip(), 5);
  EXPECT_EQ(game.state.turn, 1);
  game.EndTurn();
  EXPECT_EQ(game.state.turn, 2);
}

TEST(NetrunnerRules, HandsAreCutAtTheEndOfATurn) {
  TestGame game({});
  game.discards = false;
  game.Credit(3);
  game.Do("end-turn");
  EXPECT_EQ(game.Message(), "Discard down to 5 cards");
  EXPECT_TRUE(game.Options().empty());
  game.Select("Hedge Fund");
  EXPECT_EQ(game.hq(), 5);
  EXPECT_FALSE(game.state[game.state.corp().discard[0]].faceup);
}

TEST(NetrunnerRules, InstallingIceCostsACreditForEachIceThere) {
  TestGame game({.corp_hand = {"Palisade", "Tithe", "Whitespace"}});
  game.Play("Palisade", "HQ");
  EXPECT_EQ(game.corp_credits(), 5);
  game.Play("Tithe", "HQ");
  EXPECT_EQ(game.corp_credits(), 4);
  game.Play("Whitespace", "HQ");
  EXPECT_EQ(game.corp_credits(), 2);
  const CardList ice = IceOn(game.state, kHqServer);
  EXPECT_EQ(ice[0], game.Find("Palisade", Zone::kInstalled));
  EXPECT_EQ(ice[2], game.Find("Whitespace", Zone::kInstalled));
}

TEST(NetrunnerRules, IceIsTrashedWhereTheInstallCannotBePaid) {
  TestGame game({.corp_hand = {"Palisade", "Tithe", "Hansei Review", "Hedge Fund", "Whitespace"}});
  game.Play("Palisade", "HQ");
  game.Play("Tithe", "HQ");
  game.EndTurn();
  game.EndTurn();
  game.Play("Hansei Review");
  game.Select("Hedge Fund");
  // 10 credits: spend them until one is left.
  game.state.corp().credits = 1;
  game.Play("Whitespace", "HQ");
  EXPECT_EQ(game.Message(), "Trash ice protecting the root of HQ (minimum 1)");
  game.Select("Palisade");
  game.Done();
  EXPECT_EQ(game.corp_credits(), 0);
  EXPECT_EQ(game.clicks(), 1);
  EXPECT_EQ(IceCount(game.state, kHqServer), 2);
  EXPECT_FALSE(game.state[game.Find("Palisade", Zone::kDiscard)].faceup);
}

TEST(NetrunnerRules, AnInstallThatCannotBePaidAsksUntilEnoughIceIsTrashed) {
  TestGame game({.corp_hand = {"Palisade", "Tithe", "Whitespace"}});
  game.Play("Palisade", "HQ");
  game.Play("Tithe", "HQ");
  game.state.corp().credits = 0;
  game.Play("Whitespace", "HQ");
  game.Select("Palisade");
  EXPECT_TRUE(game.Options().empty()) << "two ice must go";
  game.Select("Tithe");
  EXPECT_TRUE(game.In("Whitespace", Zone::kInstalled));
  EXPECT_TRUE(game.In("Palisade", Zone::kDiscard));
  EXPECT_EQ(game.clicks(), 0);
}

// Version 1 canceled it at no cost, so the same could be tried again and again; its matches go on like that.
TEST(NetrunnerRules, AnInstallThatTrashedTooLittleWasCanceledInVersion1) {
  TestGame game({.corp_hand = {"Palisade", "Tithe", "Whitespace"}, .rules = 1});
  game.Play("Palisade", "HQ");
  game.Play("Tithe", "HQ");
  game.state.corp().credits = 0;
  game.Play("Whitespace", "HQ");
  game.Select("Palisade");
  game.Done();
  EXPECT_TRUE(game.In("Whitespace", Zone::kHand));
  EXPECT_TRUE(game.In("Palisade", Zone::kInstalled));
  EXPECT_EQ(game.clicks(), 1);
}

TEST(NetrunnerRules, AnAssetMakesWayForAnother) {
  TestGame game({.corp_hand = {"Nico Campaign", "Urtica Cipher", "Manegarm Skunkworks"}});
  game.Play("Nico Campaign", "New remote");
  game.Play("Manegarm Skunkworks", "Server 1");
  game.Play("Urtica Cipher", "Server 1");
  EXPECT_TRUE(game.In("Nico Campaign", Zone::kDiscard));
  EXPECT_TRUE(game.In("Manegarm Skunkworks", Zone::kInstalled));
  EXPECT_EQ(RootOf(game.state, kFirstRemote).size(), 2u);
}

TEST(NetrunnerRules, AgendasAndAssetsGoIntoRemotesOnly) {
  TestGame game({.corp_hand = {"Nico Campaign", "Offworld Office"}});
  for (const std::string_view title : {"Nico Campaign", "Offworld Office"}) {
    const std::string cid = CidOf(game.state, game.Find(title, Zone::kHand));
    EXPECT_FALSE(game.Can("play", json::Object{{"card", cid}, {"server", "HQ"}}));
    EXPECT_TRUE(game.Can("play", json::Object{{"card", cid}, {"server", "New remote"}}));
  }
}

TEST(NetrunnerRules, TheCorpIsAskedWhereToInstall) {
  TestGame game({.corp_hand = {"Palisade"}});
  game.Play("Palisade");
  EXPECT_EQ(game.Message(), "Choose a location to install Palisade");
  EXPECT_EQ(game.Options(), (std::vector<std::string>{"HQ", "R&D", "Archives", "New remote"}));
  game.Choose("R&D");
  EXPECT_EQ(game.On("Palisade").server, kRndServer);
}

TEST(NetrunnerRules, RemotesAreNeverCalledTheSameAgain) {
  TestGame game({.corp_hand = {"Spin Doctor", "Nico Campaign"}});
  game.Play("Spin Doctor", "New remote");
  game.Rez("Spin Doctor");
  game.Ability("Spin Doctor");
  game.Play("Nico Campaign", "New remote");
  EXPECT_EQ(ServerName(game.On("Nico Campaign").server), "Server 2");
  EXPECT_FALSE(ServerExists(game.state, kFirstRemote));
}

TEST(NetrunnerRules, ProgramsNeedMemory) {
  TestGame game({.runner_hand = {"Mayfly", "Mayfly", "Leech"}});
  game.EndTurn();
  game.Play("Mayfly");
  game.Play("Mayfly");
  game.Play("Leech");
  EXPECT_EQ(game.Message(), "Insufficient MU to install Leech. Trash installed programs?");
  game.Select("Mayfly");
  game.Done();
  EXPECT_TRUE(game.In("Leech", Zone::kInstalled));
  EXPECT_EQ(MemoryUsed(game.state), 3);
}

TEST(NetrunnerRules, AnInstallAsksUntilThereIsRoom) {
  TestGame game({.runner_hand = {"Mayfly", "Mayfly", "Leech"}});
  game.EndTurn();
  game.Play("Mayfly");
  game.Play("Mayfly");
  game.Play("Leech");
  EXPECT_TRUE(game.Options().empty());
  game.Select("Mayfly");
  EXPECT_EQ(game.Options(), std::vector<std::string>{"Done"});
  game.Done();
  EXPECT_TRUE(game.In("Leech", Zone::kInstalled));
  EXPECT_EQ(MemoryUsed(game.state), 3);
}

TEST(NetrunnerRules, AnInstallWithoutRoomCostNothingInVersion1) {
  TestGame game({.runner_hand = {"Mayfly", "Mayfly", "Leech"}, .rules = 1});
  game.EndTurn();
  game.Play("Mayfly");
  game.Play("Mayfly");
  const int credits = game.runner_credits();
  game.Play("Leech");
  game.Done();
  EXPECT_TRUE(game.In("Leech", Zone::kHand));
  EXPECT_EQ(game.runner_credits(), credits);
  EXPECT_EQ(game.clicks(), 2);
}

TEST(NetrunnerRules, ProgramsMayBeTrashedThoughThereIsRoom) {
  TestGame game({.runner_hand = {"Mayfly", "Leech"}, .all_windows = true});
  game.corp_decides = true;
  game.Do("end-phase-12");
  game.PassTurn();
  game.Do("end-post-discard");
  game.StartTurn();
  game.Do("end-phase-12");
  const auto go_on = [&] {
    while (game.state.prompt.side == Side::kCorp) game.Continue();
  };
  go_on();
  game.Play("Mayfly");
  go_on();
  game.Play("Leech");
  EXPECT_EQ(game.Message(), "Trash installed programs before installing Leech?");
  game.Select("Mayfly");
  EXPECT_TRUE(game.In("Leech", Zone::kInstalled));
  EXPECT_TRUE(game.In("Mayfly", Zone::kDiscard));
}

TEST(NetrunnerRules, ATrojanThatIsHostedNowhereCostsNothing) {
  TestGame game({.corp_hand = {"Palisade"}, .runner_hand = {"Botulus"}});
  game.Play("Palisade", "HQ");
  game.EndTurn();
  const int credits = game.runner_credits();
  game.Play("Botulus");
  game.Done();
  EXPECT_TRUE(game.In("Botulus", Zone::kHand));
  EXPECT_EQ(game.runner_credits(), credits);
  EXPECT_EQ(game.clicks(), 4);
}

TEST(NetrunnerRules, BreakingNothingCostsNothing) {
  TestGame game = Guarded("Brân 1.0", {.runner_hand = {"Cleaver"}});
  game.Play("Cleaver");
  game.Run("HQ");
  game.state.runner().credits = 20;
  while (game.StrengthOf("Cleaver") < 6) game.Ability("Cleaver", 1);
  const int credits = game.runner_credits();
  game.Ability("Cleaver");
  EXPECT_EQ(game.Message(), "Break a subroutine (0 of 2)");
  game.Done();
  EXPECT_EQ(game.runner_credits(), credits);
  const int clicks = game.clicks();
  game.BreakByClick("Brân 1.0");
  EXPECT_EQ(game.Message(), "Break a subroutine");
  game.Done();
  EXPECT_EQ(game.clicks(), clicks);
  EXPECT_EQ(game.Broken(), 0);
  game.Ability("Cleaver");
  game.Choose("End the run");
  EXPECT_EQ(game.Message(), "Break a subroutine (1 of 2)");
  game.Done();
  EXPECT_EQ(game.runner_credits(), credits - 1);
  EXPECT_EQ(game.Broken(), 1);
}

// Before it starts its turn, but after the other's has ended.
TEST(NetrunnerRules, WhatTheCorpScoresBeforeItsTurnIsOfThatTurn) {
  TestGame game({.corp_hand = {"Luminal Transubstantiation", "Neurospike"}});
  game.Play("Luminal Transubstantiation", "New remote");
  game.Advance("Luminal Transubstantiation", 2);
  game.EndTurn();
  game.EndTurn();
  game.Advance("Luminal Transubstantiation");
  game.EndTurn();
  game.PassTurn();
  game.Score("Luminal Transubstantiation");
  EXPECT_EQ(game.state.corp().clicks, 3);
  game.StartTurn();
  EXPECT_EQ(game.clicks(), 6);
  const int grip = game.grip();
  game.Play("Neurospike");
  EXPECT_EQ(game.grip(), grip - 2);
}

TEST(NetrunnerRules, LosingMemoryCostsPrograms) {
  TestGame game = Guarded(
      "Ping", {.corp_hand = {"Retribution"}, .runner_hand = {"T400 Memory Diamond", "Mayfly", "Mayfly", "Leech"}});
  game.Play("T400 Memory Diamond");
  game.Run("HQ");
  game.EndTurn();
  game.Credit(3);
  game.EndTurn();
  game.Play("Mayfly");
  game.Play("Mayfly");
  game.Play("Leech");
  game.EndTurn();
  game.Play("Retribution");
  game.Select("T400 Memory Diamond");
  EXPECT_EQ(game.Message(), "Insufficient MU. Trash 1 MU of installed programs.");
  EXPECT_EQ(game.state.prompt.side, Side::kRunner);
  game.Select("Leech");
  EXPECT_EQ(MemoryUsed(game.state), 4);
}

TEST(NetrunnerRules, ASecondConsoleTrashesTheFirst) {
  TestGame game({.runner_hand = {"Pennyshaver", "Pantograph"}});
  game.EndTurn();
  game.Play("Pennyshaver");
  game.Play("Pantograph");
  EXPECT_TRUE(game.In("Pennyshaver", Zone::kDiscard));
  EXPECT_TRUE(game.In("Pantograph", Zone::kInstalled));
}

TEST(NetrunnerRules, OnlyWhatCanBeAdvancedIsAdvanced) {
  TestGame game({.corp_hand = {"Nico Campaign", "Offworld Office"}});
  game.Play("Nico Campaign", "New remote");
  game.Play("Offworld Office", "New remote");
  EXPECT_FALSE(game.CanWith("advance", "Nico Campaign"));
  EXPECT_FALSE(game.CanWith("rez", "Offworld Office"));
  EXPECT_FALSE(game.CanWith("score", "Offworld Office"));
  EXPECT_TRUE(game.CanWith("advance", "Offworld Office"));
}

TEST(NetrunnerRules, IceIsRezzedOnlyWhenApproached) {
  TestGame game({.corp_hand = {"Palisade", "Nico Campaign"}});
  game.Play("Palisade", "HQ");
  game.Play("Nico Campaign", "New remote");
  EXPECT_FALSE(game.CanWith("rez", "Palisade"));
  game.EndTurn();
  game.corp_decides = true;
  game.Run("HQ");  // the window before the action was passed for the Corp
  EXPECT_EQ(game.state.run.phase, RunPhase::kInitiation);
  EXPECT_FALSE(game.CanWith("rez", "Palisade"));
  EXPECT_TRUE(game.CanWith("rez", "Nico Campaign"));
  game.Continue();
  EXPECT_EQ(game.state.run.phase, RunPhase::kApproachIce);
  game.Rez("Palisade");
  game.Continue();
  EXPECT_FALSE(game.running());
}

TEST(NetrunnerRules, TheCorpMayPassAllWindowsOfATurn) {
  TestGame game({.corp_hand = {"Nico Campaign"}});
  game.Play("Nico Campaign", "New remote");
  game.Credit(2);
  game.PassTurn();
  game.corp_decides = true;
  game.StartTurn();
  EXPECT_EQ(game.state.prompt.side, Side::kCorp);
  game.Do("continue", json::Object{{"until", "turn-end"}});
  game.Credit(4);
  EXPECT_EQ(game.state.prompt.side, Side::kRunner);
}

TEST(NetrunnerRules, TheRunnerMayJackOutBeforeTheServer) {
  TestGame game({});
  game.EndTurn();
  game.Run("HQ");
  EXPECT_TRUE(game.Can("jack-out"));
  game.Do("jack-out");
  EXPECT_FALSE(game.running());
  EXPECT_FALSE(game.state.run.successful);
  EXPECT_EQ(game.clicks(), 3);
}

TEST(NetrunnerRules, IceIsMetFromTheOutside) {
  TestGame game({.corp_hand = {"Palisade", "Tithe"}});
  game.Play("Palisade", "R&D");
  game.Play("Tithe", "R&D");
  game.EndTurn();
  game.will_rez = {"Palisade", "Tithe"};
  game.Run("R&D");
  EXPECT_EQ(game.grip(), 4);  // Tithe first
  EXPECT_EQ(game.state.run.position, 1);
  game.Continue();
  EXPECT_FALSE(game.running());  // then Palisade
}

TEST(NetrunnerRules, BadIcebreakersDoNotHelp) {
  TestGame game = Guarded("Palisade", {.runner_hand = {"Carmen", "Marjanah"}});
  game.Play("Marjanah");
  game.Run("HQ");
  EXPECT_FALSE(game.CanWith("ability", "Marjanah") &&
               game.Can("ability", json::Object{{"card", CidOf(game.state, game.Find("Marjanah", Zone::kInstalled))},
                                                {"ability", 0}}));
  game.Ability("Marjanah", 1);
  EXPECT_TRUE(game.Can(
      "ability", json::Object{{"card", CidOf(game.state, game.Find("Marjanah", Zone::kInstalled))}, {"ability", 0}}));
}

TEST(NetrunnerRules, ARunOnRndSeesTheTopAndAnotherRunTheSame) {
  TestGame game({.runner_hand = {"Jailbreak"}, .corp_deck = {"Hedge Fund", "Palisade", "Tithe"}});
  game.EndTurn();
  game.Run("R&D");
  game.RunOn();
  EXPECT_EQ(game.Message(), "You accessed Palisade.");
  game.Choose("No action");
  game.Play("Jailbreak");
  game.Choose("R&D");
  game.RunOn();
  EXPECT_EQ(game.Message(), "You accessed Palisade.");
  game.Choose("No action");
  EXPECT_EQ(game.Message(), "You accessed Tithe.");
}

TEST(NetrunnerRules, TheRunnerChoosesTheOrderOfAccesses) {
  TestGame game({.corp_hand = {"Manegarm Skunkworks", "Anoetic Void"}});
  game.Play("Manegarm Skunkworks", "HQ");
  game.Play("Anoetic Void", "HQ");
  game.EndTurn();
  game.Run("HQ");
  game.RunOn();
  EXPECT_EQ(game.Options(), (std::vector<std::string>{"Card from hand", "Unrezzed upgrade", "Unrezzed upgrade (2)"}));
  game.Choose("Unrezzed upgrade (2)");
  EXPECT_EQ(game.Message(), "You accessed Anoetic Void.");
  game.Do("trash");
  game.Choose("Card from hand");
  game.Choose("No action");
  EXPECT_EQ(game.Message(), "You accessed Manegarm Skunkworks.");
}

TEST(NetrunnerRules, BreachingArchivesTurnsItFaceupAndStealsFromIt) {
  TestGame game({.corp_hand = {"Hansei Review", "Offworld Office", "Offworld Office"}});
  game.Play("Hansei Review");
  game.Select("Offworld Office");
  game.EndTurn();
  game.Run("Archives");
  game.RunOn();
  EXPECT_EQ(game.Options(), (std::vector<std::string>{"Offworld Office", "Everything else"}));
  game.Choose("Offworld Office");
  game.Choose("Steal");
  EXPECT_EQ(Points(game.state, Side::kRunner), 2);
  EXPECT_FALSE(game.running());
  for (const Inst inst : game.state.corp().discard) EXPECT_TRUE(game.state[inst].faceup);
}

TEST(NetrunnerRules, EmptyServersAreBreachedForNothing) {
  TestGame game({});
  game.Credit(3);
  game.discards = true;
  game.EndTurn();
  game.Run("Archives");
  game.RunOn();
  EXPECT_TRUE(game.state.run.successful);
  EXPECT_FALSE(game.running());
}

TEST(NetrunnerRules, DamageBeyondTheGripFlatlines) {
  TestGame game({.corp_hand = {"Urtica Cipher"}});
  game.Play("Urtica Cipher", "New remote");
  game.Advance("Urtica Cipher", 2);
  game.EndTurn();
  game.EndTurn();
  game.Advance("Urtica Cipher", 2);
  game.EndTurn();
  game.Run("Server 1");
  game.RunOn();
  EXPECT_EQ(game.state.ending, Ending::kFlatline);
  EXPECT_EQ(game.state.winner, 0);
  EXPECT_FALSE(game.Can("credit"));
}

TEST(NetrunnerRules, DamageOfAllCardsIsSurvived) {
  TestGame game({.corp_hand = {"Urtica Cipher", "Seamless Launch"}});
  game.Play("Urtica Cipher", "New remote");
  game.Advance("Urtica Cipher");
  game.EndTurn();
  game.EndTurn();
  game.Advance("Urtica Cipher", 2);
  game.EndTurn();
  game.Run("Server 1");
  game.RunOn();
  EXPECT_FALSE(game.state.over());
  EXPECT_EQ(game.grip(), 0);
}

TEST(NetrunnerRules, TagsAreRemovedOrPunished) {
  TestGame game = Guarded("Ping", {.runner_hand = {"Smartware Distributor", "Telework Contract"}});
  game.Play("Smartware Distributor");
  game.Play("Telework Contract");
  EXPECT_FALSE(game.Can("remove-tag"));
  game.Run("HQ");
  game.EndTurn();
  const int credits = game.corp_credits();
  game.Do("trash-resource");
  game.Done();
  EXPECT_EQ(game.corp_credits(), credits);
  EXPECT_EQ(game.clicks(), 3);
  game.Do("trash-resource");
  game.Select("Telework Contract");
  EXPECT_EQ(game.clicks(), 2);
  EXPECT_EQ(game.corp_credits(), credits - 2);
  EXPECT_TRUE(game.In("Telework Contract", Zone::kDiscard));
  game.EndTurn();
  const int runner = game.runner_credits();
  game.Do("remove-tag");
  EXPECT_EQ(game.state.tags, 0);
  EXPECT_EQ(game.runner_credits(), runner - 2);
  EXPECT_EQ(game.clicks(), 3);
}

TEST(NetrunnerRules, PurgingRemovesVirusCounters) {
  TestGame game({.runner_hand = {"Fermenter"}});
  game.EndTurn();
  game.Play("Fermenter");
  game.EndTurn();
  game.Do("purge");
  EXPECT_EQ(game.On("Fermenter").virus, 0);
  EXPECT_EQ(game.clicks(), 0);
}

TEST(NetrunnerRules, BadPublicityLendsCreditsForARun) {
  TestGame game({.corp_hand = {"Nico Campaign"}});
  game.Play("Nico Campaign", "New remote");
  game.EndTurn();
  game.state.bad_publicity = 1;
  game.Run("Server 1");
  EXPECT_EQ(Spendable(game.state, Side::kRunner), 6);
  game.RunOn();
  game.Do("trash");
  EXPECT_EQ(game.runner_credits(), 4);
  EXPECT_EQ(Spendable(game.state, Side::kRunner), 4);
}

TEST(NetrunnerRules, TheCorpLosesWhenItMustDrawFromAnEmptyDeck) {
  TestGame game({.corp_rest = 2});
  EXPECT_TRUE(game.Can("draw"));
  game.Draw();
  EXPECT_FALSE(game.Can("draw"));
  game.EndTurn();
  game.EndTurn();
  EXPECT_EQ(game.state.ending, Ending::kDecked);
  EXPECT_EQ(game.state.winner, 1);
}

TEST(NetrunnerRules, AgendaPointsWin) {
  TestGame corp({.corp_hand = {"Offworld Office"}, .points = 2});
  corp.InstallAndScore("Offworld Office");
  EXPECT_EQ(corp.state.ending, Ending::kAgenda);
  EXPECT_EQ(corp.state.winner, 0);
  TestGame runner({.corp_hand = {"Send a Message"}, .points = 3});
  runner.Play("Send a Message", "New remote");
  runner.EndTurn();
  runner.RunAndAccessAll("Server 1");
  EXPECT_EQ(runner.state.ending, Ending::kAgenda);
  EXPECT_EQ(runner.state.winner, 1);
}

TEST(NetrunnerRules, ConcedingLoses) {
  TestGame game({});
  game.Do("concede");
  EXPECT_EQ(game.state.ending, Ending::kConcede);
  EXPECT_EQ(game.state.winner, 1);
}

TEST(NetrunnerRules, AllWindowsOpenOnRequest) {
  TestGame game({.corp_hand = {"Nico Campaign"}, .all_windows = true});
  EXPECT_EQ(game.state.prompt.kind, PromptKind::kPhase12);
  EXPECT_FALSE(game.Can("credit"));
  game.Do("end-phase-12");
  game.Play("Nico Campaign", "New remote");
  game.Credit(2);
  game.Do("end-turn");
  EXPECT_EQ(game.state.prompt.kind, PromptKind::kPostDiscard);
  game.Rez("Nico Campaign");
  game.Do("end-post-discard");
  EXPECT_EQ(game.state.prompt.side, Side::kRunner);
}

TEST(NetrunnerRules, ACardThatMovesHasAnotherNumber) {
  TestGame game({.corp_hand = {"Palisade"}});
  const std::uint16_t before = game.state[game.Find("Palisade", Zone::kHand)].id;
  game.Play("Palisade", "HQ");
  EXPECT_NE(game.On("Palisade").id, before);
}

TEST(NetrunnerRules, RefusalsSayWhatIsPossible) {
  TestGame game({});
  EXPECT_EQ(ReadCommand(game.state, "run", nullptr).error().message,
            "run is not possible now; possible actions: credit, draw, play, purge, concede");
  EXPECT_EQ(ReadCommand(game.state, "play", json::Object{{"card", 7}}).error().code, ErrorCode::kIncorrectData);
  EXPECT_EQ(ReadCommand(game.state, "play", json::Object{{"card", "c9999"}}).error().code, ErrorCode::kIncorrectMove);
  EXPECT_EQ(ReadCommand(game.state, "play", json::Object{{"card", "c9999"}, {"x", 1}}).error().code,
            ErrorCode::kIncorrectData);
  EXPECT_EQ(ReadCommand(game.state, "credit", json::Object{{"x", 1}}).error().code, ErrorCode::kIncorrectData);
}

}  // namespace
}  // namespace openseat::games::netrunner
