#include "protocols/agent_api/netrunner_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "games/netrunner/netrunner.h"
#include "protocols/agent_api/look_test_support.h"

namespace openseat::agent_api {
namespace {

using ::testing::ElementsAre;
using ::testing::IsSubsetOf;
using ::testing::UnorderedElementsAre;

std::vector<std::string> Names(const json::Object& object) {
  std::vector<std::string> names;
  for (const auto& [name, member] : object) names.emplace_back(json::View(name));
  return names;
}

class NetrunnerJsonTest : public ::testing::Test {
 protected:
  const std::unique_ptr<Game> game_ = games::MakeNetrunner();
};

TEST_F(NetrunnerJsonTest, BeginsWithTheCorpsMulligan) {
  const LookedAt table(*game_, 1);
  const json::Object corp = netrunner::Prompt(table.Look(0));
  EXPECT_EQ(corp.at("side"), json::Value("corp"));
  const json::Object& prompt = corp.at("prompt").as_object();
  EXPECT_EQ(prompt.at("message"), json::Value("Keep hand?"));
  EXPECT_EQ(prompt.at("prompt-type"), json::Value("mulligan"));
  EXPECT_EQ(prompt.at("eid"), json::Value(std::uint64_t{1}));
  EXPECT_EQ(prompt.at("choices").at(0).at("value"), json::Value("Keep"));
  EXPECT_EQ(prompt.at("choices").at(1).at("idx"), json::Value(1));
  EXPECT_EQ(prompt.at("choices").at(1).at("uuid").as_string().size(), 36u);
  EXPECT_TRUE(prompt.at("card").is_null());
  EXPECT_EQ(netrunner::AvailableActions(table.Look(0)).at("action-type"), json::Value("prompt"));

  const json::Object runner = netrunner::Prompt(table.Look(1));
  EXPECT_EQ(runner.at("prompt").at("prompt-type"), json::Value("waiting"));
  EXPECT_EQ(runner.at("prompt").at("can-act"), json::Value(false));
  EXPECT_EQ(netrunner::AvailableActions(table.Look(1)).at("action-type"), json::Value("waiting"));
}

TEST_F(NetrunnerJsonTest, AnswersHaveTheDocumentsMembers) {
  LookedAt table(*game_, 1);
  table.Play("keep", nullptr);
  table.Play("keep", nullptr);
  EXPECT_EQ(netrunner::AvailableActions(table.Look(0)).at("action-type"), json::Value("start-turn"));
  table.Play("start-turn", nullptr);
  const SeatView look = table.Look(0);

  const json::Object state = netrunner::State(look);
  EXPECT_THAT(Names(state), ElementsAre("gameid", "turn", "active-player", "phase", "agent-side", "agent-state",
                                        "opponent-state", "run", "available-actions", "log", "version"));
  EXPECT_EQ(state.at("turn"), json::Value(1));
  EXPECT_EQ(state.at("active-player"), json::Value("corp"));
  EXPECT_EQ(state.at("phase"), json::Value("main"));
  EXPECT_EQ(state.at("agent-state").at("hand").as_array().size(), 6u);
  EXPECT_FALSE(state.at("opponent-state").as_object().contains("hand"));
  EXPECT_EQ(state.at("opponent-state").at("hand-count"), json::Value(5));
  EXPECT_EQ(state.at("log").at(0).at("user"), json::Value("__system__"));

  const json::Object actions = netrunner::Actions(look);
  EXPECT_THAT(Names(actions), ElementsAre("actions", "side"));
  const json::Object& main = actions.at("actions").as_object();
  EXPECT_EQ(main.at("action-type"), json::Value("main"));
  EXPECT_EQ(main.at("clicks"), json::Value(3));
  EXPECT_EQ(main.at("credits"), json::Value(5));
  EXPECT_EQ(main.at("can-act"), json::Value(true));
  EXPECT_EQ(main.at("basic-actions").at("basic-actions").at(0).at("action"), json::Value("credit"));
  EXPECT_FALSE(main.at("installable-cards").as_array().empty());

  const json::Object board = netrunner::Board(look);
  EXPECT_THAT(Names(board), ElementsAre("servers", "rig", "side"));
  EXPECT_THAT(Names(board.at("servers").as_object()), ElementsAre("hq", "rd", "archives"));
  EXPECT_THAT(Names(board.at("servers").at("hq").as_object()), ElementsAre("content", "ices"));
  EXPECT_THAT(Names(board.at("rig").as_object()), ElementsAre("hardware", "program", "resource", "facedown"));

  EXPECT_EQ(json::Write(netrunner::Scored(look)),
            R"({"corp":{"scored":[],"agenda-points":0},"runner":{"scored":[],"agenda-points":0}})");
  EXPECT_EQ(json::Write(netrunner::Run(look)), R"({"run":null,"encounters":null})");
  EXPECT_EQ(netrunner::Hand(look).at("cards").as_array().size(), 6u);
  EXPECT_EQ(netrunner::Deck(look).at("cards").as_array().size(), 28u);
  EXPECT_EQ(netrunner::Discard(look).at("cards").as_array().size(), 0u);
  EXPECT_THAT(Names(netrunner::Decklist(look)), UnorderedElementsAre("name", "identity", "cards"));
  EXPECT_EQ(json::Write(netrunner::Log(look).at("messages").at(0)),
            R"({"user":"__system__","text":"Corp keeps their hand."})");
}

TEST_F(NetrunnerJsonTest, ARunIsShownWithItsServersName) {
  LookedAt table(*game_, 3);
  for (int side = 0; side < 2; ++side) table.Play("keep", nullptr);
  for (const char* action : {"start-turn", "credit", "credit", "credit", "end-turn"}) {
    if (table.Look(table.awaited()).actions().Find(action) == nullptr) continue;
    table.Play(action, nullptr);
  }
  while (table.awaited() == 0) table.Step();
  table.Play("start-turn", nullptr);
  while (table.awaited() == 0) table.Play("continue", json::Object());
  table.Play("run", json::Object{{"server", "HQ"}});
  const json::Object run = netrunner::Run(table.Look(1));
  EXPECT_EQ(run.at("run").at("server"), json::Value("HQ"));
  EXPECT_THAT(Names(run.at("run").as_object()), ElementsAre("server", "position", "phase", "no-action", "next-phase"));
  EXPECT_EQ(netrunner::State(table.Look(1)).at("phase"), json::Value("run"));
  const json::Object actions = netrunner::AvailableActions(table.Look(table.awaited()));
  EXPECT_THAT(std::string(actions.at("action-type").as_string()), ::testing::StartsWith("run-"));
  EXPECT_EQ(actions.at("run-info").at("server"), json::Value("HQ"));
}

// Whole random games, looked at from both sides all the time.
TEST_F(NetrunnerJsonTest, NobodySeesMoreThanTheirOwnSide) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    LookedAt table(*game_, seed);
    while (!table.over()) {
      for (const SeatIndex seat : {0u, 1u}) {
        const SeatView look = table.Look(seat);
        json::Array all{netrunner::State(look),   netrunner::Prompt(look), netrunner::Actions(look),
                        netrunner::Board(look),   netrunner::Scored(look), netrunner::Run(look),
                        netrunner::Hand(look),    netrunner::Deck(look),   netrunner::Discard(look),
                        netrunner::Decklist(look)};
        std::set<std::string> shown;
        CollectCids(all, shown);
        std::set<std::string> visible;
        CollectCids(look.sight->observation(), visible);
        ASSERT_THAT(shown, IsSubsetOf(visible));
        // The other hand appears only as a number.
        std::set<std::string> secret;
        const json::Value other =
            table.Look(1 - seat).sight->observation().at(seat == 0 ? "runner" : "corp").at("hand");
        CollectCids(other, secret);
        const json::Value prompt = look.sight->observation().at("prompt");
        for (const std::string& cid : secret) {
          if (json::Write(prompt).find("\"" + cid + "\"") != std::string::npos) continue;  // an access
          ASSERT_FALSE(shown.contains(cid)) << cid;
        }
        const std::size_t deck = netrunner::Deck(look).at("cards").as_array().size();
        ASSERT_EQ(
            json::Value(deck),
            json::Value(
                look.sight->observation().at(seat == 0 ? "corp" : "runner").at("deck-count").to_number<std::size_t>()));
      }
      table.Step();
    }
    const json::Object state = netrunner::State(table.Look(0));
    EXPECT_EQ(state.at("phase"), json::Value("game-over"));
    EXPECT_TRUE(state.contains("winner"));
    EXPECT_EQ(netrunner::AvailableActions(table.Look(0)).at("action-type"), json::Value("game-over"));
    EXPECT_TRUE(netrunner::PromptValue(table.Look(0)).is_null());
  }
}

}  // namespace
}  // namespace openseat::agent_api
