#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <string>

#include "protocols/neuro/codec.h"

namespace openseat::neuro {
namespace {

using enum Diagnostic;
using ::testing::HasSubstr;

Decoded DecodeOne(std::string_view text) {
  std::vector<Decoded> all = DecodeClient(text);
  EXPECT_EQ(all.size(), 1u) << text;
  return std::move(all.front());
}

std::vector<std::pair<Diagnostic, std::string>> Issues(const Decoded& decoded) {
  std::vector<std::pair<Diagnostic, std::string>> out;
  for (const Issue& issue : decoded.issues) out.emplace_back(issue.diagnostic, issue.path);
  return out;
}
using Expected = std::vector<std::pair<Diagnostic, std::string>>;

// Reads a message with `data`; compares the diagnostics and paths of its issues.
template <typename Body>
Body Read(std::string_view command, std::string_view data, const Expected& expected) {
  const std::string text =
      "{\"command\":\"" + std::string(command) + "\",\"game\":\"g\",\"data\":" + std::string(data) + "}";
  const Decoded decoded = DecodeOne(text);
  EXPECT_EQ(Issues(decoded), expected) << text;
  if (!decoded.message || !std::holds_alternative<Body>(decoded.message->body)) {
    ADD_FAILURE() << "not read as the expected message: " << text;
    return {};
  }
  return std::get<Body>(decoded.message->body);
}

void ExpectUnusable(std::string_view text, std::string_view path) {
  const Decoded decoded = DecodeOne(text);
  EXPECT_FALSE(decoded.message.has_value()) << text;
  ASSERT_FALSE(decoded.issues.empty()) << text;
  EXPECT_EQ(decoded.issues.back().diagnostic, kInvalidMessage) << text;
  EXPECT_EQ(decoded.issues.back().path, path) << text;
}

TEST(DecodeClient, ReadsListsOfALimitedLength) {
  std::string names = "[";
  std::string actions = "[";
  for (int i = 0; i < 2'001; ++i) {
    names += (i == 0 ? "\"a" : ",\"a") + std::to_string(i) + "\"";
    actions += std::string(i == 0 ? "" : ",") + R"({"name":"a)" + std::to_string(i) + R"(","description":"d"})";
  }
  const std::string forced = R"({"query":"q","action_names":)" + names + "]}";
  EXPECT_EQ(Read<ForceMessage>("actions/force", forced, {{kInvalidField, "data.action_names"}}).action_names.size(),
            2'000u);
  const Decoded decoded = DecodeOne(R"({"command":"actions/register","game":"g","data":{"actions":)" + actions + "]}}");
  EXPECT_EQ(std::get<RegisterMessage>(decoded.message->body).actions.size(), 2'000u);
  ASSERT_EQ(decoded.issues.size(), 1u);
  EXPECT_EQ(decoded.issues[0].detail,
            "`data.actions` must have at most 2000 items; got 2001, and those beyond were ignored");
}

TEST(DecodeClient, ReadsEveryCommand) {
  EXPECT_EQ(DecodeOne(R"({"command":"startup","game":"g"})").message, (ClientMessage{"g", StartupMessage{}}));
  EXPECT_EQ(Read<ContextMessage>("context", R"({"message":"m","silent":false})", {}), (ContextMessage{"m", false}));
  EXPECT_EQ(Read<UnregisterMessage>("actions/unregister", R"({"action_names":["a","b"]})", {}),
            (UnregisterMessage{{"a", "b"}}));
  EXPECT_EQ(Read<ResultMessage>("action/result", R"({"id":"i","success":true,"message":"m"})", {}),
            (ResultMessage{"i", true, "m"}));
  EXPECT_EQ(Read<ForceMessage>(
                "actions/force",
                R"({"state":"s","query":"q","ephemeral_context":true,"priority":"critical","action_names":["a"]})", {}),
            (ForceMessage{"s", "q", true, Priority::kCritical, {"a"}}));
  const auto actions = Read<RegisterMessage>(
      "actions/register",
      R"({"actions":[{"name":"a","description":"d","schema":{"type":"object"}},{"name":"b","description":"e"}]})", {});
  ASSERT_EQ(actions.actions.size(), 2u);
  EXPECT_EQ(json::Write(*actions.actions[0].schema), R"({"type":"object"})");
  EXPECT_FALSE(actions.actions[1].schema.has_value());
}

TEST(DecodeClient, RefusesWhatIsNoMessage) {
  for (const char* text : {"", " ", "\n", "null", "true", "42", "\"startup\"", "[]", R"([{"command":"startup"}])", "{",
                           "}", "hello", "{\"command\":\"startup\"", R"({"command":"startup" "game":"g"})",
                           "{'command':'startup'}", "\xEF\xBB\xBF", "[1,2", "{\"command\":startup}"}) {
    ExpectUnusable(text, "");
  }
  ExpectUnusable(std::string(1, '\0'), "");
  ExpectUnusable(R"({"game":"g"})", "command");
  ExpectUnusable(R"({"command":null,"game":"g"})", "command");
  ExpectUnusable(R"({"command":7,"game":"g"})", "command");
}

TEST(DecodeClient, NamesTheOtherDoorToAChimeraClient) {
  const auto all = DecodeClient(R"({"type":"request","id":"1","operation":"list-games"})");
  ASSERT_EQ(all.size(), 1u);
  EXPECT_FALSE(all[0].message.has_value());
  EXPECT_THAT(all[0].issues, ::testing::Contains(::testing::Field(&Issue::detail, HasSubstr("connect to /chimera"))));
}

TEST(DecodeClient, SaysWhyTextIsNoJson) {
  const Decoded decoded = DecodeOne(R"({"command":"startup)");
  EXPECT_EQ(decoded.issues.front().detail, "not valid JSON: a string is not closed");
}

TEST(DecodeClient, KnowsNoOtherCommand) {
  for (const char* command : {"", "Startup", "vendor/hello", "action", "actions/reregister_all"}) {
    const bool vendor = std::string_view(command).starts_with("vendor/");
    const Decoded decoded =
        DecodeOne("{\"command\":\"" + std::string(command) + "\",\"game\":\"g\",\"data\":{\"x\":1}}");
    EXPECT_EQ(decoded.message, (ClientMessage{"g", UnknownMessage{command}}));
    EXPECT_EQ(Issues(decoded), (Expected{{vendor ? kVendorCommand : kUnknownCommand, "command"}}));
  }
}

TEST(DecodeClient, SaysThatAGameHasNoName) {
  EXPECT_EQ(Issues(DecodeOne(R"({"command":"startup","game":" "})")), (Expected{{kGameBlank, "game"}}));
  EXPECT_EQ(Issues(DecodeOne(R"({"command":"startup","game":"Chess"})")), Expected{});
}

TEST(DecodeClient, ReadsCommandsMisspelt) {
  for (const char* command : {"action:result", "actions/result"}) {
    Read<ResultMessage>(command, R"({"id":"i","success":true})", {{kCommandMisspelt, "command"}});
  }
  for (const char* command : {"actions:force", "action/force"}) {
    Read<ForceMessage>(command, R"({"query":"q","action_names":["a"]})", {{kCommandMisspelt, "command"}});
  }
  for (const char* command : {"actions:register", "action/register"}) {
    Read<RegisterMessage>(command, R"({"actions":[]})", {{kCommandMisspelt, "command"}});
  }
  for (const char* command : {"actions:unregister", "action/unregister"}) {
    Read<UnregisterMessage>(command, R"({"action_names":[]})", {{kCommandMisspelt, "command"}});
  }
}

TEST(DecodeClient, ReadsAnyGame) {
  const auto game = [](std::string_view text, const Expected& expected) {
    const Decoded decoded = DecodeOne(text);
    EXPECT_EQ(Issues(decoded), expected) << text;
    return decoded.message->game;
  };
  EXPECT_EQ(game(R"({"command":"startup","game":"Jeu d'été"})", {}), "Jeu d'été");
  EXPECT_EQ(game(R"({"command":"startup"})", {{kMissingField, "game"}}), "");
  EXPECT_EQ(game(R"({"command":"startup","game":null})", {{kMissingField, "game"}}), "");
  EXPECT_EQ(game(R"({"command":"startup","game":5})", {{kInvalidField, "game"}}), "5");
  EXPECT_EQ(game(R"({"command":"startup","game":["g"]})", {{kInvalidField, "game"}}), "[\"g\"]");
}

TEST(DecodeClient, ReadsAnyData) {
  Read<StartupMessage>("startup", "null", {{kNullField, "data"}});
  Read<StartupMessage>("startup", "[]", {{kEmptyArrayData, "data"}});
  Read<StartupMessage>("startup", "[1]", {{kInvalidField, "data"}});
  Read<StartupMessage>("startup", "\"x\"", {{kInvalidField, "data"}});
  Read<ContextMessage>("context", "7",
                       {{kInvalidField, "data"}, {kMissingField, "data.message"}, {kMissingField, "data.silent"}});
}

TEST(DecodeClient, ListsUnknownMembersOnce) {
  const Decoded decoded = DecodeOne(
      R"({"command":"actions/register","game":"g","version":2,"data":{"actions":[{"name":"a","description":"d","x":1},{"name":"b","description":"d","x":1}],"y":null}})");
  ASSERT_EQ(decoded.issues.size(), 1u);
  EXPECT_EQ(decoded.issues[0], (Issue{kUnknownField, "version",
                                      "not members that the API knows: `version`, `data.y`, `data.actions[].x`"}));
  Read<StartupMessage>("startup", R"({"a":1})", {{kUnknownField, "data.a"}});
  Read<ContextMessage>("context", R"({"message":"m","silent":true,"a":1})", {{kUnknownField, "data.a"}});
  Read<UnregisterMessage>("actions/unregister", R"({"action_names":[],"a":1})", {{kUnknownField, "data.a"}});
  Read<ForceMessage>("actions/force", R"({"query":"q","action_names":[],"a":1})", {{kUnknownField, "data.a"}});
  Read<ResultMessage>("action/result", R"({"id":"i","success":true,"a":1})", {{kUnknownField, "data.a"}});
  Read<ProposalMessage>("shutdown/ready", R"({"a":1})", {{kProposal, "command"}, {kUnknownField, "data.a"}});
}

TEST(DecodeClient, BoundsWhatItSays) {
  std::string many = R"({"command":"startup","game":"g")";
  for (int i = 0; i < 1000; ++i) many += ",\"" + std::string(1000, 'x') + std::to_string(i) + "\":" + std::to_string(i);
  many += "}";
  const Decoded decoded = DecodeOne(many);
  ASSERT_EQ(decoded.issues.size(), 1u);
  EXPECT_LT(decoded.issues[0].detail.size(), 1000u);

  std::string names = R"({"command":"actions/unregister","game":"g","data":{"action_names":[1)";
  for (int i = 0; i < 1000; ++i) names += ",1";
  names += "]}}";
  const Decoded bad = DecodeOne(names);
  EXPECT_EQ(bad.issues.size(), DecodeLimits().max_issues);
  EXPECT_TRUE(bad.issues.back().detail.ends_with("(and 937 more issues in this message)")) << bad.issues.back().detail;
}

TEST(DecodeClient, TakesMainThreadForGranted) {
  Read<RegisterMessage>("actions/register", R"({"actions":[],"main_thread":true})", {});
  Read<UnregisterMessage>("actions/unregister", R"({"action_names":["a"],"main_thread":true})", {});
  Read<ForceMessage>("actions/force", R"({"query":"q","action_names":["a"],"main_thread":true})", {});
}

TEST(DecodeClient, ReadsContextWrongInEveryWay) {
  const auto message = [](std::string_view value, const Expected& expected) {
    return Read<ContextMessage>("context", "{\"silent\":true,\"message\":" + std::string(value) + "}", expected)
        .message;
  };
  EXPECT_EQ(message("null", {{kMissingField, "data.message"}}), "");
  EXPECT_EQ(message("5", {{kInvalidField, "data.message"}}), "5");
  EXPECT_EQ(message("true", {{kInvalidField, "data.message"}}), "true");
  EXPECT_EQ(message("{\"a\":[1]}", {{kInvalidField, "data.message"}}), "{\"a\":[1]}");
  EXPECT_EQ(message("\"\"", {}), "");
  EXPECT_EQ(Read<ContextMessage>("context", "{\"silent\":true}", {{kMissingField, "data.message"}}).message, "");

  const auto silent = [](std::string_view value, const Expected& expected) {
    return Read<ContextMessage>("context", "{\"message\":\"m\",\"silent\":" + std::string(value) + "}", expected)
        .silent;
  };
  EXPECT_FALSE(silent("false", {}));
  EXPECT_TRUE(silent("1", {{kInvalidField, "data.silent"}}));
  EXPECT_FALSE(silent("0.0", {{kInvalidField, "data.silent"}}));
  EXPECT_FALSE(silent("\"false\"", {{kInvalidField, "data.silent"}}));
  EXPECT_TRUE(silent("\"no\"", {{kInvalidField, "data.silent"}}));
  EXPECT_TRUE(silent("[]", {{kInvalidField, "data.silent"}}));
  EXPECT_TRUE(silent("null", {{kMissingField, "data.silent"}}));
  EXPECT_TRUE(Read<ContextMessage>("context", "{\"message\":\"m\"}", {{kMissingField, "data.silent"}}).silent);
}

TEST(DecodeClient, ReadsRegisterWrongInEveryWay) {
  const auto actions = [](std::string_view value, const Expected& expected) {
    return Read<RegisterMessage>("actions/register", "{\"actions\":" + std::string(value) + "}", expected).actions;
  };
  EXPECT_TRUE(Read<RegisterMessage>("actions/register", "{}", {{kMissingField, "data.actions"}}).actions.empty());
  EXPECT_TRUE(actions("null", {{kMissingField, "data.actions"}}).empty());
  EXPECT_TRUE(actions("{}", {{kInvalidField, "data.actions"}}).empty());
  EXPECT_EQ(actions(R"({"name":"a","description":"d"})", {{kInvalidField, "data.actions"}}),
            (std::vector<ActionDefinition>{{"a", "d", std::nullopt}}));
  ExpectUnusable(R"({"command":"actions/register","game":"g","data":{"actions":"a"}})", "data.actions");
  ExpectUnusable(R"({"command":"actions/register","game":"g","data":{"actions":5}})", "data.actions");

  // The good items among bad ones are kept.
  EXPECT_EQ(
      actions(R"([5,{"name":"a","description":"d"},{"description":"d"},{"name":null},{"name":7},"b",[],{"name":"c"}])",
              {{kInvalidField, "data.actions[0]"},
               {kMissingField, "data.actions[2].name"},
               {kInvalidField, "data.actions[3].name"},
               {kInvalidField, "data.actions[4].name"},
               {kInvalidField, "data.actions[5]"},
               {kInvalidField, "data.actions[6]"}}),
      (std::vector<ActionDefinition>{{"a", "d", std::nullopt}, {"c", "", std::nullopt}}));
  EXPECT_EQ(actions(R"([{"name":"a","description":null},{"name":"b","description":5}])",
                    {{kInvalidField, "data.actions[1].description"}}),
            (std::vector<ActionDefinition>{{"a", "", std::nullopt}, {"b", "5", std::nullopt}}));
  EXPECT_EQ(actions(R"([{"name":"a","description":"d","schema":null},{"name":"b","description":"d","schema":[]}])",
                    {{kSchemaEmpty, "data.actions[0].schema"}, {kEmptyArrayData, "data.actions[1].schema"}}),
            (std::vector<ActionDefinition>{{"a", "d", std::nullopt}, {"b", "d", std::nullopt}}));
}

TEST(DecodeClient, KeepsSchemasBeyondTheMessage) {
  std::vector<ActionDefinition> kept;
  {
    std::string text =
        R"({"command":"actions/register","game":"g","data":{"actions":[{"name":"a","description":"d","schema":{"enum":[)";
    for (int i = 0; i < 2000; ++i) text += "\"a rather long value to be kept\",";
    text += "1]}}]}}";
    kept = std::get<RegisterMessage>(DecodeOne(text).message->body).actions;
  }
  EXPECT_EQ(json::Find(*kept.at(0).schema, "enum")->get_array().size(), 2001u);
}

TEST(DecodeClient, ReadsNamesWrongInEveryWay) {
  const auto names = [](std::string_view value, const Expected& expected) {
    return Read<UnregisterMessage>("actions/unregister", "{\"action_names\":" + std::string(value) + "}", expected)
        .action_names;
  };
  using Names = std::vector<std::string>;
  EXPECT_EQ(Read<UnregisterMessage>("actions/unregister", "{}", {{kMissingField, "data.action_names"}}).action_names,
            Names{});
  EXPECT_EQ(names("null", {{kNullField, "data.action_names"}}), Names{});
  EXPECT_EQ(names("\"a\"", {{kInvalidField, "data.action_names"}}), Names{"a"});
  EXPECT_EQ(names("5", {{kInvalidField, "data.action_names"}}), Names{});
  EXPECT_EQ(names("{\"a\":1}", {{kInvalidField, "data.action_names"}}), Names{});
  EXPECT_EQ(names(R"(["a",5,null,{"name":"b"},{"name":1},"a"])", {{kInvalidField, "data.action_names[1]"},
                                                                  {kInvalidField, "data.action_names[2]"},
                                                                  {kInvalidField, "data.action_names[3]"},
                                                                  {kInvalidField, "data.action_names[4]"},
                                                                  {kDuplicateEntry, "data.action_names[5]"}}),
            (Names{"a", "b"}));
  std::string many = "[";
  for (int i = 0; i < 50; ++i) many += "\"n" + std::to_string(i) + "\",";
  EXPECT_EQ(names(many + "\"n7\"]", {{kDuplicateEntry, "data.action_names[50]"}}).size(), 50u);
}

TEST(DecodeClient, PrefersTheCorrectSpelling) {
  using Names = std::vector<std::string>;
  const Expected issues = {{kMisspelt, "data.aciton_names"}};
  EXPECT_EQ(Read<UnregisterMessage>("actions/unregister", R"({"aciton_names":["b"],"action_names":["a"]})", issues)
                .action_names,
            Names{"a"});
  EXPECT_EQ(Read<UnregisterMessage>("actions/unregister", R"({"action_names":["a"],"aciton_names":["b"]})", issues)
                .action_names,
            Names{"a"});
  EXPECT_EQ(
      Read<UnregisterMessage>("actions/unregister", R"({"actions":["a"]})", {{kMisspelt, "data.actions"}}).action_names,
      Names{"a"});
}

TEST(DecodeClient, ReadsForceWrongInEveryWay) {
  const auto force = [](std::string_view member, const Expected& expected) {
    return Read<ForceMessage>("actions/force", R"({"query":"q","action_names":["a"],)" + std::string(member) + "}",
                              expected);
  };
  const ForceMessage plain{.query = "q", .action_names = {"a"}};
  EXPECT_EQ(force(R"("state":null)", {{kNullField, "data.state"}}), plain);
  EXPECT_EQ(force(R"("ephemeral_context":null)", {{kNullField, "data.ephemeral_context"}}), plain);
  EXPECT_EQ(force(R"("priority":null)", {{kNullField, "data.priority"}}), plain);
  EXPECT_EQ(force(R"("state":{"board":[0]})", {{kInvalidField, "data.state"}}).state, "{\"board\":[0]}");
  EXPECT_TRUE(force(R"("ephemeral_context":"true")", {{kInvalidField, "data.ephemeral_context"}}).ephemeral_context);
  EXPECT_EQ(force(R"("ephemeral_context":[])", {{kInvalidField, "data.ephemeral_context"}}), plain);
  EXPECT_EQ(force(R"("priority":"urgent")", {{kInvalidField, "data.priority"}}), plain);
  EXPECT_EQ(force(R"("priority":"HIGH")", {{kInvalidField, "data.priority"}}).priority, Priority::kHigh);
  EXPECT_EQ(force(R"("priority":3)", {{kInvalidField, "data.priority"}}), plain);
  EXPECT_EQ(
      Read<ForceMessage>("actions/force", "{}", {{kMissingField, "data.query"}, {kMissingField, "data.action_names"}}),
      ForceMessage{});
  EXPECT_EQ(
      Read<ForceMessage>("actions/force", R"({"query":[1],"action_names":["a"]})", {{kInvalidField, "data.query"}})
          .query,
      "[1]");
  for (const Priority priority : {Priority::kLow, Priority::kMedium, Priority::kHigh, Priority::kCritical}) {
    EXPECT_EQ(force("\"priority\":\"" + std::string(PriorityName(priority)) + "\"", {}).priority, priority);
  }
}

TEST(DecodeClient, ReadsResultWrongInEveryWay) {
  const auto result = [](std::string_view data, const Expected& expected) {
    return Read<ResultMessage>("action/result", data, expected);
  };
  EXPECT_EQ(result(R"({"id":"i","success":false})", {}), (ResultMessage{"i", false, ""}));
  EXPECT_EQ(result(R"({"id":5,"success":false})", {{kInvalidField, "data.id"}}), (ResultMessage{"5", false, ""}));
  EXPECT_EQ(result(R"({"id":"i","success":"false"})", {{kInvalidField, "data.success"}}),
            (ResultMessage{"i", false, ""}));
  EXPECT_EQ(result(R"({"id":"i","success":1})", {{kInvalidField, "data.success"}}), (ResultMessage{"i", true, ""}));
  EXPECT_EQ(result(R"({"id":"i","success":true,"message":null})", {{kNullField, "data.message"}}),
            (ResultMessage{"i", true, ""}));
  EXPECT_EQ(result(R"({"id":"i","success":true,"message":{"x":1}})", {{kInvalidField, "data.message"}}),
            (ResultMessage{"i", true, "{\"x\":1}"}));
  const auto unusable = [](std::string_view data, std::string_view path) {
    ExpectUnusable("{\"command\":\"action/result\",\"game\":\"g\",\"data\":" + std::string(data) + "}", path);
  };
  unusable("{}", "data.id");
  unusable("null", "data.id");
  unusable(R"({"success":true})", "data.id");
  unusable(R"({"id":null,"success":true})", "data.id");
  unusable(R"({"id":["i"],"success":true})", "data.id");
  unusable(R"({"id":true,"success":true})", "data.id");
  unusable(R"({"id":"i"})", "data.success");
  unusable(R"({"id":"i","success":null})", "data.success");
  unusable(R"({"id":"i","success":"yes"})", "data.success");
  unusable(R"({"id":"i","success":2})", "data.success");
  unusable(R"({"id":"i","success":{}})", "data.success");
  ExpectUnusable(R"({"command":"action/result","game":"g"})", "data.id");
}

TEST(DecodeClient, SplitsGluedDocuments) {
  const auto all = DecodeClient(R"({"command":"startup","game":"g"} {"command":"oops"}
      {"command":"context","game":"g","data":{"message":"}{","silent":true,}} rubbish)");
  ASSERT_EQ(all.size(), 4u);
  EXPECT_EQ(Issues(all[0]), (Expected{{kSeveralDocuments, ""}}));
  EXPECT_EQ(all[0].issues[0].detail, "one message held 3 JSON documents");
  EXPECT_EQ(Issues(all[1]), (Expected{{kMissingField, "game"}, {kUnknownCommand, "command"}}));
  EXPECT_EQ(Issues(all[2]), (Expected{{kRepairedJson, ""}}));
  EXPECT_EQ(all[2].message, (ClientMessage{"g", ContextMessage{"}{", true}}));
  EXPECT_FALSE(all[3].message.has_value());
  EXPECT_EQ(Issues(all[3]), (Expected{{kInvalidMessage, ""}}));
}

TEST(DecodeClient, KeepsAMessageBeforeRubbish) {
  const auto all = DecodeClient(R"({"command":"startup","game":"g"}}})");
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].message, (ClientMessage{"g", StartupMessage{}}));
  EXPECT_FALSE(all[1].message.has_value());
}

TEST(DecodeClient, HoldsItsLimits) {
  const DecodeLimits limits{.json = {.max_bytes = 100, .max_depth = 8}, .max_documents = 3};
  EXPECT_FALSE(DecodeClient(std::string(101, ' '), limits).at(0).message.has_value());
  const std::string deep = R"({"command":"x","data":)" + std::string(20, '[') + std::string(20, ']') + "}";
  EXPECT_FALSE(DecodeClient(deep, limits).at(0).message.has_value());
  const std::string deep_and_broken = R"({"command":"x",,"data":)" + std::string(20, '[') + std::string(20, ']') + "}";
  EXPECT_FALSE(DecodeClient(deep_and_broken, limits).at(0).message.has_value());
  const DecodeLimits few{.json = {.max_values = 4}};
  EXPECT_TRUE(DecodeClient(R"({"command":"startup","game":"g","data":{}})", few).at(0).message.has_value());
  EXPECT_EQ(DecodeClient(R"({"command":"startup","game":"g","data":{"a":1}})", few).at(0).issues.at(0).detail,
            "JSON may hold at most 4 values (arrays and objects included); got more");
  EXPECT_FALSE(DecodeClient(R"({"command":"startup",,"game":"g","data":{"a":1}})", few).at(0).message.has_value())
      << "repaired, it is read by the same limits";
  const DecodeLimits unrepaired{.max_repaired_bytes = 30};
  EXPECT_TRUE(DecodeClient(R"({"command":"startup","game":"g"})", unrepaired).at(0).message.has_value());
  const auto not_repaired = DecodeClient(R"({"command":"startup","game":"g",})", unrepaired);
  EXPECT_FALSE(not_repaired.at(0).message.has_value());
  EXPECT_THAT(not_repaired.at(0).issues.at(0).detail, HasSubstr("more than 30 bytes is not repaired"));
  const auto many = DecodeClient(R"({"a":1}{"a":1}{"a":1}{"a":1}{"a":1})", limits);
  ASSERT_EQ(many.size(), 4u);
  EXPECT_EQ(many[3].issues[0].detail, "a message may hold at most 3 JSON documents; the rest was ignored");
}

TEST(DecodeClient, SurvivesACutAtEveryPoint) {
  const std::string whole =
      R"({"command":"actions/force","game":"é","data":{"state":"a\"b\\","query":"\u00e9\ud83d\ude00","ephemeral_context":true,"action_names":["a","b"]}})";
  for (std::size_t cut = 0; cut < whole.size(); ++cut) {
    for (const std::string_view part : {std::string_view(whole).substr(0, cut), std::string_view(whole).substr(cut)}) {
      for (const Decoded& decoded : DecodeClient(part)) {
        const bool complete = part.size() == whole.size();
        EXPECT_EQ(decoded.message.has_value(), complete) << part;
      }
    }
  }
}

RC_GTEST_PROP(DecodeClient, AlwaysSaysSomething, (const std::string& text)) {
  const auto all = DecodeClient(text);
  RC_ASSERT(!all.empty());
  for (const Decoded& decoded : all) {
    bool invalid = false;
    for (const Issue& issue : decoded.issues) invalid |= issue.diagnostic == kInvalidMessage;
    RC_ASSERT(decoded.message.has_value() != invalid);
  }
}

}  // namespace
}  // namespace openseat::neuro
