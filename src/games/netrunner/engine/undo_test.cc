#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "games/netrunner/play_test_support.h"
#include "games/netrunner/wire/position.h"

namespace openseat::games::netrunner {
namespace {

using ::testing::Contains;

// Everything but the log, the numbers of cards, and that something was taken back.
void ExpectAsBefore(const State& now, const State& before) {
  for (const Side side : {Side::kCorp, Side::kRunner}) {
    EXPECT_EQ(now.Of(side).credits, before.Of(side).credits);
    EXPECT_EQ(now.Of(side).clicks, before.Of(side).clicks);
    EXPECT_EQ(now.Of(side).hand.size(), before.Of(side).hand.size());
    EXPECT_TRUE(now.Of(side).installed == before.Of(side).installed);
    EXPECT_TRUE(now.Of(side).deck == before.Of(side).deck);
  }
  EXPECT_EQ(now.tags, before.tags);
  EXPECT_EQ(now.next_remote, before.next_remote);
  EXPECT_TRUE(now.log_of_turn == before.log_of_turn);
  EXPECT_TRUE(now.rng == before.rng);
}

TEST(Undo, TakesBackAClickThatShowedNothing) {
  TestGame game({.corp_hand = {"Palisade", "Offworld Office", "Nico Campaign"}});
  const State before = game.state;
  EXPECT_FALSE(game.Can("undo"));
  game.Credit();
  game.Do("undo");
  ExpectAsBefore(game.state, before);
  EXPECT_FALSE(game.Can("undo")) << "one click";
  game.Play("Palisade", "HQ");
  game.Do("undo");
  ExpectAsBefore(game.state, before);
  game.Play("Offworld Office", "New remote");
  const State installed = game.state;
  game.Advance("Offworld Office");
  game.Do("undo");
  ExpectAsBefore(game.state, installed);
  EXPECT_EQ(game.On("Offworld Office").advancement, 0);
  EXPECT_THAT(game.Lines(), Contains("Corp takes back the last click: advancing Offworld Office in Server 1."));
}

TEST(Undo, TheRunnerKnowsOfHqWhatItKnewBefore) {
  TestGame game({.corp_hand = {"Offworld Office", "Nico Campaign", "Palisade"}});
  const auto accessed = [&](std::string_view title) { game.state[game.Find(title, Zone::kHand)].known = true; };
  accessed("Offworld Office");
  accessed("Nico Campaign");
  const auto known = [&](std::string_view title) { return bool{game.state[game.Find(title, Zone::kHand)].known}; };
  const std::uint16_t number = game.state[game.Find("Offworld Office", Zone::kHand)].id;
  game.Play("Offworld Office", "New remote");
  EXPECT_FALSE(known("Nico Campaign")) << "it may have been this one";
  game.Do("undo");
  EXPECT_TRUE(known("Offworld Office"));
  EXPECT_EQ(game.state[game.Find("Offworld Office", Zone::kHand)].id, number)
      << "a new number would say which one it was";
  EXPECT_TRUE(known("Nico Campaign"));
  EXPECT_FALSE(known("Palisade"));
  EXPECT_THAT(game.Lines(), Contains("Corp takes back the last click: installing Offworld Office in Server 1."));

  game.Play("Palisade", "HQ");
  const State& state = game.state;
  EXPECT_TRUE(*ReadPosition(WritePosition(state)) == [&] {
    State copy = state;
    copy.log = {};
    return copy;
  }());
  game.Do("undo");
  EXPECT_TRUE(known("Offworld Office"));
  EXPECT_FALSE(known("Palisade"));
}

TEST(Undo, TakesBackTheLastClickOfATurn) {
  TestGame game({});
  game.Credit(3);
  game.Do("undo");
  EXPECT_EQ(game.clicks(), 1);
  EXPECT_TRUE(game.Can("credit"));
}

TEST(Undo, TheRunnersInstallIsPaidBack) {
  TestGame game({.runner_hand = {"Cleaver"}});
  game.EndTurn();
  const State before = game.state;
  game.Play("Cleaver");
  game.Do("undo");
  ExpectAsBefore(game.state, before);
}

TEST(Undo, NotWhatShowedSomethingNew) {
  TestGame game({.corp_hand = {"Hedge Fund", "Spin Doctor", "Nico Campaign"}});
  game.Draw();
  EXPECT_FALSE(game.Can("undo")) << "a card was drawn";
  game.Play("Hedge Fund");
  EXPECT_FALSE(game.Can("undo")) << "a card's text was resolved";
  game.Play("Nico Campaign", "New remote");
  EXPECT_TRUE(game.Can("undo"));
  game.Rez("Nico Campaign");
  EXPECT_FALSE(game.Can("undo")) << "the Runner has seen it";
  game.EndTurn();
  game.Run("Archives");
  game.RunOn();
  game.AccessAll();
  EXPECT_FALSE(game.Can("undo")) << "a run";
}

// The Corp is asked before the next action of the Runner, and may have answered to what it saw.
TEST(Undo, NotOnceTheOtherSideWasAsked) {
  TestGame game({.corp_hand = {"Nico Campaign"}});
  game.Play("Nico Campaign", "New remote");
  game.EndTurn();
  game.Credit();
  EXPECT_FALSE(game.Can("undo"));
}

TEST(Undo, NotAnInstallThatTrashedAnother) {
  TestGame game({.corp_hand = {"Nico Campaign", "Spin Doctor"}});
  game.Play("Nico Campaign", "New remote");
  game.Play("Spin Doctor", "Server 1");
  EXPECT_FALSE(game.Can("undo"));
}

TEST(Undo, TenTimesATurn) {
  TestGame game({});
  for (int i = 0; i < kMostUndone; ++i) {
    game.Credit();
    game.Do("undo");
  }
  game.Credit();
  EXPECT_FALSE(game.Can("undo"));
  game.EndTurn();
  game.Credit();
  EXPECT_TRUE(game.Can("undo")) << "ten more in the next turn";
}

TEST(Undo, IsNotListedAsAMove) {
  TestGame game({});
  game.Credit();
  ASSERT_TRUE(game.Can("undo"));
  CommandList commands;
  ListCommands(game.state, commands);
  for (const Command& command : commands.all()) EXPECT_NE(command.kind, CommandKind::kUndo);
}

TEST(Undo, CameWithVersion2) {
  TestGame game({.rules = 1});
  game.Credit();
  EXPECT_FALSE(game.Can("undo"));
}

}  // namespace
}  // namespace openseat::games::netrunner
