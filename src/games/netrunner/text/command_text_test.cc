#include "games/netrunner/text/command_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "games/netrunner/play_test_support.h"
#include "games/netrunner/text/consequence.h"
#include "games/netrunner/text/log.h"

namespace openseat::games::netrunner {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;
using ::testing::MatchesRegex;
using ::testing::Not;

// Of what is offered to the side that is asked.
std::vector<std::string> Offered(const State& state) {
  CommandList commands;
  ListCommands(state, commands);
  std::vector<std::string> labels;
  for (const Command& command : commands.all()) {
    if (IsOffered(state, command)) labels.push_back(CommandLabel(state, command));
  }
  return labels;
}

TEST(CommandText, SaysWhatIsDoneWithNamesAndPrices) {
  TestGame game({.corp_hand = {"Palisade", "Palisade", "Nico Campaign", "Hedge Fund"}});
  EXPECT_THAT(Offered(game.state),
              IsSupersetOf({"Gain 1 credit (1 click)", "Draw a card (1 click)", "Play Hedge Fund (1 click, 5 credits)",
                            "Install Palisade on HQ (1 click)", "Install Nico Campaign in a new remote (1 click)"}));
  EXPECT_THAT(Offered(game.state), Not(Contains("Install Nico Campaign (1 click)"))) << "the server is named at once";
  game.Play("Palisade", "HQ");
  EXPECT_THAT(Offered(game.state), Contains("Install Palisade on HQ (1 click, 1 credit)"));
  EXPECT_THAT(Offered(game.state), Not(Contains(HasSubstr("(c"))));
}

TEST(CommandText, TellsCardsOfTheSameNameApart) {
  TestGame game({.corp_hand = {"Offworld Office", "Offworld Office", "Send a Message"}});
  game.Play("Offworld Office", "New remote");
  EXPECT_THAT(Offered(game.state), Contains("Advance Offworld Office in Server 1 (1 click, 1 credit)"));
  game.Play("Offworld Office", "New remote");
  EXPECT_THAT(Offered(game.state), Contains("Advance Offworld Office in Server 2 (1 click, 1 credit)"))
      << "the place tells them apart";

  TestGame rig({.runner_hand = {"Telework Contract", "Telework Contract"}});
  rig.EndTurn();
  rig.Play("Telework Contract");
  EXPECT_THAT(Offered(rig.state), Contains("Telework Contract: Take 3 credits from this resource (1 click)"));
  rig.Play("Telework Contract");
  EXPECT_THAT(Offered(rig.state), Contains(MatchesRegex(R"(Telework Contract \(c[0-9]+\): Take 3 credits from .*)")));
}

TEST(CommandText, SaysWhatFollows) {
  TestGame game({.corp_hand = {"Karunā"}});
  game.Play("Karunā", "HQ");
  game.state.corp().credits = 9;
  game.EndTurn();
  game.corp_decides = true;
  game.Run("HQ");
  EXPECT_THAT(Offered(game.state), Contains("Do not rez Karunā"));
  game.Rez("Karunā");
  while (game.state.prompt.side == Side::kCorp) game.Continue();
  EXPECT_THAT(game.LogText(), HasSubstr("Corp resolves subroutine 1 of Karunā"));
}

TEST(CommandText, NothingDangerousIsTakenForAPass) {
  TestGame game({.corp_hand = {"Karunā"}, .runner_hand = {"Carmen"}});
  game.Play("Karunā", "HQ");
  game.state.corp().credits = 9;
  game.EndTurn();
  game.state.runner().credits = 20;
  game.Play("Carmen");
  game.WillRez("Karunā");
  game.Run("HQ");
  ASSERT_TRUE(Encountering(game.state));
  const Consequence passing = OfPassing(game.state);
  EXPECT_TRUE(passing.danger);
  EXPECT_EQ(passing.label,
            "Let 2 subroutines of Karunā resolve: do 2 net damage. The Runner may jack out; do 2 net damage");
  EXPECT_THAT(Offered(game.state), Contains(HasSubstr("Break all 2 subroutines of Karunā with Carmen (")));
  game.AutoBreak("Carmen");
  EXPECT_FALSE(game.state.prompt.kind == PromptKind::kWindow && OfPassing(game.state).danger);
}

TEST(CommandText, JackingOutBetweenSubroutinesSaysWhatStayingCosts) {
  TestGame game({.corp_hand = {"Karunā"}});
  game.Play("Karunā", "HQ");
  game.state.corp().credits = 9;
  game.EndTurn();
  game.WillRez("Karunā");
  game.Run("HQ");
  game.RunOn();
  EXPECT_THAT(Offered(game.state),
              ElementsAre("Jack out: end the run", "Stay: 1 subroutine of Karunā resolves: do 2 net damage"));
  EXPECT_TRUE(OfOption(game.state, 1).danger);
}

TEST(CommandText, AnAccessSaysWhatIsStolen) {
  TestGame game({.corp_hand = {"Send a Message"}});
  game.Play("Send a Message", "New remote");
  game.EndTurn();
  game.Run("Server 1");
  game.RunOn();
  EXPECT_THAT(Offered(game.state), Contains("Steal Send a Message: 3 agenda points"));
}

TEST(PlainWords, CountsClicksAndCredits) {
  EXPECT_EQ(PlainWords("Pay 1 [Credits] to trash"), "Pay 1 credit to trash");
  EXPECT_EQ(PlainWords("Corp spends [Click] and pays 5 [Credits] to play it"),
            "Corp spends a click and pays 5 credits to play it");
  EXPECT_EQ(PlainWords("Corp spends [Click][Click][Click] to purge"), "Corp spends 3 clicks to purge");
  EXPECT_EQ(PlainWords("[Trash] it: [Click"), "[Trash] it: [Click");
}

}  // namespace
}  // namespace openseat::games::netrunner
