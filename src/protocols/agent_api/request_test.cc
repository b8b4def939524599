#include "protocols/agent_api/request.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <utility>

#include "games/netrunner/netrunner.h"
#include "games/tictactoe/tictactoe.h"
#include "protocols/agent_api/look_test_support.h"
#include "protocols/agent_api/netrunner_json.h"
#include "protocols/agent_api/plain_json.h"

namespace openseat::agent_api {
namespace {

using ::testing::HasSubstr;

class RequestTest : public ::testing::Test {
 protected:
  static std::string Refused(const Result<Wanted>& wanted) { return wanted ? "accepted" : wanted.error().message; }
  const std::unique_ptr<Game> game_ = games::MakeNetrunner();
};

// Every legal choice can be expressed through the API, and everything that it offers is legal.
TEST_F(RequestTest, AllLegalChoicesAndNoOthersAreOffered) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    LookedAt table(*game_, seed, json::Object{{"all-windows", seed == 2}});
    while (!table.over()) {
      const SeatView look = table.Look(table.awaited());
      std::set<std::string> offered;
      const auto offer = [&](const Result<Wanted>& wanted) {
        ASSERT_TRUE(wanted) << wanted.error().message;
        const Result<void> valid = table.state().Validate(look.seat(), wanted->choice.action, wanted->choice.data);
        ASSERT_TRUE(valid) << valid.error().message;
        EXPECT_EQ(wanted->choice.decision, look.decision->id);
        offered.insert(wanted->choice.action + json::Write(wanted->choice.data));
      };
      if (netrunner::HasPrompt(look)) {
        const json::Value prompt = netrunner::PromptValue(look);
        for (const json::Value& choice : prompt.at("choices").as_array()) {
          offer(ReadChoice(look, json::Write(json::Object{{"choice", json::Object{{"uuid", choice.at("uuid")}}}})));
          offer(ReadChoice(look, json::Write(json::Object{{"choice", choice.at("value")}})));
          offer(ReadChoice(look, json::Write(json::Object{{"choice", choice.at("idx")}, {"eid", prompt.at("eid")}})));
          offer(ReadAction(look, json::Write(json::Object{{"command", "choice"},
                                                          {"args", json::Object{{"choice", choice.at("value")}}}})));
        }
        for (const json::Value& cid : prompt.at("selectable").as_array()) {
          offer(ReadSelect(look, json::Write(json::Object{{"card", json::Object{{"cid", cid}}}})));
          offer(ReadAction(look,
                           json::Write(json::Object{{"command", "select"},
                                                    {"args", json::Object{{"card", json::Object{{"cid", cid}}}}}})));
        }
      } else {
        const json::Object actions = netrunner::AvailableActions(look);
        std::set<std::string> listed;
        for (const json::Value& command : actions.at("available-commands").as_array()) {
          offer(ReadAction(look, json::Write(command)));
          EXPECT_TRUE(listed.insert(json::Write(command.at("command")) + json::Write(command.at("args"))).second)
              << json::Write(command) << " twice";
        }
      }
      std::vector<Move> moves(game_->info().max_moves);
      moves.resize(table.state().Moves(look.seat(), moves));
      for (const Move move : moves) {
        PlayedChoice choice = table.state().ToChoice(look.seat(), move);
        const ActionPtr action = look.actions().Find(choice.action);
        if (!action->schema) choice.data = nullptr;
        EXPECT_TRUE(offered.contains(choice.action + json::Write(choice.data)))
            << choice.action << json::Write(choice.data);
      }
      if (HasFailure()) return;
      table.Step();
    }
  }
}

TEST_F(RequestTest, WhatIsMalformedIsSaid) {
  LookedAt table(*game_, 1);
  const SeatView mulligan = table.Look(0);
  EXPECT_THAT(Refused(ReadAction(mulligan, "")), HasSubstr("must be a JSON object; got nothing"));
  EXPECT_THAT(Refused(ReadAction(mulligan, "{")), HasSubstr("must be a JSON object"));
  EXPECT_THAT(Refused(ReadAction(mulligan, "[1]")), HasSubstr("got [1]"));
  EXPECT_THAT(Refused(ReadAction(mulligan, "{}")), HasSubstr("command must be a string; got nothing"));
  EXPECT_THAT(Refused(ReadAction(mulligan, R"({"command":7})")), HasSubstr("got 7"));
  EXPECT_THAT(Refused(ReadAction(mulligan, R"({"command":"fly"})")), HasSubstr("no command \"fly\""));
  EXPECT_THAT(Refused(ReadAction(mulligan, R"({"command":"credit","args":3})")), HasSubstr("args must be an object"));
  EXPECT_THAT(Refused(ReadAction(mulligan, R"({"command":"play","args":{}})")), HasSubstr("card must be {\"cid\""));
  EXPECT_THAT(Refused(ReadAction(mulligan, R"({"command":"rez","args":{"card":{"cid":1}}})")), HasSubstr("card must"));
  EXPECT_THAT(Refused(ReadAction(mulligan, R"({"command":"rez","args":{"card":{"cid":"c1"},"press-continue":true}})")),
              HasSubstr("not offered"));
  EXPECT_THAT(Refused(ReadAction(mulligan, R"({"command":"ability","args":{"card":{"cid":"c1"}}})")),
              HasSubstr("ability must be a whole number"));
  EXPECT_THAT(Refused(ReadAction(mulligan, R"({"command":"run"})")), HasSubstr("server must be a string"));
  EXPECT_THAT(Refused(ReadChoice(mulligan, "{}")), HasSubstr("choice must be"));
  EXPECT_THAT(Refused(ReadChoice(mulligan, R"({"choice":"Maybe"})")), HasSubstr(R"(offers "Keep", "Mulligan")"));
  EXPECT_THAT(Refused(ReadChoice(mulligan, R"({"choice":{"uuid":"abc-123"}})")), HasSubstr("offers"));
  EXPECT_THAT(Refused(ReadChoice(mulligan, R"({"choice":{"uuid":7}})")), HasSubstr("choice must be"));
  EXPECT_THAT(Refused(ReadChoice(mulligan, R"({"choice":5})")), HasSubstr("offers"));
  EXPECT_THAT(Refused(ReadChoice(mulligan, R"({"choice":"Keep","eid":99})")), HasSubstr("that prompt is over"));
  EXPECT_THAT(Refused(ReadChoice(mulligan, R"({"choice":"Keep","eid":"x"})")), HasSubstr("eid must be"));
  EXPECT_THAT(Refused(ReadSelect(mulligan, "{}")), HasSubstr("card must be"));
  EXPECT_THAT(Refused(ReadSelect(mulligan, R"({"card":{}})")), HasSubstr("card must be"));
  EXPECT_THAT(Refused(ReadChoice(table.Look(1), R"({"choice":"Keep"})")), HasSubstr("no prompt"));
  for (const SeatIndex seat : {0u, 1u}) {
    EXPECT_THAT(Refused(ReadSelect(table.Look(seat), R"({"card":{"cid":"c1"}})")), HasSubstr("there is no prompt"));
    EXPECT_THAT(Refused(ReadAction(table.Look(seat), R"({"command":"select","args":{"card":{"cid":"c1"}}})")),
                HasSubstr("there is no prompt"));
  }
  EXPECT_THAT(Refused(ReadAction(mulligan, R"({"command":"keep","eid":"x"})")), HasSubstr("eid must be"));
  EXPECT_THAT(Refused(ReadAction(mulligan, R"({"command":"keep","eid":-1})")), HasSubstr("eid must be"));
  EXPECT_EQ(Refused(ReadChoice(mulligan, R"({"choice":"Keep","eid":{"eid":1}})")), "accepted");
}

TEST_F(RequestTest, WhatIsLongIsNotRepeated) {
  LookedAt table(*game_, 1);
  const SeatView mulligan = table.Look(0);
  const std::string much = "\"" + std::string(200u << 10, '\x7f') + "\"";
  const std::pair<Result<Wanted>, const char*> cases[] = {
      {ReadAction(mulligan, "[" + much + "]"), "must be a JSON object"},
      {ReadAction(mulligan, R"({"command":)" + much + "}"), "there is no command"},
      {ReadAction(mulligan, R"({"command":["command",)" + much + "]}"), "command must be a string"},
      {ReadAction(mulligan, R"({"command":"credit","args":)" + much + "}"), "args must be an object"},
      {ReadChoice(mulligan, R"({"choice":)" + much + "}"), "the prompt offers"},
      {ReadChoice(mulligan, R"({"choice":"Keep","eid":)" + much + "}"), "eid must be"},
      {ReadSelect(mulligan, R"({"card":{"cid":[)" + much + "]}}"), "card must be"},
  };
  for (const auto& [wanted, expected] : cases) {
    EXPECT_THAT(Refused(wanted), HasSubstr(expected));
    EXPECT_LT(Refused(wanted).size(), 1u << 10) << expected;
  }
}

TEST_F(RequestTest, AnActionMayNameItsDecision) {
  LookedAt table(*game_, 1);
  const std::uint64_t eid = table.Look(0).decision->id.value();
  EXPECT_EQ(netrunner::AvailableActions(table.Look(0)).at("eid"), json::Value(eid));
  // Only the seat knows whether a request for a finished decision came twice.
  EXPECT_TRUE(ReadAction(table.Look(0), R"({"command":"keep","eid":99})"));
  EXPECT_EQ(EidOf(R"({"command":"keep","eid":99})"), DecisionId(99));
  EXPECT_EQ(EidOf(R"({"choice":"Keep","eid":{"eid":1}})"), DecisionId(1));
  EXPECT_EQ(EidOf(R"({"command":"choice","args":{"choice":"Keep","eid":1}})"), DecisionId(1));
  for (const char* none :
       {R"({"command":"keep"})", R"({"command":"keep","args":3})", R"({"eid":"x"})", "[1]", "{", ""}) {
    EXPECT_EQ(EidOf(none), std::nullopt) << none;
  }
}

TEST_F(RequestTest, ServersGoByTheirNamesAndAsTheBoardCallsThem) {
  const LookedAt table(*game_, 1);
  const auto server = [&](const std::string& name) {
    const Result<Wanted> wanted = ReadAction(
        table.Look(1), json::Write(json::Object{{"command", "run"}, {"args", json::Object{{"server", name}}}}));
    return wanted ? std::string(json::TextOf(wanted->choice.data, "server")) : wanted.error().message;
  };
  for (const char* name : {"HQ", "hq"}) EXPECT_EQ(server(name), "HQ");
  for (const char* name : {"R&D", "rd", "r&d", "RD"}) EXPECT_EQ(server(name), "R&D");
  for (const char* name : {"Archives", "archives"}) EXPECT_EQ(server(name), "Archives");
  for (const char* name : {"Server 12", "server 12", "remote12"}) EXPECT_EQ(server(name), "Server 12");
  for (const char* name : {"", "remote", "remote-1", "remote1x", "moon"})
    EXPECT_EQ(server(name), name) << "refused by the rules";
  const Result<Wanted> install =
      ReadAction(table.Look(0), R"({"command":"play","args":{"card":{"cid":"c1"},"server":"New Remote"}})");
  EXPECT_EQ(json::Write(install->choice.data), R"({"card":"c1","server":"New remote"})");
}

TEST_F(RequestTest, AChoiceOfAnEarlierPromptIsOver) {
  LookedAt table(*game_, 1);
  const json::Value prompt = netrunner::PromptValue(table.Look(0));
  table.Play("keep", nullptr);
  const std::string late =
      json::Write(json::Object{{"choice", json::Object{{"uuid", prompt.at("choices").at(0).at("uuid")}}}});
  EXPECT_THAT(Refused(ReadChoice(table.Look(1), late)), HasSubstr("offers"));
}

TEST_F(RequestTest, TheCorpPassesWhereOthersResolveSubroutines) {
  const LookedAt table(*game_, 1);
  for (const char* body : {R"({"command":"unbroken-subroutines","args":{"card":{"cid":"c1"}}})",
                           R"({"command":"subroutine","args":{"card":{"cid":"c1"},"subroutine":0}})"}) {
    const Result<Wanted> wanted = ReadAction(table.Look(0), body);
    ASSERT_TRUE(wanted);
    EXPECT_EQ(wanted->choice.action, "continue");
  }
  const Result<Wanted> runner = ReadAction(table.Look(1), R"({"command":"subroutine","args":{"subroutine":1}})");
  ASSERT_TRUE(runner);
  EXPECT_EQ(runner->choice.action, "subroutine");
  EXPECT_EQ(json::Write(runner->choice.data), R"({"subroutine":1})");
}

TEST(PlainRequestTest, OtherGamesTakeTheirActionsAsTheyAre) {
  const std::unique_ptr<Game> game = games::MakeTicTacToe();
  const LookedAt table(*game, 1);
  const SeatView look = table.Look(0);
  EXPECT_EQ(plain::State(look).at("phase"), json::Value("main"));
  EXPECT_EQ(plain::State(table.Look(1)).at("phase"), json::Value("waiting"));
  EXPECT_EQ(plain::PromptValue(look).at("prompt-type"), json::Value("action"));
  const Result<Wanted> wanted = ReadAction(look, R"({"command":"move","args":{"position":[1,1]}})");
  ASSERT_TRUE(wanted);
  EXPECT_EQ(wanted->choice.action, "move");
  EXPECT_EQ(json::Write(wanted->choice.data), R"({"position":[1,1]})");
}

}  // namespace
}  // namespace openseat::agent_api
