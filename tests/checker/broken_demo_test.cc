// The demo game, intact and broken in one way at a time, against the real `openseat check`: intact, it passes without a
// finding, and each broken variant fails only for its own reason.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/json.h"
#include "checker/check_run.h"
#include "games/tictactoe/tictactoe.h"
#include "net/shard.h"
#include "net/websocket_client.h"
#include "protocols/neuro/game_client.h"

namespace openseat::tests {
namespace {

using Packets = std::vector<std::string>;
using Tamper = std::function<Packets(std::string)>;

class Quiet final : public neuro::GameClientObserver {
 public:
  explicit Quiet(net::Shards& shards) : shards_(shards) {}
  void OnMove(const GameState&, SeatIndex, const PlayedChoice&) override {}
  void OnRefused(std::string_view, std::string_view) override {}
  void OnOutcome(const GameState&, const Outcome&, SeatIndex) override {}
  void OnEnd(std::string) override { shards_.Stop(); }

 private:
  net::Shards& shards_;
};

// Plays the demo against a checker until one of them ends it.
void PlayDemo(std::uint16_t port, Tamper tamper, std::size_t games) {
  const std::unique_ptr<Game> game = games::MakeTicTacToe();
  net::Shards shards(1);
  Quiet observer(shards);
  neuro::GameClientOptions options;
  options.games = games;
  options.seed = 5;
  // The checker's output is read after it ends, so a game that plays on must not fill the pipe.
  if (games == 0) options.pace = std::chrono::milliseconds(50);
  options.tamper = std::move(tamper);
  shards.at(0).Post([&] {
    net::ConnectWebSocket(shards.at(0), "ws://127.0.0.1:" + std::to_string(port), {},
                          std::make_unique<neuro::GameClient>(*game, options, observer), [&](const Error& error) {
                            ADD_FAILURE() << error.message;
                            shards.Stop();
                          });
  });
  shards.RunFirstHere();
}

// --- Ways to break a game ---

std::string CommandOf(const std::string& text) {
  return std::string(json::View(json::Parse(text).value().at("command").as_string()));
}

using Change = std::function<void(json::Object& packet, json::Object& data)>;

// Changes each packet of the command, or only the `nth` if that is not 0.
Tamper Changed(const std::string& command, const Change& change, int nth = 0) {
  auto count = std::make_shared<int>(0);
  return [=](const std::string& text) -> Packets {
    json::Value packet = json::Parse(text).value();
    json::Object& object = packet.get_object();
    if (CommandOf(text) != command || (++*count != nth && nth != 0)) return {text};
    static json::Object none;
    json::Value* data = object.if_contains("data");
    change(object, data != nullptr ? data->get_object() : none);
    return {json::Write(packet)};
  };
}
// Replaces the text of each packet of the command.
Tamper Rewritten(const std::string& command, const std::function<Packets(std::string)>& rewrite) {
  return [=](const std::string& text) -> Packets {
    if (CommandOf(text) != command) return {text};
    return rewrite(text);
  };
}
Tamper Dropped(const std::string& command) {
  return Rewritten(command, [](const std::string&) { return Packets{}; });
}
Tamper Doubled(const std::string& command) {
  return Rewritten(command, [](const std::string& text) { return Packets{text, text}; });
}
// Replaces the first packet of the command, and sends nothing more.
Tamper FallenSilentAfter(const std::string& command, const std::function<Packets(std::string)>& last) {
  return [=, silent = std::make_shared<bool>(false)](const std::string& text) -> Packets {
    if (*silent) return {};
    if (CommandOf(text) != command) return {text};
    *silent = true;
    return last(text);
  };
}
// Erases a member of `data`.
Tamper Without(const std::string& command, const std::string& member) {
  return Changed(command, [=](json::Object&, json::Object& data) { data.erase(member); });
}
Tamper With(const std::string& command, const std::string& member, const json::Value& value) {
  return Changed(command, [=](json::Object&, json::Object& data) { data[member] = value; });
}
Tamper WithSchema(const std::function<json::Value(json::Value)>& change) {
  return Changed("actions/register", [=](json::Object&, json::Object& data) {
    json::Value& schema = data.at("actions").at(0).at("schema");
    schema = change(schema);
  });
}
std::string Packet(std::string_view command, const json::Value& data) {
  return json::Write(json::Object{{"command", command}, {"game", "Tic-Tac-Toe"}, {"data", data}});
}

struct Variant {
  std::string name;
  Tamper tamper;
  std::vector<std::string>
      findings;  // the keys of all findings at or above the level that fails the run, sorted, each once
  std::vector<std::string> flags = {};
  std::size_t games = 2;  // 0: until the checker ends it
  json::Value script = {{"move", {{"position", {1, 1}}}}};
};
void PrintTo(const Variant& variant, std::ostream* out) {
  *out << variant.name;
}

const std::vector<std::string> kFailOnWarn{"--fail-on", "warn"};
const std::vector<std::string> kSoon{"--timeout", "2"};

std::vector<Variant> AllVariants() {
  const auto raw = [](const std::string& text) { return [=](const std::string&) { return Packets{text}; }; };
  return {
      {"NoStartup", Dropped("startup"), {"prot/startup/missing"}},
      {"StartupAfterItsFirstContext",
       [held = std::make_shared<std::string>()](const std::string& text) -> Packets {
         if (CommandOf(text) == "startup") {
           *held = text;
           return {};
         }
         return held->empty() ? Packets{text} : Packets{text, std::exchange(*held, {})};
       },
       {"prot/startup/missing"}},
      {"StartupTwice", Doubled("startup"), {"prot/startup/multiple"}, kFailOnWarn},
      {"StartupWithoutGame",
       Changed("startup", [](json::Object& packet, json::Object&) { packet.erase("game"); }),
       {"prot/field/missing"}},
      {"GameIsANumber",
       Changed("context", [](json::Object& packet, json::Object&) { packet["game"] = 3; }),
       {"prot/field/invalid"}},
      {"GameChangesItsName",
       Changed("context", [](json::Object& packet, json::Object&) { packet["game"] = "Other"; }),
       {"prot/v1/game_renamed"},
       kFailOnWarn},
      {"ContextWithoutSilent", Without("context", "silent"), {"prot/field/missing"}},
      {"ContextMessageIsAnObject", With("context", "message", json::Object()), {"prot/field/invalid"}},
      {"NeverRegisters", Dropped("actions/register"), {"prot/force/all_invalid", "script/unfinished"}, kSoon},
      {"RegistersTwice", Doubled("actions/register"), {"perf/register/identical_duplicate"}, kFailOnWarn},
      {"ActionsIsAnObject", With("actions/register", "actions", json::Object()), {"prot/field/invalid"}},
      {"ActionWithoutDescription",
       Changed("actions/register",
               [](json::Object&, json::Object& data) { data.at("actions").at(0).as_object().erase("description"); }),
       {"prot/field/missing"}},
      {"SchemaWithAMisspeltKeyword",
       WithSchema([](json::Value schema) {
         schema.as_object()["requird"] = json::Array();
         return schema;
       }),
       {"prot/schema/unknown_keyword"}},
      {"SchemaOfAnUnknownType",
       WithSchema([](json::Value schema) {
         schema.as_object()["type"] = "objekt";
         return schema;
       }),
       {"prot/schema/invalid"}},
      {"SchemaIsText",
       WithSchema([](const json::Value& schema) { return json::Value(json::Write(schema)); }),
       {"prot/schema/invalid"}},
      {"SchemaWithADeniedKeyword",
       WithSchema([](json::Value schema) {
         schema.as_object()["title"] = "A move";
         return schema;
       }),
       {"prot/schema/denied_keyword"},
       {"--denied-keywords", "neuro"}},
      {"LacksAnActionOfTheScript",
       nullptr,
       {"script/unfinished"},
       {},
       2,
       {{"move", {{"position", {1, 1}}}}, {"surrender", json::Object()}}},
      {"UnregisterNamesIsText", With("actions/unregister", "action_names", "move"), {"prot/field/invalid"}},
      {"ForceWithoutQuery", Without("actions/force", "query"), {"prot/field/missing"}},
      {"ForceStateIsAnObject", With("actions/force", "state", json::Object()), {"prot/field/invalid"}},
      {"ForceNamesAnotherActionToo",
       With("actions/force", "action_names", json::Array{"fly", "move"}),
       {"prot/force/some_invalid"}},
      {"ForceNamesOtherActionsOnly",
       With("actions/force", "action_names", json::Array{"fly"}),
       {"prot/force/all_invalid"}},
      {"ForceNamesNothing", With("actions/force", "action_names", json::Array()), {"prot/force/empty"}},
      {"ForcesTwice", Doubled("actions/force"), {"prot/force/multiple"}},
      {"ResultOfAnotherAction",
       FallenSilentAfter("action/result",
                         [](const std::string& text) {
                           json::Value packet = json::Parse(text).value();
                           packet.at("data").as_object()["id"] = "abc";
                           return Packets{json::Write(packet)};
                         }),
       {"prot/result/missing", "prot/result/unexpected"},
       kSoon,
       0},
      {"AnswersTwice", Doubled("action/result"), {"prot/result/duplicate"}},
      {"NeverAnswers",
       FallenSilentAfter("action/result", [](const std::string&) { return Packets{}; }),
       {"prot/result/missing"},
       kSoon,
       0},
      {"ResultSuccessIsText", With("action/result", "success", "true"), {"prot/field/invalid"}},
      {"ResultWithoutSuccess", Without("action/result", "success"), {"prot/invalid_message"}},
      {"ResultWithoutId", Without("action/result", "id"), {"prot/invalid_message"}},
      {"ResultWithAColon",
       Changed("action/result", [](json::Object& packet, json::Object&) { packet["command"] = "action:result"; }),
       {"prot/command/misspelt"}},
      {"RegistersBeforeItAnswers",
       Rewritten("action/result",
                 [](const std::string& text) {
                   return Packets{Packet("actions/register", {{"actions", json::Array()}}), text};
                 }),
       {"prot/pending/unexpected"}},
      {"UnregistersBeforeItRefuses",
       Rewritten("action/result",
                 [](const std::string& text) -> Packets {
                   json::Value packet = json::Parse(text).value();
                   packet.at("data").as_object()["success"] = false;
                   packet.at("data").as_object()["message"] = "It is too late for this move.";
                   return {Packet("actions/unregister", {{"action_names", {"move"}}}), json::Write(packet)};
                 }),
       {"prot/force/emptied", "prot/result/refused_valid"},
       kFailOnWarn},
      {"BlankDescription",
       Changed("actions/register",
               [](json::Object&, json::Object& data) { data.at("actions").at(0).as_object()["description"] = " "; }),
       {"prot/action/no_desc"},
       kFailOnWarn},
      {"BlankGame",
       Changed("startup", [](json::Object& packet, json::Object&) { packet["game"] = " "; }),
       {"prot/game/blank", "prot/v1/game_renamed"}},
      {"RefusesForEver",
       [forced = std::make_shared<bool>(false)](const std::string& text) -> Packets {
         // One force, and every action is refused.
         const std::string command = CommandOf(text);
         if (command == "action/result") {
           json::Value packet = json::Parse(text).value();
           packet.at("data").as_object()["success"] = false;
           return {json::Write(packet)};
         }
         if (*forced) return {};
         *forced = command == "actions/force";
         return {text};
       },
       {"prot/force/gave_up"},
       kSoon,
       0},
      {"UnknownCommand",
       Rewritten("action/result",
                 [](const std::string& text) { return Packets{text, Packet("game_over", json::Object())}; }),
       {"prot/unknown_command"}},
      {"CommandOfItsOwn",
       Rewritten("action/result",
                 [](const std::string& text) { return Packets{text, Packet("game/over", json::Object())}; }),
       {"prot/vendor_command"}},
      {"ContextIsNoJson", Rewritten("context", raw("{'command': 'context'}")), {"prot/invalid_message"}},
      {"TwoPacketsInOneMessage",
       Rewritten("startup", [](const std::string& text) { return Packets{text + "\n" + text}; }),
       {"prot/json/several"}},
      {"ContextIsAList", Rewritten("context", raw("[]")), {"prot/invalid_message"}},
      {"SendsWhatNobodyKnows", With("context", "colour", "red"), {"prot/field/unknown"}, kFailOnWarn},
      {"AsksForItsShutdown",
       Rewritten("action/result",
                 [](const std::string& text) {
                   return Packets{text,
                                  json::Write(json::Object{{"command", "shutdown/ready"}, {"game", "Tic-Tac-Toe"}})};
                 }),
       {""},
       kFailOnWarn},
  };
}

class BrokenDemoTest : public ::testing::TestWithParam<Variant> {};

TEST_P(BrokenDemoTest, FailsForItsOwnReason) {
  const Variant& variant = GetParam();
  CheckRun run(variant.script, variant.flags);
  ASSERT_NE(run.port(), 0);
  PlayDemo(run.port(), variant.tamper, variant.games);
  EXPECT_EQ(run.Finish(), 1) << run.output();
  const bool warnings = variant.flags == kFailOnWarn;
  std::set<std::string> found;
  for (const CheckRun::Line& line : run.lines()) {
    if (line.level == "error" || line.level == "critical" || (warnings && line.level == "warn")) found.insert(line.key);
  }
  EXPECT_EQ(std::vector<std::string>(found.begin(), found.end()), variant.findings) << run.output();
}

INSTANTIATE_TEST_SUITE_P(Variants, BrokenDemoTest, ::testing::ValuesIn(AllVariants()),
                         [](const auto& each) { return each.param.name; });

TEST(WholeDemoTest, PassesWithoutAFinding) {
  CheckRun run({{"move", {{"position", {1, 1}}}}}, {"--fail-on", "warn", "--denied-keywords", "neuro"});
  ASSERT_NE(run.port(), 0);
  PlayDemo(run.port(), nullptr, 2);
  EXPECT_EQ(run.Finish(), 0) << run.output();
  EXPECT_EQ(run.Findings(), std::vector<std::string>{});
}

// A game that never ends is always in the middle of a force. Its log stays small.
TEST(WholeDemoTest, PassesThoughItPlaysOn) {
  const std::vector<std::vector<std::string>> ways{{}, {"--until", "timeout", "--timeout", "1"}};
  for (std::vector<std::string> flags : ways) {
    flags.insert(flags.end(), {"--fail-on", "warn"});
    CheckRun run({{"move", {{"position", {1, 1}}}}}, flags);
    ASSERT_NE(run.port(), 0);
    PlayDemo(run.port(), nullptr, 0);
    EXPECT_EQ(run.Finish(), 0) << run.output().substr(0, 10000);
    EXPECT_LT(ReadTextFile(run.log_file()).size(), 1'000'000u);
  }
}

}  // namespace
}  // namespace openseat::tests
