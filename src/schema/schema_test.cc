#include "schema/schema.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/json.h"
#include "schema/schema_test_support.h"
#include "schema/validate/program.h"

namespace openseat::schema {
namespace {

Error CompileError(std::string_view text, const CompileOptions& options = {}) {
  const auto schema = Schema::Compile(Parsed(text), options);
  EXPECT_FALSE(schema) << text;
  return schema ? Error{} : schema.error();
}

std::vector<std::string> Messages(std::string_view schema, std::string_view instance) {
  std::vector<std::string> out;
  for (const Violation& violation : Compiled(schema)->Validate(Parsed(instance))) out.push_back(violation.message);
  return out;
}

constexpr std::string_view kPlaceMark = R"({"type": "object", "properties": {"position": {"type": "array",
    "items": {"enum": [0, 1, 2]}, "minItems": 2, "maxItems": 2}}, "required": ["position"], "additionalProperties": false})";

TEST(SchemaTest, SaysWhereAndWhat) {
  const auto violations = Compiled(kPlaceMark)->Validate(Parsed(R"({"position": [7, 1]})"));
  ASSERT_EQ(violations.size(), 1u);
  EXPECT_EQ(violations[0], (Violation{"position[0]", "/position/0", "/properties/position/items/enum", "enum",
                                      "`position[0]` must be one of 0, 1, 2; got 7"}));
}

TEST(SchemaTest, EveryKeywordHasItsSentence) {
  const auto one = [](std::string_view schema, std::string_view instance) {
    const std::vector<std::string> messages = Messages(schema, instance);
    EXPECT_EQ(messages.size(), 1u) << schema;
    return messages.at(0);
  };
  EXPECT_EQ(one("false", "1"), "the value is not allowed here; got 1");
  EXPECT_EQ(one(R"({"type": "object"})", "[]"), "the value must be an object; got the array");
  EXPECT_EQ(one(R"({"type": ["integer", "null"]})", "1.5"), "the value must be an integer or null; got the number 1.5");
  EXPECT_EQ(one(R"({"type": "string"})", "null"), "the value must be a string; got null");
  EXPECT_EQ(one(R"({"const": "a"})", "\"b\""), "the value must be \"a\"; got \"b\"");
  EXPECT_EQ(one(R"({"minimum": 3})", "2"), "the value must be at least 3; got 2");
  EXPECT_EQ(one(R"({"exclusiveMaximum": 3})", "3"), "the value must be less than 3; got 3");
  EXPECT_EQ(one(R"({"multipleOf": 0.5})", "0.7"), "the value must be a multiple of 0.5; got 0.7");
  EXPECT_EQ(one(R"({"minLength": 1})", "\"\""), "the value must have at least 1 character; got 0");
  EXPECT_EQ(one(R"({"maxLength": 2})", "\"äöü\""), "the value must have at most 2 characters; got 3");
  EXPECT_EQ(one(R"({"pattern": "^a"})", "\"b\""), "the value must match the pattern ^a; got \"b\"");
  EXPECT_EQ(one(R"({"minItems": 2})", "[1]"), "the value must have at least 2 items; got 1");
  EXPECT_EQ(one(R"({"prefixItems": [true], "items": false})", "[1, 2]"), "the value must have at most 1 item; got 2");
  EXPECT_EQ(one(R"({"uniqueItems": true})", "[1, 2, 1.0]"),
            "the value must not contain the same item twice; items 0 and 2 are both 1");
  EXPECT_EQ(one(R"({"contains": {"const": 1}})", "[2]"),
            "the value must have at least 1 item matching `contains`; got 0");
  EXPECT_EQ(one(R"({"maxProperties": 0})", R"({"a": 1})"), "the value must have at most 0 properties; got 1");
  EXPECT_EQ(one(R"({"required": ["a"]})", "{}"), "the value must have the property \"a\"");
  EXPECT_EQ(one(R"({"properties": {"a": true, "b": true}, "additionalProperties": false})", R"({"c": 1})"),
            "`c` is not a known property; known are \"a\", \"b\"");
  EXPECT_EQ(one(R"({"propertyNames": {"maxLength": 1}})", R"({"ab": 1})"),
            "the property name \"ab\" must have at most 1 character; got 2");
  EXPECT_EQ(one(R"({"dependentRequired": {"a": ["b"]}})", R"({"a": 1})"),
            "the value must have the property \"b\", because it has \"a\"");
  EXPECT_EQ(one(R"({"not": {}})", "1"), "the value must not match the schema in `not`");
  EXPECT_EQ(one(R"({"oneOf": [{"minimum": 1}, {"maximum": 5}]})", "3"),
            "the value must match exactly one of 2 alternatives; it matches alternatives 1 and 2");
  EXPECT_EQ(
      one(R"({"anyOf": [{"type": "null"}, {"properties": {"a": {"type": "null"}}, "type": "object"}]})", R"({"a": 1})"),
      "the value must match at least one of 2 alternatives; the closest says: `a` must be null; got the integer 1");
  EXPECT_EQ(one(R"({"unevaluatedProperties": false, "allOf": [{"properties": {"a": true}}]})", R"({"b": 1})"),
            "`b` is not a property that the schema describes");
  EXPECT_EQ(one(R"({"unevaluatedItems": false, "allOf": [{"prefixItems": [true]}]})", "[1, 2]"),
            "`[1]` is not an item that the schema describes");
  EXPECT_EQ(one(R"({"if": {"type": "integer"}, "then": {"minimum": 2}})", "1"), "the value must be at least 2; got 1");
}

TEST(SchemaTest, PathsAreForPeople) {
  const auto violations = Compiled(R"({"additionalProperties": {"items": {"additionalProperties": {"type": "null"}}}})")
                              ->Validate(Parsed(R"({"a b/c~": [0, {"d-1": 1}], "cards": [{"name": 5}]})"));
  ASSERT_EQ(violations.size(), 2u);
  EXPECT_EQ(violations[0].instance_path, R"(["a b/c~"][1].d-1)");
  EXPECT_EQ(violations[0].instance_pointer, "/a b~1c~0/1/d-1");
  EXPECT_EQ(violations[1].instance_path, "cards[0].name");
}

TEST(SchemaTest, ReportsInAFixedOrderUpToTheLimit) {
  const auto schema = Compiled(R"({"items": {"type": "null"}, "minItems": 99})");
  const json::Value instance = Parsed("[1, 2, 3, 4]");
  const auto all = schema->Validate(instance);
  ASSERT_EQ(all.size(), 5u);
  EXPECT_EQ(all[0].keyword, "minItems");
  EXPECT_EQ(all[4].instance_path, "[3]");
  const auto two = schema->Validate(instance, 2);
  ASSERT_EQ(two.size(), 2u);
  EXPECT_EQ(two[1], all[1]);
  EXPECT_EQ(Explain(two), all[0].message + "; " + all[1].message);
}

TEST(SchemaTest, LongListsAndValuesAreCutShort) {
  std::string values = "[";
  for (int i = 0; i < 100; ++i) values += std::to_string(i) + ",";
  const auto messages = Messages(R"({"enum": )" + values + "100]}", "\"" + std::string(5000, 'x') + "\"");
  ASSERT_EQ(messages.size(), 1u);
  EXPECT_LT(messages[0].size(), 600u);
  EXPECT_THAT(messages[0], ::testing::HasSubstr("(101 in total)"));
}

TEST(SchemaTest, RefusesWhatIsNoSchema) {
  EXPECT_EQ(CompileError("7").code, ErrorCode::kSchema);
  const Error error = CompileError(R"({"properties": {"a/b": {"minLength": -1}}})");
  EXPECT_EQ(error.code, ErrorCode::kSchema);
  EXPECT_EQ(error.path, "/properties/a~1b/minLength");
  EXPECT_EQ(error.message, "`minLength` must be a non-negative integer; got -1");
  for (const char* text : {R"({"type": "int"})",
                           R"({"type": []})",
                           R"({"type": ["null", "null"]})",
                           R"({"required": ["a", "a"]})",
                           R"({"required": "a"})",
                           R"({"properties": []})",
                           R"({"properties": {"a": 1}})",
                           R"({"items": [true]})",
                           R"({"allOf": []})",
                           R"({"enum": 1})",
                           R"({"minimum": "1"})",
                           R"({"multipleOf": 0})",
                           R"({"maxItems": 1.5})",
                           R"({"uniqueItems": 1})",
                           R"({"pattern": "("})",
                           R"({"patternProperties": {"(": true}})",
                           R"({"$id": "a#b"})",
                           R"({"$anchor": "1"})",
                           R"({"$ref": 1})",
                           R"({"$ref": "#/nowhere"})",
                           R"({"$ref": "#nowhere"})",
                           R"({"$ref": "http://example.com/other"})",
                           R"({"$ref": "#/type", "type": "null"})",
                           R"({"$defs": {"a": {"$anchor": "x"}, "b": {"$anchor": "x"}}})",
                           R"({"$defs": {"a": {"$id": "x"}, "b": {"$id": "x"}}})",
                           R"({"$vocabulary": {"x": 1}})",
                           R"({"title": 1})",
                           R"({"dependencies": {"a": 1}})",
                           R"({"then": 1})"}) {
    const Error wrong = CompileError(text);
    EXPECT_EQ(wrong.code, ErrorCode::kSchema) << text;
    EXPECT_FALSE(wrong.path.empty()) << text;
    EXPECT_FALSE(wrong.message.empty()) << text;
  }
  EXPECT_EQ(CompileError(R"({"$schema": "https://example.com/unheard-of"})").code, ErrorCode::kUnsupported);
}

TEST(SchemaTest, TakesIntegersWrittenAsFloatsAndUnknownKeywords) {
  const auto schema = Compiled(R"({"maxItems": 2.0, "x-mine": {"type": 7}, "minItems": 1e0})");
  EXPECT_TRUE(schema->IsValid(Parsed("[1, 2]")));
  EXPECT_FALSE(schema->IsValid(Parsed("[1, 2, 3]")));
}

TEST(SchemaTest, ReadsOlderDraftsAsThisOne) {
  const auto schema = Compiled(R"({"$schema": "http://json-schema.org/draft-07/schema#",
      "definitions": {"a": {"type": "integer"}}, "$ref": "#/definitions/a"})");
  EXPECT_FALSE(schema->IsValid(Parsed("\"x\"")));
}

TEST(SchemaTest, KeepsTheDocumentsThatItRefersTo) {
  std::shared_ptr<const Schema> schema;
  {
    Documents documents;
    documents.Add("https://example.com/point", Parsed(R"({"properties": {"x": {"$ref": "#/$defs/n"}},
        "$defs": {"n": {"enum": [{"a": ["b"]}, 1.5]}}})"));
    CompileOptions options;
    options.base_uri = "https://example.com/root";
    options.documents = &documents;
    schema = Compiled(R"({"$ref": "point"})", options);
  }
  EXPECT_TRUE(schema->IsValid(Parsed(R"({"x": {"a": ["b"]}})")));
  const auto violations = schema->Validate(Parsed(R"({"x": 2})"));
  ASSERT_EQ(violations.size(), 1u);
  EXPECT_EQ(violations[0].schema_pointer, "https://example.com/point#/$defs/n/enum");
}

TEST(SchemaTest, FormatsAreAssertedOnRequest) {
  constexpr std::string_view kText = R"({"format": "ipv4"})";
  EXPECT_TRUE(Compiled(kText)->IsValid(Parsed("\"x\"")));
  CompileOptions options;
  options.assert_formats = true;
  const auto violations = Compiled(kText, options)->Validate(Parsed("\"x\""));
  ASSERT_EQ(violations.size(), 1u);
  EXPECT_EQ(violations[0].message, "the value must have the format ipv4; got \"x\"");
}

TEST(SchemaTest, RefusesWhatIsTooLarge) {
  std::string deep = "true";
  for (int i = 0; i < 60; ++i) deep = R"({"items":)" + deep + "}";
  EXPECT_TRUE(Schema::Compile(Parsed(deep)));
  for (int i = 0; i < 60; ++i) deep = R"({"items":)" + deep + "}";
  EXPECT_EQ(CompileError(deep).code, ErrorCode::kTooLarge);
  CompileOptions options;
  options.limits.max_bytes = 100;
  EXPECT_EQ(CompileError(R"({"title": ")" + std::string(200, 'x') + "\"}", options).code, ErrorCode::kTooLarge);
  options = {};
  options.limits.max_nodes = 10;
  EXPECT_EQ(CompileError(R"({"enum": [1,2,3,4,5,6,7,8,9,10]})", options).code, ErrorCode::kTooLarge);
  options = {};
  options.limits.max_patterns = 1;
  EXPECT_EQ(CompileError(R"({"patternProperties": {"a": true, "b": true}})", options).code, ErrorCode::kTooLarge);
}

TEST(SchemaTest, LoopsAndBombsEnd) {
  for (const char* text :
       {R"({"$ref": "#"})", R"({"allOf": [{"$ref": "#"}, {"$ref": "#"}]})", R"({"not": {"$ref": "#"}})",
        R"({"anyOf": [{"$ref": "#"}, {"$ref": "#"}]})", R"({"oneOf": [{"$ref": "#"}, {"$ref": "#"}]})",
        R"({"if": {"$ref": "#"}, "then": false})", R"({"$ref": "#", "unevaluatedProperties": false})",
        R"({"$dynamicRef": "#a", "$dynamicAnchor": "a", "$defs": {"b": {"$id": "b", "$dynamicAnchor": "a"}}})"}) {
    const auto schema = Compiled(text);
    for (const char* instance : {"1", R"({"a": 1})"}) {
      EXPECT_FALSE(schema->IsValid(Parsed(instance))) << text;
      const auto violations = schema->Validate(Parsed(instance));
      ASSERT_EQ(violations.size(), 1u) << text;
      EXPECT_EQ(violations[0].keyword, "limit") << text;
    }
  }
  // Every level doubles the work.
  std::string bomb = R"({"$ref": "#/$defs/d0", "$defs": {)";
  for (int i = 0; i < 60; ++i) {
    const std::string next = R"({"$ref": "#/$defs/d)" + std::to_string(i + 1) + "\"}";
    bomb += "\"d" + std::to_string(i) + R"(": {"allOf": [)" + next + "," + next + "]},";
  }
  const auto schema = Compiled(bomb + R"("d60": {"type": "integer", "minimum": 0}}})");
  EXPECT_FALSE(schema->IsValid(Parsed("1")));
  EXPECT_EQ(schema->Validate(Parsed("1")).at(0).keyword, "limit");
}

TEST(SchemaTest, RecursiveSchemasReachAsDeepAsInstances) {
  const auto schema = Compiled(R"({"type": "array", "items": {"anyOf": [{"$ref": "#"}, {"type": "integer"}]}})");
  EXPECT_TRUE(schema->IsValid(Parsed(std::string(128, '[') + std::string(128, ']'))));
  EXPECT_FALSE(schema->IsValid(Parsed(std::string(127, '[') + "true" + std::string(127, ']'))));
}

TEST(SchemaTest, IsSharedBetweenThreads) {
  const auto schema = Compiled(R"({"properties": {"a": {"pattern": "^(?=x)\\w+$"}}, "unevaluatedProperties": false})");
  std::vector<std::thread> threads;
  std::vector<int> good(4, 0);
  for (std::size_t i = 0; i < good.size(); ++i) {
    threads.emplace_back([&, i] {
      const json::Value yes = Parsed(R"({"a": "xyz"})");
      const json::Value no = Parsed(R"({"a": "abc", "b": 1})");
      for (int k = 0; k < 500; ++k) {
        good[i] += schema->IsValid(yes) && schema->Validate(yes).empty() && schema->Validate(no).size() == 2 ? 1 : 0;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(good, ::testing::Each(500));
}

TEST(SchemaTest, NumbersAreExact) {
  EXPECT_FALSE(Compiled(R"({"maximum": 9007199254740992})")->IsValid(Parsed("9007199254740993")));
  EXPECT_TRUE(Compiled(R"({"maximum": 9007199254740992.0})")->IsValid(Parsed("9007199254740992")));
  EXPECT_FALSE(Compiled(R"({"exclusiveMinimum": 18446744073709551614})")->IsValid(Parsed("18446744073709551614")));
  EXPECT_TRUE(Compiled(R"({"exclusiveMinimum": 18446744073709551614})")->IsValid(Parsed("18446744073709551615")));
  EXPECT_FALSE(Compiled(R"({"minimum": 9223372036854775808})")->IsValid(Parsed("9223372036854775807")));
  EXPECT_TRUE(Compiled(R"({"enum": [1, 2.0, 18446744073709551615]})")->IsValid(Parsed("18446744073709551615")));
  EXPECT_TRUE(Compiled(R"({"enum": [1, 2.0]})")->IsValid(Parsed("2")));
  EXPECT_TRUE(Compiled(R"({"const": 1})")->IsValid(Parsed("1.0")));
  EXPECT_TRUE(Compiled(R"({"const": 1})")->IsValid(json::Value(std::uint64_t{1})));
  EXPECT_TRUE(Compiled(R"({"type": "integer"})")->IsValid(Parsed("1e300")));
  EXPECT_TRUE(Compiled(R"({"multipleOf": 1e-8})")->IsValid(Parsed("12391239123")));
  EXPECT_FALSE(Compiled(R"({"multipleOf": 0.123456789})")->IsValid(Parsed("1e308")));
}

// Where every way from the root enters the same resource first, a $dynamicRef always leads there, and costs nothing.
TEST(SchemaTest, ResolvesDynamicReferencesThatAreAlwaysTheSame) {
  const auto is_dynamic = [](std::string_view text) { return Compiled(text)->program().has_dynamic_references; };
  EXPECT_FALSE(is_dynamic(R"({"$ref": "https://json-schema.org/draft/2020-12/schema"})"));
  constexpr std::string_view kList =
      R"("list": {"$id": "list", "$dynamicAnchor": "item", "items": {"$dynamicRef": "#item"}, "type": ["array", "string"]})";
  const std::string only = R"({"$id": "http://a/", "$ref": "list", "$defs": {)" + std::string(kList) + "}}";
  EXPECT_FALSE(is_dynamic(only));
  EXPECT_TRUE(Compiled(only)->IsValid(Parsed(R"([["a"]])")));
  EXPECT_FALSE(Compiled(only)->IsValid(Parsed("[[1]]")));

  // Two ways, which mean different items.
  const std::string two =
      R"({"$id": "http://a/", "properties": {"l": {"$ref": "list"}, "n": {"$ref": "numbers"}}, "$defs": {)" +
      std::string(kList) +
      R"(, "numbers": {"$id": "numbers", "$dynamicAnchor": "item", "anyOf": [{"type": "number"}, {"$ref": "list"}]}}})";
  EXPECT_TRUE(is_dynamic(two));
  EXPECT_TRUE(Compiled(two)->IsValid(Parsed(R"({"l": [["a"]], "n": [[1]]})")));
  EXPECT_FALSE(Compiled(two)->IsValid(Parsed(R"({"l": [[1]]})")));
}

// An allOf is one check where it can be; where its parts say the same, or lead to one another, they stay apart.
TEST(SchemaTest, FoldsWhatMustHoldTogether) {
  const auto folded = Compiled(R"({"allOf": [{"properties": {"a": {"type": "string"}}, "required": ["a"]},
      {"type": "object", "properties": {"b": {"type": "integer"}}}, {"allOf": [{"type": ["object", "array"]}]}]})");
  EXPECT_EQ(folded->program().quick.nodes[folded->program().root].kernel, Kernel::kMembers);
  EXPECT_TRUE(folded->IsValid(Parsed(R"({"a": "x", "b": 2.0})")));
  for (const char* bad : {"[]", "7", "{}", R"({"a": 1})", R"({"a": "x", "b": 2.5})"}) {
    EXPECT_FALSE(folded->IsValid(Parsed(bad))) << bad;
  }
  const auto same =
      Compiled(R"({"allOf": [{"properties": {"a": {"minimum": 3}}}, {"properties": {"a": {"maximum": 5}}}]})");
  EXPECT_TRUE(same->IsValid(Parsed(R"({"a": 4})")));
  EXPECT_FALSE(same->IsValid(Parsed(R"({"a": 2})")));
  EXPECT_FALSE(same->IsValid(Parsed(R"({"a": 6})")));
  const auto numbers =
      Compiled(R"({"type": ["string", "number"], "allOf": [{"minimum": 3}, {"type": ["integer", "string"]}]})");
  EXPECT_TRUE(numbers->IsValid(Parsed("4")));
  for (const char* bad : {"2", "4.5", "null"}) EXPECT_FALSE(numbers->IsValid(Parsed(bad))) << bad;
  const auto circle = Compiled(R"({"$ref": "#/$defs/a", "$defs": {"a": {"allOf": [{"$ref": "#/$defs/b"}]},
      "b": {"allOf": [{"$ref": "#/$defs/a"}]}}})");
  EXPECT_FALSE(circle->IsValid(Parsed("1")));
}

// One comparison decides most doubles; those that it does not know are compared as numbers.
TEST(SchemaTest, ComparesDoublesOfEverySign) {
  const auto valid = [](std::string_view schema, std::string_view items) {
    return Compiled(R"({"items": )" + std::string(schema) + "}")->IsValid(Parsed(items));
  };
  EXPECT_TRUE(valid(R"({"type": "number", "minimum": 0, "maximum": 1.5})", "[0.0, -0.0, 1.5, 1, 5e-324]"));
  EXPECT_FALSE(valid(R"({"type": "number", "minimum": 0, "maximum": 1.5})", "[-5e-324]"));
  EXPECT_FALSE(valid(R"({"type": "number", "minimum": 0, "maximum": 1.5})", "[1.5000000000000002]"));
  EXPECT_TRUE(valid(R"({"minimum": -2.5, "maximum": -0.5})", "[-2.5, -1, -0.5]"));
  EXPECT_FALSE(valid(R"({"minimum": -2.5, "maximum": -0.5})", "[0.0]"));
  EXPECT_TRUE(valid(R"({"minimum": -2.5})", "[1e308, -2.5, 0.5]"));
  EXPECT_FALSE(valid(R"({"exclusiveMinimum": 0})", "[0.0]"));
  EXPECT_FALSE(valid(R"({"type": "integer", "minimum": 0})", "[2.5]"));
  EXPECT_TRUE(valid(R"({"type": "integer", "minimum": 0})", "[2.0]"));
}

}  // namespace
}  // namespace openseat::schema
