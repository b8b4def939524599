// What each side is shown of the table: the members of cards, players, prompts and runs.
#include "games/netrunner/wire/observe.h"

#include <gmock/gmock.h>

#include <set>
#include <string>
#include <vector>

#include "games/netrunner/play_test_support.h"

namespace openseat::games::netrunner {
namespace {

using ::testing::ElementsAre;
using ::testing::IsSubsetOf;
using ::testing::IsSupersetOf;

const std::vector<std::string> kNames = {"Ana", "Bo"};

json::Object Seen(const TestGame& game, std::optional<Side> viewer) {
  return ObserveState(game.state, viewer, kNames);
}
json::Object Player(const TestGame& game, std::optional<Side> viewer, std::string_view side) {
  return Seen(game, viewer).at(side).get_object();
}
json::Object IceOnHq(const TestGame& game, std::optional<Side> viewer) {
  return Player(game, viewer, "corp").at("servers").at("hq").at("ices").get_array()[0].get_object();
}
json::Object PromptOf(const TestGame& game) {
  return Seen(game, game.state.prompt.side).at("prompt").get_object();
}
std::set<std::string> Members(const json::Object& object) {
  std::set<std::string> names;
  for (const auto& member : object) names.insert(std::string(json::View(member.key())));
  return names;
}
std::vector<std::string> Values(const json::Object& prompt, std::string_view member) {
  std::vector<std::string> out;
  for (const json::Value& choice : prompt.at("choices").get_array()) {
    const json::Value* value = json::Find(choice, member);
    out.emplace_back(value == nullptr ? "-" : json::View(value->get_string()));
  }
  return out;
}

TEST(NetrunnerObserve, AFacedownCardShowsTheOthersOnlyThatItIsThere) {
  TestGame game({.corp_hand = {"Palisade"}});
  game.Play("Palisade", "HQ");
  for (const std::optional<Side> viewer : {std::optional<Side>(Side::kRunner), std::optional<Side>()}) {
    EXPECT_THAT(Members(IceOnHq(game, viewer)),
                IsSubsetOf({"cid", "side", "zone", "new", "advance-counter", "counter", "host", "hosted"}));
  }
  const json::Object own = IceOnHq(game, Side::kCorp);
  EXPECT_EQ(own.at("title"), json::Value("Palisade"));
  EXPECT_EQ(own.at("rezzed"), json::Value(false));
  EXPECT_EQ(own.at("facedown"), json::Value(true));
}

TEST(NetrunnerObserve, SaysWhatWasInstalledOrRezzedThisTurn) {
  TestGame game({.corp_hand = {"Palisade", "Manegarm Skunkworks"}});
  game.Play("Palisade", "HQ");
  game.Play("Manegarm Skunkworks", "HQ");
  game.Rez("Manegarm Skunkworks");
  const auto upgrade = [&] {
    return Player(game, Side::kRunner, "corp").at("servers").at("hq").at("content").get_array()[0].get_object();
  };
  EXPECT_EQ(IceOnHq(game, Side::kCorp).at("installed"), json::Value("this-turn"));
  EXPECT_EQ(upgrade().at("rezzed"), json::Value("this-turn"));
  EXPECT_EQ(upgrade().at("installed"), json::Value("this-turn"));
  EXPECT_EQ(upgrade().at("facedown"), json::Value(false));
  game.EndTurn();
  EXPECT_EQ(IceOnHq(game, Side::kCorp).at("installed"), json::Value(true));
  EXPECT_EQ(upgrade().at("rezzed"), json::Value(true));
}

TEST(NetrunnerObserve, ACardThatIsSeenHasItsNamesPointsAndAbilities) {
  TestGame game({.corp_hand = {"Brân 1.0", "Send a Message"}});
  game.Play("Brân 1.0", "HQ");
  const json::Object bran = IceOnHq(game, Side::kCorp);
  EXPECT_EQ(bran.at("printed-title"), json::Value("Brân 1.0"));
  EXPECT_EQ(bran.at("normalizedtitle"), json::Value("bran 1.0"));
  EXPECT_EQ(bran.at("implementation"), json::Value("full"));
  EXPECT_EQ(bran.at("corp-abilities"), json::Value(json::Array()));
  const json::Object click = bran.at("runner-abilities").get_array()[0].get_object();
  EXPECT_THAT(Members(click), ElementsAre("cost-label", "dynamic", "label", "playable"));
  const json::Object corp = Player(game, Side::kCorp, "corp");
  for (const json::Value& card : corp.at("hand").get_array()) {
    if (card.at("title") != json::Value("Send a Message")) continue;
    EXPECT_EQ(card.at("current-points"), json::Value(3));
    EXPECT_EQ(card.at("current-advancement-requirement"), json::Value(5));
  }
}

TEST(NetrunnerObserve, AnAbilityIsPlayableWhereItIsLegal) {
  TestGame game = Guarded("Palisade", {.runner_hand = {"Cleaver"}});
  game.Play("Cleaver");
  const auto playable = [&] {
    const json::Value cleaver = Player(game, Side::kRunner, "runner").at("rig").at("program").get_array()[0];
    return cleaver.at("abilities").get_array()[0].at("playable");
  };
  EXPECT_EQ(playable(), json::Value(false));
  game.Run("HQ");
  ASSERT_TRUE(Encountering(game.state));
  EXPECT_EQ(playable(), json::Value(true));
}

TEST(NetrunnerObserve, PlayersHaveTheMembersOfThePublishedClients) {
  TestGame game({});
  const json::Object corp = Player(game, Side::kCorp, "corp");
  EXPECT_THAT(Members(corp), IsSupersetOf({"set-aside", "basic-action-card", "toast", "properties", "install-list"}));
  EXPECT_EQ(corp.at("basic-action-card").at("abilities").get_array().size(), 7U);
  const json::Object other = Player(game, Side::kRunner, "corp");
  EXPECT_FALSE(other.contains("toast"));
  EXPECT_FALSE(other.contains("install-list"));
  const json::Object runner = Player(game, Side::kRunner, "runner");
  EXPECT_THAT(Members(runner), IsSupersetOf({"toast", "runnable-list"}));
  EXPECT_EQ(runner.at("runnable-list"), json::Value(json::Array{"HQ", "R&D", "Archives"}));
  EXPECT_TRUE(runner.at("memory").at("only-for").is_object());
}

TEST(NetrunnerObserve, CreditsOnAnEventAreShown) {
  TestGame game({.runner_hand = {"Overclock"}});
  game.EndTurn();
  game.Play("Overclock");
  const json::Object event = Player(game, Side::kCorp, "runner").at("play-area").get_array()[0].get_object();
  EXPECT_EQ(event.at("counter").at("credit"), json::Value(5));
}

TEST(NetrunnerObserve, AnAccessedCardHasItsBareTitle) {
  TestGame game({.corp_hand = {"Send a Message"}});
  game.Play("Send a Message", "New remote");
  game.EndTurn();
  game.Run("Server 1");
  game.RunOn();
  const json::Object prompt = PromptOf(game);
  EXPECT_EQ(prompt.at("message"), json::Value("You accessed Send a Message."));
  EXPECT_EQ(prompt.at("card").at("title"), json::Value("Send a Message"));
}

TEST(NetrunnerObserve, ThePositionIsTheIceThatIsNotPassed) {
  TestGame game = Guarded("Whitespace");
  game.will_rez.clear();
  game.Run("HQ");
  while (game.state.prompt.kind != PromptKind::kJackOut) game.Continue();
  EXPECT_EQ(Seen(game, Side::kRunner).at("run").at("phase"), json::Value("movement"));
  EXPECT_EQ(Seen(game, Side::kRunner).at("run").at("position"), json::Value(0));
}

TEST(NetrunnerObserve, EqualOptionsSayTheSameAndAreChosenByNamesOfTheirOwn) {
  TestGame game = Guarded("Brân 1.0", {.corp_hand = {"Hedge Fund"}});
  game.Run("HQ");
  ASSERT_TRUE(Encountering(game.state)) << game.LogText();
  game.BreakByClick("Brân 1.0");
  const json::Object prompt = PromptOf(game);
  EXPECT_THAT(Values(prompt, "value"),
              ElementsAre("Install an ice from HQ or Archives", "End the run", "End the run", "Done"));
  EXPECT_THAT(Values(prompt, "option"), ElementsAre("-", "-", "End the run (2)", "-"));
  game.Choose("End the run (2)");
  EXPECT_EQ(game.state.run.broken, 4);
}

TEST(NetrunnerObserve, WhatASearchOffersHasACid) {
  TestGame game({.runner_hand = {"Mutual Favor"}, .runner_deck = {"Carmen", "Cleaver"}});
  game.EndTurn();
  const std::uint16_t next = game.state.next_id;
  game.Play("Mutual Favor");
  const json::Object prompt = PromptOf(game);
  std::set<std::string> cids;
  for (const json::Value& choice : prompt.at("choices").get_array()) {
    if (const json::Value* card = json::Find(choice, "card")) cids.insert(json::Write(card->at("cid")));
  }
  EXPECT_EQ(cids.size(), 2U);
  EXPECT_FALSE(cids.contains("\"\""));
  EXPECT_EQ(game.state.next_id, next + 1) << "the number of options would show in the numbers of other cards";
  game.Choose("Carmen");
  for (const Inst inst : game.state.runner().deck) EXPECT_EQ(game.state[inst].id, 0);
}

TEST(NetrunnerObserve, ARunEndsWithTheGame) {
  TestGame game({.corp_hand = {"Send a Message"}, .points = 3});
  game.Play("Send a Message", "New remote");
  game.EndTurn();
  game.Run("Server 1");
  game.RunOn();
  game.Choose("Steal");
  ASSERT_TRUE(game.state.over());
  const json::Object seen = Seen(game, Side::kRunner);
  EXPECT_TRUE(seen.at("run").is_null());
  const json::Value last = seen.at("runs").get_array().back();
  EXPECT_EQ(last.at("event"), json::Value("ended"));
  EXPECT_EQ(last.at("successful"), json::Value(true));
}

}  // namespace
}  // namespace openseat::games::netrunner
