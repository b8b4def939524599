// What published SDKs and tools send, one case per habit, each named after the SDK: the message must be read as it was
// meant, and the list of issues must be exactly this.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "protocols/neuro/codec.h"

namespace openseat::neuro {
namespace {

using enum Diagnostic;

struct Quirk {
  const char* sdk;
  std::string text;
  std::vector<ClientMessage> messages;
  std::vector<Diagnostic> issues;  // of all documents, in order
};

ClientMessage Of(std::string game, decltype(ClientMessage::body) body) {
  return {std::move(game), std::move(body)};
}

json::Value Json(std::string_view text) {
  return json::Parse(text).value();
}

std::vector<Quirk> Quirks() {
  return {
      {"C_ResultWithColon",
       R"({"command":"action:result","game":"Tic Tac Toe","data":{"id":"7","success":true,"message":"ok"}})",
       {Of("Tic Tac Toe", ResultMessage{"7", true, "ok"})},
       {kCommandMisspelt}},
      {"C_ResultWithNullMessage",
       R"({"command":"action:result","game":"g","data":{"id":"7","success":false,"message":null}})",
       {Of("g", ResultMessage{"7", false, ""})},
       {kCommandMisspelt, kNullField}},
      {"C_EscapesBytesOfUtf8",
       R"({"command":"context","game":"g","data":{"message":"\xC3\x89l\xC3\xA9na\'s \xF0\x9F\x98\x80 turn","silent":true}})",
       {Of("g", ContextMessage{"Éléna's 😀 turn", true})},
       {kRepairedJson}},
      {"C_EscapesBytesOfLatin1",
       R"({"command":"context","game":"g","data":{"message":"caf\xE9","silent":true}})",
       {Of("g", ContextMessage{"café", true})},
       {kRepairedJson}},
      {"C_EscapesControlCharacters",
       R"({"command":"context","game":"g","data":{"message":"bell\x07\x1B[0m","silent":false}})",
       {Of("g", ContextMessage{"bell\x07\x1B[0m", false})},
       {kRepairedJson}},
      {"C_QueryIsNotEscaped",
       "{\"command\":\"actions/force\",\"game\":\"g\",\"data\":{\"state\":null,\"query\":\"Say \"hi\" or "
       "\"bye\".\nNow!\","
       "\"ephemeral_context\":null,\"action_names\":[\"a \"b\" c\",\"d\"]}}",
       {Of("g", ForceMessage{.query = "Say \"hi\" or \"bye\".\nNow!", .action_names = {"a \"b\" c", "d"}})},
       {kRepairedJson, kNullField, kNullField}},
      {"C_EmptySchemaAlwaysSent",
       R"({"command":"actions/register","game":"g","data":{"actions":[{"name":"a","description":"d","schema":{}}]}})",
       {Of("g", RegisterMessage{{{"a", "d", Json("{}")}}})},
       {}},
      {"C_RootSchemaInteger",
       R"({"command":"actions/register","game":"g","data":{"actions":[{"name":"a","description":"d","schema":{"type":"integer"}}]}})",
       {Of("g", RegisterMessage{{{"a", "d", Json(R"({"type":"integer"})")}}})},
       {}},
      {"Cpp_SchemaNull",
       R"({"command":"actions/register","data":{"actions":[{"description":"d","name":"a","schema":null}]},"game":"g"})",
       {Of("g", RegisterMessage{{{"a", "d", std::nullopt}}})},
       {kSchemaEmpty}},
      {"Cpp_UnregisterNothingIsNull",
       R"({"command":"actions/unregister","data":{"action_names":null},"game":"g"})",
       {Of("g", UnregisterMessage{})},
       {kNullField}},
      {"Cpp_KeysSorted",
       R"({"command":"action/result","data":{"id":"1","message":"m","success":true},"game":"g"})",
       {Of("g", ResultMessage{"1", true, "m"})},
       {}},
      {"Java_GameBeforeCommand",
       R"({"game":"g","data":{"action_names":["a"],"query":"q","state":"s","ephemeral_context":true},"command":"actions/force"})",
       {Of("g", ForceMessage{.state = "s", .query = "q", .ephemeral_context = true, .action_names = {"a"}})},
       {}},
      {"Java_SchemaAbsent",
       R"({"game":"g","command":"actions/register","data":{"actions":[{"name":"a","description":"d"}]}})",
       {Of("g", RegisterMessage{{{"a", "d", std::nullopt}}})},
       {}},
      {"Python_NullsAndRawUtf8",
       R"({"command":"actions/force","game":"Checkers","data":{"state":"Zug – weiß","query":"q","action_names":["a"]}})",
       {Of("Checkers", ForceMessage{.state = "Zug – weiß", .query = "q", .action_names = {"a"}})},
       {}},
      {"Python_NotANumberInSchema",
       R"({"command":"actions/register","game":"g","data":{"actions":[{"name":"a","description":"d","schema":{"maximum":Infinity}}]}})",
       {Of("g", RegisterMessage{{{"a", "d", Json(R"({"maximum":null})")}}})},
       {kRepairedJson}},
      {"TypeScript_HalfOfASurrogatePair",
       R"({"command":"context","game":"g","data":{"message":"cut \ud83d","silent":true}})",
       {Of("g", ContextMessage{"cut \xEF\xBF\xBD", true})},
       {kRepairedJson}},
      {"TypeScript_Startup", R"({"command":"startup","game":"g"})", {Of("g", StartupMessage{})}, {}},
      {"Lua_StartupWithArray",
       R"({"command":"startup","data":[],"game":"g"})",
       {Of("g", StartupMessage{})},
       {kEmptyArrayData}},
      {"Lua_SchemaIsArray",
       R"({"data":{"actions":[{"schema":[],"name":"a","description":"d"}]},"command":"actions/register","game":"g"})",
       {Of("g", RegisterMessage{{{"a", "d", std::nullopt}}})},
       {kEmptyArrayData}},
      {"Lua_EmptyUnregisterOnQuit",
       R"({"data":{"action_names":[]},"command":"actions/unregister","game":"g"})",
       {Of("g", UnregisterMessage{})},
       {}},
      {"Lua_EmptyTableIsObject",
       R"({"data":{"action_names":{}},"command":"actions/unregister","game":"g"})",
       {Of("g", UnregisterMessage{})},
       {kInvalidField}},
      {"Lua_EmptyMessage",
       R"({"command":"action/result","game":"g","data":{"message":"","id":"1","success":true}})",
       {Of("g", ResultMessage{"1", true, ""})},
       {}},
      {"RenPy_ForceWithoutOptionals",
       R"({"command": "actions/force", "game": "g", "data": {"query": "q", "action_names": ["a", "b"]}})",
       {Of("g", ForceMessage{.query = "q", .action_names = {"a", "b"}})},
       {}},
      {"Godot_PrettyPrinted",
       "{\n\t\"command\": \"action/result\",\n\t\"game\": \"g\",\n\t\"data\": {\n\t\t\"id\": \"1\",\n\t\t\"message\": "
       "null,\n"
       "\t\t\"success\": true\n\t}\n}",
       {Of("g", ResultMessage{"1", true, ""})},
       {kNullField}},
      {"Godot_NullState",
       R"({"command":"actions/force","game":"g","data":{"state":null,"query":"q","ephemeral_context":false,"action_names":["a"]}})",
       {Of("g", ForceMessage{.query = "q", .action_names = {"a"}})},
       {kNullField}},
      {"Unity_EmptyReregistration",
       R"({"command":"actions/register","game":"g","data":{"actions":[]}})",
       {Of("g", RegisterMessage{})},
       {}},
      {"CSharp_TwoDocumentsGlued",
       R"({"command":"actions/unregister","game":"g","data":{"action_names":["a"]}}{"command":"startup","game":"g"})",
       {Of("g", UnregisterMessage{{"a"}}), Of("g", StartupMessage{})},
       {kSeveralDocuments}},
      {"CSharp_ByteOrderMark",
       "\xEF\xBB\xBF{\"command\":\"startup\",\"game\":\"g\"}",
       {Of("g", StartupMessage{})},
       {kRepairedJson}},
      {"Kotlin_StateNull",
       R"({"command":"actions/force","game":"g","data":{"state":null,"query":"q","ephemeral_context":true,"priority":"high","action_names":["a"]}})",
       {Of("g",
           ForceMessage{.query = "q", .ephemeral_context = true, .priority = Priority::kHigh, .action_names = {"a"}})},
       {kNullField}},
      {"Rust_OptionalsNull",
       R"({"command":"actions/force","data":{"state":null,"query":"q","ephemeral_context":null,"action_names":["a"]},"game":"g"})",
       {Of("g", ForceMessage{.query = "q", .action_names = {"a"}})},
       {kNullField, kNullField}},
      {"Rust_SchemarsSchema",
       R"({"command":"actions/register","data":{"actions":[{"name":"a","description":"d","schema":{"$ref":"#/definitions/X","definitions":{"X":{"type":"integer","format":"uint32","minimum":0.0}}}}]},"game":"g"})",
       {Of("g",
           RegisterMessage{
               {{"a", "d",
                 Json(
                     R"({"$ref":"#/definitions/X","definitions":{"X":{"type":"integer","format":"uint32","minimum":0.0}}})")}}})},
       {}},
      {"Rust_UnitSchema",
       R"({"command":"actions/register","data":{"actions":[{"name":"skip","description":"d","schema":{"$schema":"http://json-schema.org/draft-07/schema#","title":"Skip","type":"null"}}]},"game":"g"})",
       {Of("g",
           RegisterMessage{
               {{"skip", "d",
                 Json(R"({"$schema":"http://json-schema.org/draft-07/schema#","title":"Skip","type":"null"})")}}})},
       {}},
      {"GameMaker_NumbersAsReals",
       R"({ "command": "action/result", "game": "g", "data": { "id": "1", "success": 1.0, "message": "" } })",
       {Of("g", ResultMessage{"1", true, ""})},
       {kInvalidField}},
      {"GameMaker_NulAtTheEnd",
       std::string("{\"command\":\"startup\",\"game\":\"g\"}") + '\0',
       {Of("g", StartupMessage{})},
       {kRepairedJson}},
      {"AbandonedPub_StartupWithData",
       R"({"command":"startup","game":"g","data":{}})",
       {Of("g", StartupMessage{})},
       {}},
      {"Gary_OddNames",
       R"({"command":"actions/register","game":"g","data":{"actions":[{"name":"a/b <i>c</i>","description":""}]}})",
       {Of("g", RegisterMessage{{{"a/b <i>c</i>", "", std::nullopt}}})},
       {}},
      {"Gary_RootSchemaNotAnObject",
       R"({"command":"actions/register","game":"g","data":{"actions":[{"name":"a","description":"d","schema":true},{"name":"b","description":"d","schema":["x"]}]}})",
       {Of("g", RegisterMessage{{{"a", "d", Json("true")}, {"b", "d", Json(R"(["x"])")}}})},
       {}},
      {"Vicky_MisspeltMembers",
       R"({"command":"actions/force","game":"g","data":{"query":"q","ephermeral_context":true,"aciton_names":["a"]}})",
       {Of("g", ForceMessage{.query = "q", .ephemeral_context = true, .action_names = {"a"}})},
       {kMisspelt, kMisspelt}},
      {"Vicky_ForceOfActions",
       R"({"command":"actions/force","game":"g","data":{"query":"q","actions":["a"]}})",
       {Of("g", ForceMessage{.query = "q", .action_names = {"a"}})},
       {kMisspelt}},
      {"Unity_ShutdownReady",
       R"({"command":"shutdown/ready","game":"g"})",
       {Of("g", ProposalMessage{"shutdown/ready"})},
       {kProposal}},
      {"Windows_Latin1Bytes",
       "{\"command\":\"context\",\"game\":\"g\",\"data\":{\"message\":\"caf\xE9!\",\"silent\":true}}",
       {Of("g", ContextMessage{"caf\xEF\xBF\xBD!", true})},
       {kInvalidUtf8}},
  };
}

class SdkQuirks : public ::testing::TestWithParam<Quirk> {};

TEST_P(SdkQuirks, IsReadAsItWasMeant) {
  const Quirk& quirk = GetParam();
  std::vector<ClientMessage> messages;
  std::vector<Diagnostic> issues;
  for (const Decoded& decoded : DecodeClient(quirk.text)) {
    ASSERT_TRUE(decoded.message.has_value()) << (decoded.issues.empty() ? "" : decoded.issues.front().detail);
    messages.push_back(*decoded.message);
    for (const Issue& issue : decoded.issues) {
      issues.push_back(issue.diagnostic);
      EXPECT_FALSE(issue.detail.empty());
    }
  }
  EXPECT_EQ(messages, quirk.messages);
  EXPECT_EQ(issues, quirk.issues);
}

INSTANTIATE_TEST_SUITE_P(Wire, SdkQuirks, ::testing::ValuesIn(Quirks()),
                         [](const ::testing::TestParamInfo<Quirk>& quirk) { return std::string(quirk.param.sdk); });

}  // namespace
}  // namespace openseat::neuro
