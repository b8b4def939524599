#include "protocols/neuro/action_check.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <optional>
#include <string>

#include "protocols/neuro/codec.h"

namespace openseat::neuro {
namespace {

using enum Diagnostic;

CheckedAction CheckAction(const ActionDefinition& action) {
  schema::Budget budget(schema::CompileLimits{}.max_steps);
  return CheckAction(action, budget);
}

CheckedAction Check(std::optional<std::string_view> schema) {
  ActionDefinition action{.name = "play_card", .description = "Plays a card.", .schema = std::nullopt};
  if (schema) action.schema = json::Parse(*schema).value();
  return CheckAction(action);
}

std::vector<Diagnostic> Found(const CheckedAction& checked) {
  std::vector<Diagnostic> out;
  for (const Issue& issue : checked.issues) {
    if (issue.diagnostic != kSchemaAdditional) out.push_back(issue.diagnostic);  // has a test of its own
  }
  return out;
}
using Diagnostics = std::vector<Diagnostic>;

// The detail of one diagnostic; "" if it is not among the issues.
std::string Said(const CheckedAction& checked, Diagnostic diagnostic) {
  for (const Issue& issue : checked.issues) {
    if (issue.diagnostic == diagnostic) return issue.detail;
  }
  return "";
}

TEST(CheckAction, FindsNothingInAGoodAction) {
  const CheckedAction plain = Check(std::nullopt);
  EXPECT_EQ(plain.compiled, nullptr);
  EXPECT_EQ(Found(plain), Diagnostics{});

  const CheckedAction with_schema = Check(
      R"({"type":"object","properties":{"card":{"type":"string","enum":["ace","king"]},"count":{"type":"integer","minimum":1,"maximum":3.0}},"required":["card"]})");
  EXPECT_EQ(Found(with_schema), Diagnostics{});
  ASSERT_NE(with_schema.compiled, nullptr);
  EXPECT_TRUE(with_schema.compiled->IsValid(json::Parse(R"({"card":"ace","count":2})").value()));
  EXPECT_FALSE(with_schema.compiled->IsValid(json::Parse(R"({"card":"queen"})").value()));
}

TEST(CheckAction, WantsLowerCaseWordsAsAName) {
  for (const char* good : {"a", "use_item", "join-friend-lobby", "move_2", "4x"})
    EXPECT_TRUE(IsGoodActionName(good)) << good;
  for (const char* bad : {"", "Use", "use item", "use__item", "_use", "use_", "use-", "a/b", "é", "<b>", "a.b"}) {
    EXPECT_FALSE(IsGoodActionName(bad)) << bad;
    const CheckedAction checked = CheckAction({.name = bad, .description = "d", .schema = std::nullopt});
    EXPECT_EQ(Found(checked), Diagnostics{kActionName}) << bad;
  }
  const CheckedAction longer = CheckAction({.name = std::string(65, 'a'), .description = "d", .schema = std::nullopt});
  EXPECT_EQ(Said(longer, kActionName), "its name should have at most 64 characters, as model providers ask; got 65");
}

TEST(CheckAction, WantsADescription) {
  for (const char* blank : {"", " ", "\n\t"}) {
    EXPECT_EQ(Found(CheckAction({.name = "a", .description = blank, .schema = std::nullopt})),
              Diagnostics{kNoDescription});
  }
}

TEST(CheckAction, TakesAnEmptySchemaForNone) {
  const CheckedAction checked = Check("{}");
  EXPECT_EQ(Found(checked), Diagnostics{kSchemaEmpty});
  EXPECT_EQ(checked.compiled, nullptr);
}

TEST(CheckAction, WantsAnObjectAtTheRoot) {
  const auto said = [](std::string_view schema) { return Said(Check(schema), kSchemaTypeObject); };
  const std::string begin = "its schema's root should have \"type\": \"object\"; ";
  EXPECT_EQ(said(R"({"type":"integer"})"), begin + "it says \"integer\"");
  EXPECT_EQ(said(R"({"type":["object","null"]})"), begin + "it says [\"object\",\"null\"]");
  EXPECT_EQ(said(R"({"properties":{}})"), begin + "it says no type");
  EXPECT_EQ(said("true"), begin + "it is just true");
  EXPECT_EQ(said(R"({"type":"object"})"), "");
  EXPECT_NE(Check(R"({"type":"integer"})").compiled, nullptr);
}

TEST(CheckAction, ListsUnsupportedKeywordsOnce) {
  const CheckedAction checked = Check(
      R"({"type":"object","title":"T","properties":{"oneOf":{"type":"string","description":"x"},"b":{"oneOf":[{"type":"string"},{"oneOf":[{"type":"null"}]}]}}})");
  EXPECT_EQ(Found(checked), Diagnostics{kSchemaUnsupported});
  EXPECT_EQ(Said(checked, kSchemaUnsupported),
            "its schema uses keywords that the API advises against: `title` (/title), `description` "
            "(/properties/oneOf/description), `oneOf` (/properties/b/oneOf)");
}

TEST(CheckAction, KnowsTheApisList) {
  for (const char* keyword : {"$anchor",
                              "$comment",
                              "$defs",
                              "$dynamicAnchor",
                              "$dynamicRef",
                              "$id",
                              "$ref",
                              "$schema",
                              "$vocabulary",
                              "allOf",
                              "anyOf",
                              "contentEncoding",
                              "contentMediaType",
                              "contentSchema",
                              "dependentRequired",
                              "dependentSchemas",
                              "deprecated",
                              "description",
                              "else",
                              "if",
                              "maxProperties",
                              "minProperties",
                              "multipleOf",
                              "not",
                              "oneOf",
                              "patternProperties",
                              "readOnly",
                              "then",
                              "title",
                              "unevaluatedItems",
                              "unevaluatedProperties",
                              "uniqueItems",
                              "writeOnly"}) {
    EXPECT_TRUE(IsUnsupportedKeyword(keyword)) << keyword;
  }
  for (const char* keyword : {"type", "properties", "required", "items", "enum", "const", "minimum", "maxLength",
                              "pattern", "default", "format", "additionalProperties"}) {
    EXPECT_FALSE(IsUnsupportedKeyword(keyword)) << keyword;
  }
}

TEST(CheckAction, SaysWhatIsUncertain) {
  EXPECT_TRUE(
      Said(Check(R"({"type":"object","properties":{"a":{"type":"array","uniqueItems":true}}})"), kSchemaUnsupported)
          .ends_with("; it is unknown whether uniqueItems is respected"));
}

TEST(CheckAction, NamesUnknownKeywords) {
  const CheckedAction checked = Check(R"({"type":"object","propertis":{},"properties":{"a":{"nullable":true}}})");
  EXPECT_EQ(Found(checked), Diagnostics{kSchemaUnknownKeyword});
  EXPECT_EQ(Said(checked, kSchemaUnknownKeyword),
            "its schema has members that are not keywords of JSON Schema: `propertis` (/propertis), `nullable` "
            "(/properties/a/nullable)");
}

// As other testers mean it: the root of a schema with properties lacks the keyword.
TEST(CheckAction, NotesMissingAdditionalProperties) {
  const auto noted = [](std::string_view schema) { return !Said(Check(schema), kSchemaAdditional).empty(); };
  EXPECT_TRUE(noted(R"({"type":"object","properties":{"a":{"additionalProperties":false}}})"));
  EXPECT_FALSE(noted(R"({"type":"object","properties":{"a":{}},"additionalProperties":false})"));
  EXPECT_FALSE(noted(R"({"type":"object","properties":{"a":{}},"additionalProperties":true})"));
  EXPECT_FALSE(noted(R"({"type":"object"})"));
  const CheckedAction checked = Check(R"({"type":"object","additionalProperties":false})");
  EXPECT_EQ(Found(checked), Diagnostics{});
  ASSERT_NE(checked.compiled, nullptr);
  EXPECT_FALSE(checked.compiled->IsValid(json::Parse(R"({"a":1})").value()));
}

TEST(CheckAction, ExplainsInvalidSchemas) {
  for (const char* bad :
       {R"(["x"])", "5", "\"object\"", R"({"type":"objekt"})", R"({"type":"object","required":"a"})",
        R"({"type":"object","properties":{"a":{"pattern":"("}}})", R"({"type":"object","$ref":"#/nowhere"})"}) {
    const CheckedAction checked = Check(bad);
    EXPECT_EQ(checked.compiled, nullptr) << bad;
    EXPECT_TRUE(Said(checked, kSchemaInvalid).starts_with("its schema cannot be used: ")) << bad;
  }
}

TEST(CheckAction, PointsAtConfusingParts) {
  const auto said = [](std::string_view schema) {
    const std::string detail = Said(Check(schema), kSchemaConfusing);
    const std::string begin = "its schema may confuse: ";
    return detail.starts_with(begin) ? detail.substr(begin.size()) : detail;
  };
  const auto property = [](std::string_view schema) {
    return R"({"type":"object","properties":{"a":)" + std::string(schema) + "}}";
  };
  const std::string at = "`/properties/a` ";
  EXPECT_EQ(said(property(R"({"enum":["x",1]})")), at + "mixes values of several types");
  EXPECT_EQ(said(property(R"({"enum":["x",null,"y"]})")), "");
  EXPECT_EQ(said(property(R"({"enum":[1,2.5]})")), "");
  EXPECT_EQ(said(property(R"({"enum":[{"x":1}]})")), at + "lists objects or arrays as values");
  EXPECT_EQ(said(property(R"({"enum":[[0,1],[2,2]]})")), "") << "a cell";
  EXPECT_EQ(said(property(R"({"enum":[[1,2,3,4,5]]})")), at + "lists objects or arrays as values");
  EXPECT_EQ(said(property(R"({"enum":[[[1]]]})")), at + "lists objects or arrays as values");
  EXPECT_EQ(said(property(R"({"type":["string","integer"]})")), at + "allows several types");
  EXPECT_EQ(said(property(R"({"type":["string","null"]})")), "");
  EXPECT_EQ(said(property(R"({"type":"integer","minimum":3,"maximum":2})")),
            at + "can never be met: its minimum is above its maximum");
  EXPECT_EQ(said(property(R"({"type":"array","minItems":3.0,"maxItems":3})")), "");
  EXPECT_EQ(said(property(R"({"type":"string","minimum":3})")),
            at + "has `minimum`, which says nothing about type \"string\"");
  EXPECT_EQ(said(R"({"type":"object","required":["a"]})"), "the root requires \"a\", which its properties do not have");
  EXPECT_EQ(said(R"({"type":"object","properties":{"a":{}},"required":["a"]})"), "");
  EXPECT_EQ(said(property(R"({"enum":["x",1],"type":["string","integer"]})")),
            at + "mixes values of several types; " + at + "allows several types");

  std::string many = "[0";
  for (int i = 1; i <= 100; ++i) many += "," + std::to_string(i);
  EXPECT_EQ(said(property("{\"enum\":" + many + "]}")), at + "lists 101 values to choose from");

  std::string deep = R"({"type":"string"})";
  for (int i = 0; i < 5; ++i) deep = R"({"type":"array","items":)" + deep + "}";
  EXPECT_EQ(said(deep), "the data nests 5 levels deep");
  EXPECT_EQ(said(property(R"({"const":")" + std::string(9000, 'x') + "\"}")), "it is 9048 bytes long");
}

// A long name with many small subschemas: the text of their places would take hundreds of megabytes.
TEST(CheckAction, TakesLongNames) {
  std::string schema = R"({"type":"object","properties":{")" + std::string(200'000, 'n') + R"(":{"properties":{)";
  for (int i = 0; i < 2000; ++i) schema += "\"p" + std::to_string(i) + "\":{\"title\":\"t\"},";
  schema += R"("q":{"type":["string","integer"]}}}}})";
  const CheckedAction checked = Check(schema);
  EXPECT_NE(checked.compiled, nullptr);
  EXPECT_EQ(Found(checked), (Diagnostics{kSchemaUnsupported, kSchemaConfusing}));
  for (const Issue& issue : checked.issues) EXPECT_LT(issue.detail.size(), 1000u);
}

TEST(CheckAction, RefusesWhatIsTooLargeOrTooDeep) {
  const auto said = [](std::string_view schema) { return Said(Check(schema), kSchemaInvalid); };
  const std::string begin = "its schema cannot be used: the schema is too large: at most ";
  EXPECT_EQ(said(R"({"type":"object","const":")" + std::string(2u << 20, 'x') + "\"}"), begin + "1048576 bytes");
  std::string deep = "{}";
  for (int i = 0; i < 100; ++i) deep = R"({"type":"object","not":)" + deep + "}";
  EXPECT_EQ(said(deep), begin + "96 levels of nesting");
}

// As it comes from the wire, whatever it is.
RC_GTEST_PROP(CheckAction, NeverFails, (const std::string& name, const std::string& keyword, const std::string& text)) {
  json::Object schema{{"type", "object"}};
  std::string message;
  EncodeRegister("g", std::vector<ActionDefinition>{{name, text, json::Value(std::move(schema))}}, message);
  std::string key;
  json::WriteString(keyword, key);
  std::string value;
  json::WriteString(text, value);
  message.insert(message.find("\"type\""), key + ":" + value + ",");
  const auto decoded = DecodeClient(message);
  RC_ASSERT(decoded.at(0).message.has_value());
  for (const ActionDefinition& action : std::get<RegisterMessage>(decoded[0].message->body).actions) {
    for (const Issue& issue : CheckAction(action).issues) RC_ASSERT(!issue.detail.empty());
  }
}

}  // namespace
}  // namespace openseat::neuro
