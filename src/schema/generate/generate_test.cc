#include "schema/generate/generate.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "schema/schema.h"
#include "schema/schema_test_support.h"

namespace openseat::schema {
namespace {

// Schemas of the keywords that the Neuro API recommends: always generated.
class RecommendedTest : public ::testing::TestWithParam<const char*> {};

TEST_P(RecommendedTest, IsAlwaysGenerated) {
  const auto schema = Compiled(GetParam());
  Rng rng(1);
  for (int i = 0; i < 300; ++i) {
    const auto value = Generate(*schema, rng);
    ASSERT_TRUE(value) << GetParam() << ": " << value.error().message;
    ASSERT_TRUE(schema->IsValid(*value)) << json::Write(*value);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Schemas, RecommendedTest,
    ::testing::Values(
        "{}", "true", R"({"type": "object"})", R"({"type": ["string", "null"]})",
        R"({"enum": [1, "a", null, [1], {"b": 2}]})", R"({"enum": ["a", 1, 2], "type": "integer", "minimum": 2})",
        R"({"const": {"a": [1]}})",
        R"({"type": "object", "properties": {"position": {"type": "array", "items": {"enum": [0, 1, 2]}, "minItems": 2,
            "maxItems": 2}}, "required": ["position"]})",
        R"({"type": "integer", "minimum": -5, "maximum": 5})",
        R"({"type": "integer", "exclusiveMinimum": 3.5, "maximum": 4})",
        R"({"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 0.001})",
        R"({"type": "number", "minimum": 1e300})", R"({"type": "integer", "minimum": 1e30, "maximum": 1.5e30})",
        R"({"type": "number", "maximum": -1e308})", R"({"type": "integer", "minimum": 9223372036854775807})",
        R"({"type": "integer", "maximum": -9223372036854775808})",
        R"({"type": "integer", "minimum": 18446744073709551615, "maximum": 18446744073709551615})",
        R"({"type": "string", "minLength": 5, "maxLength": 5})", R"({"type": "string", "maxLength": 0})",
        R"({"type": "string", "minLength": 3000})", R"({"type": "string", "pattern": "^[a-h][1-8]$"})",
        R"({"type": "string", "pattern": "^[a-z]+$", "minLength": 40, "maxLength": 41})",
        R"({"type": "string", "pattern": "b", "minLength": 10, "maxLength": 10})",
        R"({"type": "string", "pattern": "^(foo|ba{2,3}r|\\d{3}-\\d{4})$"})",
        R"({"type": "string", "pattern": "^(?=.*[A-Z])(?=.*\\d)[A-Za-z\\d]{8,}$"})",
        R"({"type": "string", "pattern": "^(a|b)\\1$"})",
        R"({"type": "string", "pattern": "^\\p{Lu}\\p{Ll}+( \\p{L}{2,9})?$"})",
        R"({"type": "string", "pattern": "^[^a-z\\s]{2,4}$"})",
        R"({"type": "string", "pattern": "^.{3}(ab?){5}$", "maxLength": 9})",
        R"({"type": "string", "pattern": "\\bword\\b"})", R"({"type": "string", "pattern": ""})",
        R"({"type": "string", "pattern": "^$"})", R"({"type": "string", "format": "date-time"})",
        R"({"type": "string", "format": "email", "maxLength": 4})", R"({"type": "string", "format": "unheard-of"})",
        R"({"type": "array", "prefixItems": [{"type": "string"}, {"type": "integer"}], "items": false, "minItems": 1})",
        R"({"type": "array", "contains": {"const": 7}, "minContains": 2, "maxContains": 3, "items": {"type": "integer"}})",
        R"({"type": "array", "items": {"enum": [1, 2]}, "contains": {"const": 2}, "minItems": 3, "maxItems": 3})",
        R"({"type": "array", "minItems": 100, "items": {"type": "boolean"}})", R"({"type": "array", "maxItems": 0})",
        R"({"type": "object", "required": ["a", "b"], "properties": {"b": {"type": "null"}}})",
        R"({"type": "object", "propertyNames": {"pattern": "^[a-z]+$"}, "properties": {"A": true, "b": {"type": "integer"}}})",
        R"({"type": "object", "properties": {"a": false, "b": {"type": "string", "examples": ["x"], "default": 7}}})",
        R"({"items": {"type": "integer"}, "minimum": 3, "minLength": 2})"));

// Beyond those: followed as far as they go, which is all the way for the usual forms.
class OtherTest : public ::testing::TestWithParam<const char*> {};

TEST_P(OtherTest, IsUsuallyGenerated) {
  const auto schema = Compiled(GetParam());
  Rng rng(2);
  for (int i = 0; i < 200; ++i) {
    // What the meta-schema accepts may be very large.
    Budget budget(20 * kCallSteps);
    GenerateOptions options;
    options.budget = &budget;
    const auto value = Generate(*schema, rng, options);
    ASSERT_TRUE(value) << GetParam() << ": " << value.error().message;
    ASSERT_TRUE(schema->IsValid(*value)) << json::Write(*value);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Schemas, OtherTest,
    ::testing::Values(
        R"({"allOf": [{"type": "integer", "minimum": 3}, {"maximum": 5}, {"multipleOf": 2}]})",
        R"({"anyOf": [{"type": "string"}, {"type": "integer"}], "type": ["integer", "null"]})",
        R"({"oneOf": [{"type": "integer"}, {"type": "number", "minimum": 100}]})",
        R"({"type": "number", "multipleOf": 0.01, "minimum": 0, "maximum": 2})",
        R"({"type": "number", "multipleOf": 0.1, "minimum": 5})", R"({"type": "integer", "multipleOf": 0.5})",
        R"({"type": "number", "multipleOf": 7, "exclusiveMinimum": 7, "exclusiveMaximum": 21})",
        R"({"type": "array", "uniqueItems": true, "items": {"enum": [1, 2, 3]}, "minItems": 3})",
        R"({"type": "object", "minProperties": 3, "maxProperties": 4})",
        R"({"type": "object", "properties": {"a": true, "b": true, "c": true}, "minProperties": 2,
            "additionalProperties": false})",
        R"({"type": "object", "patternProperties": {"^x-[a-z]+$": {"type": "integer"}}, "additionalProperties": false,
            "minProperties": 2})",
        R"({"type": "object", "required": ["a"], "dependentRequired": {"a": ["b"], "b": ["c"]}})",
        R"({"type": "object", "required": ["a"], "dependentSchemas": {"a": {"required": ["b"],
            "properties": {"b": {"type": "integer"}}}}})",
        R"({"if": {"properties": {"kind": {"const": 1}}, "required": ["kind"]}, "then": {"required": ["one"]},
            "else": {"required": ["other"]}, "type": "object", "properties": {"kind": {"enum": [1, 2]}}})",
        R"({"not": {"type": "string"}})",
        R"({"type": "object", "properties": {"a": true}, "unevaluatedProperties": false})",
        R"({"$ref": "#/$defs/tree", "$defs": {"tree": {"type": "object", "properties": {"children": {"type": "array",
            "items": {"$ref": "#/$defs/tree"}}, "value": {"type": "integer"}}, "required": ["value", "children"]}}})",
        R"({"$ref": "#/$defs/list", "$defs": {"list": {"anyOf": [{"type": "null"}, {"type": "object",
            "properties": {"next": {"$ref": "#/$defs/list"}}, "required": ["next"]}]}}})",
        R"({"$ref": "https://json-schema.org/draft/2020-12/schema"})"));

TEST(GenerateTest, SameSeedGivesTheSameValues) {
  const auto schema = Compiled(R"({"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "number"},
      "c": {"type": "array", "items": {"type": "integer"}}}, "required": ["a", "b", "c"]})");
  Rng one(42);
  Rng two(42);
  std::set<std::string> seen;
  for (int i = 0; i < 50; ++i) {
    const std::string text = json::Write(*Generate(*schema, one));
    EXPECT_EQ(text, json::Write(*Generate(*schema, two)));
    seen.insert(text);
  }
  EXPECT_GT(seen.size(), 45u);
}

TEST(GenerateTest, GivesUpWhereNothingIsValid) {
  const auto code_of = [](const char* text) {
    Rng rng(3);
    const auto value = Generate(*Compiled(text), rng);
    EXPECT_FALSE(value) << text;
    return value.error().code;
  };
  for (const char* text : {"false", R"({"type": "string", "minLength": 3, "maxLength": 2})", R"({"enum": []})",
                           R"({"allOf": [{"type": "null"}, {"type": "string"}]})",
                           R"({"type": "string", "pattern": "[]"})", R"({"type": "array", "minItems": 1e9})"}) {
    EXPECT_EQ(code_of(text), ErrorCode::kInvalid) << text;
  }
  // What has no end ends with the budget.
  for (const char* text : {R"({"type": "object", "required": ["a"], "properties": {"a": {"$ref": "#"}}})",
                           R"({"$ref": "#"})", R"({"allOf": [{"$ref": "#"}, {"$ref": "#"}]})"}) {
    EXPECT_EQ(code_of(text), ErrorCode::kTooLarge) << text;
  }
}

TEST(GenerateTest, TakesSuggestionsThatFit) {
  const auto schema = Compiled(R"({"type": "object", "properties": {"name": {"type": "string", "maxLength": 5},
      "age": {"type": "integer"}}, "required": ["name", "age"]})");
  std::set<std::string> asked;
  GenerateOptions options;
  options.suggest = [&](const Blank& blank, Rng&) -> std::optional<json::Value> {
    EXPECT_EQ(blank.path.size(), 1u);
    asked.emplace(blank.path.back());
    if (blank.path.back() == "name") return json::Value("Vedal");
    return json::Value("not an integer");
  };
  Rng rng(4);
  const auto value = Generate(*schema, rng, options);
  ASSERT_TRUE(value);
  EXPECT_EQ(value->at("name").as_string(), "Vedal");
  EXPECT_TRUE(value->at("age").is_int64());
  EXPECT_TRUE(asked.contains("age"));
}

TEST(GenerateTest, SaysWhatMayBeSuggested) {
  const auto schema = Compiled(R"({"type": "object", "required": ["owner"], "properties": {"owner": {
      "type": "object", "required": ["pets"], "properties": {"pets": {"type": "array", "minItems": 1, "items": {
          "allOf": [{"type": "string", "minLength": 2}, {"maxLength": 9, "pattern": "^b"}],
          "type": ["string", "null"], "format": "nickname", "title": "What it hears"}}}}}})");
  std::vector<int> attempts;
  GenerateOptions options;
  options.suggest = [&](const Blank& blank, Rng&) -> std::optional<json::Value> {
    EXPECT_EQ(blank.path.size(), 2u);
    EXPECT_EQ(blank.path.front(), "owner");
    EXPECT_EQ(blank.path.back(), "pets");
    EXPECT_TRUE(blank.may_be_string);
    EXPECT_FALSE(blank.may_be_integer);
    EXPECT_FALSE(blank.may_be_fraction);
    EXPECT_EQ(blank.min_length, 2u);
    EXPECT_EQ(blank.max_length, 9u);
    EXPECT_TRUE(blank.has_pattern);
    EXPECT_EQ(blank.Text("format"), "nickname");
    EXPECT_EQ(blank.Text("title"), "What it hears");
    EXPECT_EQ(blank.Text("description"), "");
    attempts.push_back(blank.attempt);
    return json::Value(blank.attempt < 3 ? "cat" : "bella");
  };
  Rng rng(4);
  const auto value = Generate(*schema, rng, options);
  ASSERT_TRUE(value);
  EXPECT_EQ(value->at("owner").at("pets").at(0).as_string(), "bella");
  EXPECT_EQ(std::vector<int>(attempts.begin(), attempts.begin() + 4), (std::vector<int>{0, 1, 2, 3}));

  const auto range = Compiled(R"({"type": "number", "exclusiveMinimum": 2, "maximum": 3.5, "multipleOf": 0.5})");
  options.suggest = [&](const Blank& blank, Rng&) -> std::optional<json::Value> {
    EXPECT_TRUE(blank.path.empty());
    EXPECT_TRUE(blank.may_be_integer && blank.may_be_fraction && !blank.may_be_string);
    EXPECT_EQ(blank.minimum, 2.0);
    EXPECT_EQ(blank.maximum, 3.5);
    return json::Value(2.75);
  };
  for (int i = 0; i < 20; ++i) {
    const auto number = Generate(*range, rng, options);
    ASSERT_TRUE(number);
    EXPECT_TRUE(range->IsValid(*number));
  }
}

TEST(GenerateTest, AsksForNothingWhereAContainerIsMeant) {
  GenerateOptions options;
  options.suggest = [](const Blank& blank, Rng&) -> std::optional<json::Value> {
    ADD_FAILURE() << blank.path.size();
    return std::nullopt;
  };
  Rng rng(6);
  for (const char* text :
       {R"({"properties": {"a": true}, "additionalProperties": false, "maxProperties": 0})",
        R"({"propertyNames": {"pattern": "^a$"}, "minProperties": 1, "additionalProperties": {"const": 1},
                               "type": "object"})",
        R"({"type": "array", "maxItems": 0})", R"({"enum": ["a", "b"]})", R"({"const": "a"})"}) {
    EXPECT_TRUE(Generate(*Compiled(text), rng, options)) << text;
  }
}

// Only two suggestions, and four different items: the rest is drawn.
TEST(GenerateTest, DrawsOnWhereSuggestionsAreUsedUp) {
  const auto schema = Compiled(R"({"type": "array", "uniqueItems": true, "minItems": 4, "items": {"type": "string"}})");
  GenerateOptions options;
  options.suggest = [](const Blank&, Rng& rng) -> std::optional<json::Value> {
    return json::Value(rng.Chance(0.5) ? "red" : "blue");
  };
  Rng rng(7);
  for (int i = 0; i < 50; ++i) {
    const auto value = Generate(*schema, rng, options);
    ASSERT_TRUE(value);
    EXPECT_GE(value->as_array().size(), 4u);
  }
}

TEST(GenerateTest, StaysSmall) {
  const auto schema = Compiled(R"({"$ref": "#/$defs/n", "$defs": {"n": {"type": "array", "minItems": 2, "maxItems": 4,
      "items": {"anyOf": [{"type": "integer"}, {"$ref": "#/$defs/n"}]}}}})");
  GenerateOptions options;
  options.max_values = 200;
  Rng rng(5);
  for (int i = 0; i < 200; ++i) {
    const auto value = Generate(*schema, rng, options);
    ASSERT_TRUE(value);
    EXPECT_LT(json::Write(*value).size(), 4000u);
  }
}

}  // namespace
}  // namespace openseat::schema
