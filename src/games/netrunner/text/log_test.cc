#include "games/netrunner/text/log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "games/netrunner/play_test_support.h"

namespace openseat::games::netrunner {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;

TestGame WithIce(std::string_view ice, const TestDecks& decks = {}) {
  TestDecks all = decks;
  all.corp_hand = {ice};
  TestGame game(all);
  game.Play(ice, "HQ");
  game.EndTurn();
  game.WillRez(ice);
  return game;
}

TEST(LogText, NamesCostAndCause) {
  TestGame game = WithIce("Whitespace");
  game.Run("HQ");
  game.RunOn();
  EXPECT_THAT(game.Lines(),
              IsSupersetOf({"Corp spends [Click] to install Whitespace protecting HQ.",
                            "Runner spends [Click] to make a run on HQ.", "Corp pays 2 [Credits] to rez Whitespace.",
                            "Runner loses 3 [Credits] to Whitespace.", "Corp ends the run with Whitespace."}));
}

TEST(LogText, TheEndOfARunSaysWhatItCostAndBrought) {
  TestGame failed = WithIce("Whitespace");
  failed.Run("HQ");
  failed.RunOn();
  EXPECT_THAT(
      failed.Lines(),
      Contains("Runner ends an unsuccessful run on HQ: Whitespace ended it. It cost the loss of 3 [Credits]; it "
               "brought nothing. The Corp paid 2 [Credits] to rez."));

  TestGame hurt = WithIce("Karunā");
  hurt.Run("HQ");
  hurt.Choose("No");
  hurt.RunOn();
  hurt.AccessAll();
  EXPECT_THAT(hurt.LogText(), HasSubstr("It cost 4 damage; it brought 1 card seen. The Corp paid 4 [Credits] to rez."));

  TestGame stole({.corp_hand = {"Send a Message"}});
  stole.Play("Send a Message", "New remote");
  stole.EndTurn();
  stole.Run("Server 1");
  stole.RunOn();
  stole.Choose("Steal");
  EXPECT_THAT(stole.Lines(), Contains("Runner ends a successful run on Server 1. It cost nothing; it brought Send a "
                                      "Message and 1 card seen."));
}

TEST(LogText, ABreakSaysItsPrice) {
  TestGame game({.corp_hand = {"Palisade"}, .runner_hand = {"Cleaver"}});
  game.Play("Palisade", "HQ");
  game.EndTurn();
  game.Play("Cleaver");
  game.WillRez("Palisade");
  game.Run("HQ");
  game.Ability("Cleaver", 0);
  EXPECT_THAT(game.Lines(), Contains("Runner pays 1 [Credits] to break 1 subroutine of Palisade with Cleaver."));
}

TEST(LogText, AnAbilitySaysWhatItDoes) {
  TestGame game({.runner_hand = {"Telework Contract"}});
  game.EndTurn();
  game.Play("Telework Contract");
  game.Ability("Telework Contract");
  EXPECT_THAT(game.Lines(),
              IsSupersetOf({"Runner spends [Click] and pays 1 [Credits] to install Telework Contract.",
                            "Runner spends [Click] to use Telework Contract: take 3 [Credits] from this resource.",
                            "Runner takes 3 [Credits] from Telework Contract."}));
}

}  // namespace
}  // namespace openseat::games::netrunner
