#include "games/netrunner/text/command_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "games/netrunner/play_test_support.h"
#include "games/netrunner/text/log.h"

namespace openseat::games::netrunner {
namespace {

using ::testing::Contains;
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

TEST(PlainWords, CountsClicksAndCredits) {
  EXPECT_EQ(PlainWords("Pay 1 [Credits] to trash"), "Pay 1 credit to trash");
  EXPECT_EQ(PlainWords("Corp spends [Click] and pays 5 [Credits] to play it"),
            "Corp spends a click and pays 5 credits to play it");
  EXPECT_EQ(PlainWords("Corp spends [Click][Click][Click] to purge"), "Corp spends 3 clicks to purge");
  EXPECT_EQ(PlainWords("[Trash] it: [Click"), "[Trash] it: [Click");
}

}  // namespace
}  // namespace openseat::games::netrunner
