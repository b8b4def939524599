#include "schema/providers/project.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>

#include "base/rng.h"
#include "schema/generate/generate.h"
#include "testing/dialect_check.h"

namespace openseat::schema {
namespace {

Projection Project(const json::Value& source, Dialect dialect) {
  Budget budget(100 * kCallSteps);
  return Project(source, dialect, budget).value();
}

void Unproject(const Schema& schema, json::Value& answer) {
  Budget budget;
  Unproject(schema, answer, budget);
}

using ::testing::Field;
using ::testing::IsEmpty;

json::Value Read(std::string_view text) {
  auto value = json::Parse(text);
  EXPECT_TRUE(value) << text;
  return value ? *value : json::Value();
}

std::string Projected(std::string_view source, Dialect dialect) {
  return json::Write(Project(Read(source), dialect).schema);
}

// What a provider's dialect looks like, in a table: source, OpenAI, Gemini, Anthropic.
TEST(Project, SaysTheSameInEachDialect) {
  struct Row {
    const char* source;
    const char* openai;
    const char* gemini;
    const char* anthropic;
  };
  const Row rows[] = {
      // Members that may be left out, bounds, lengths, the format of a text.
      {R"({"type":"object","properties":{"a":{"type":"integer","minimum":1},"b":{"type":"string","minLength":2,"format":"uri"}},"required":["a"]})",
       R"({"properties":{"a":{"type":"integer","minimum":1},"b":{"type":["string","null"]}},"required":["a","b"],"additionalProperties":false,"type":"object"})",
       R"({"type":"object","properties":{"a":{"type":"integer","minimum":1},"b":{"type":"string","format":"uri"}},"required":["a"]})",
       R"({"type":"object","properties":{"a":{"type":"integer","minimum":1},"b":{"type":"string","minLength":2,"format":"uri"}},"required":["a"]})"},
      // A list of arrays, as tic-tac-toe has it.
      {R"({"type":"object","properties":{"p":{"enum":[[0,1],[2,1]]}},"required":["p"],"additionalProperties":false})",
       R"({"properties":{"p":{"type":"array","minItems":2,"maxItems":2,"items":{"type":"integer","enum":[0,1,2]}}},"required":["p"],"additionalProperties":false,"type":"object"})",
       R"({"type":"object","properties":{"p":{"type":"array","minItems":2,"maxItems":2,"items":{"type":"integer","enum":[0,1,2]}}},"required":["p"],"additionalProperties":false})",
       R"({"type":"object","properties":{"p":{"enum":[[0,1],[2,1]]}},"required":["p"],"additionalProperties":false})"},
      // Alternatives, a constant, an optional reference.
      {R"({"type":"object","properties":{"k":{"const":"x"},"v":{"oneOf":[{"type":"string"},{"$ref":"#/$defs/n"}]}},"required":["k","v"],"$defs":{"n":{"type":"number","exclusiveMinimum":0}}})",
       R"({"properties":{"k":{"type":"string","enum":["x"]},"v":{"anyOf":[{"type":"string"},{"type":"number","exclusiveMinimum":0}]}},"required":["k","v"],"additionalProperties":false,"type":"object"})",
       R"({"type":"object","properties":{"k":{"type":"string","enum":["x"]},"v":{"anyOf":[{"type":"string"},{"type":"number","minimum":0}]}},"required":["k","v"]})",
       R"({"type":"object","properties":{"k":{"enum":["x"]},"v":{"anyOf":[{"type":"string"},{"type":"number","exclusiveMinimum":0}]}},"required":["k","v"]})"},
      // A tuple, and what must all hold.
      {R"({"allOf":[{"properties":{"t":{"prefixItems":[{"type":"string"},{"type":"integer"}],"type":"array","items":false}}},{"required":["t"]}],"type":"object"})",
       R"({"properties":{"t":{"items":{"anyOf":[{"type":"string"},{"type":"integer"}]},"type":"array"}},"required":["t"],"additionalProperties":false,"type":"object"})",
       R"({"type":"object","properties":{"t":{"type":"array","prefixItems":[{"type":"string"},{"type":"integer"}],"items":false}},"required":["t"]})",
       R"({"type":"object","properties":{"t":{"type":"array","prefixItems":[{"type":"string"},{"type":"integer"}],"items":false}},"required":["t"]})"},
  };
  for (const Row& row : rows) {
    EXPECT_TRUE(json::Equal(Read(row.openai), Project(Read(row.source), Dialect::kOpenAi).schema))
        << Projected(row.source, Dialect::kOpenAi);
    EXPECT_TRUE(Project(Read(row.source), Dialect::kOpenAi).strict);
    EXPECT_TRUE(json::Equal(Read(row.gemini), Project(Read(row.source), Dialect::kGemini).schema))
        << Projected(row.source, Dialect::kGemini);
    EXPECT_TRUE(json::Equal(Read(row.anthropic), Project(Read(row.source), Dialect::kAnthropicTool).schema))
        << Projected(row.source, Dialect::kAnthropicTool);
  }
}

TEST(Project, TheCommonSubsetHasNoBounds) {
  const char* source =
      R"({"type":"object","properties":{"a":{"type":"integer","minimum":1,"maximum":9},"b":{"type":"string","pattern":"^x","maxLength":2000,"format":"email","description":"a name"},"p":{"enum":[[0,1],[2,1]]},"l":{"type":"array","maxItems":3,"items":{"type":"string"}}},"required":["a"]})";
  const Projection projection = Project(Read(source), Dialect::kCommon);
  EXPECT_TRUE(projection.strict);
  EXPECT_TRUE(json::Equal(
      projection.schema,
      Read(
          R"({"type":"object","properties":{"a":{"type":"integer"},"b":{"type":["string","null"],"description":"a name"},"p":{"type":["array","null"],"items":{"type":"integer","enum":[0,1,2]}},"l":{"type":["array","null"],"items":{"type":"string"}}},"required":["a","b","p","l"],"additionalProperties":false})")))
      << json::Write(projection.schema);
  EXPECT_THAT(projection.dropped, ::testing::Contains(DroppedKeyword{"maxItems", "/properties/l/maxItems"}));
}

TEST(Project, SaysWhatItDropped) {
  const auto source = Read(
      R"({"type":"object","properties":{"s":{"type":"string","minLength":1},"l":{"type":"array","uniqueItems":true,"items":{"type":"string"}}},"required":["s","l"]})");
  const Projection projection = Project(source, Dialect::kOpenAi);
  EXPECT_THAT(projection.dropped, ::testing::Contains(DroppedKeyword{"minLength", "/properties/s/minLength"}));
  EXPECT_THAT(projection.dropped, ::testing::Contains(DroppedKeyword{"uniqueItems", "/properties/l/uniqueItems"}));
  EXPECT_EQ(projection.dropped.size(), 2u);
  EXPECT_THAT(Project(source, Dialect::kAnthropicTool).dropped, IsEmpty());
}

TEST(Project, WhatAClosedObjectCannotSayIsNotStrict) {
  for (
      const char* source : {
          R"({"type":"object"})",
          R"({})",
          R"({"type":"object","properties":{"m":{"type":"object","additionalProperties":{"type":"number"}}}})",
          R"({"type":"object","properties":{"a":{}},"required":["a"]})",
          R"({"type":"object","properties":{"a":true},"required":["a"]})",
          R"({"type":"object","properties":{"a":{"type":"array"}},"required":["a"]})",
          R"({"type":"object","properties":{"a":{"type":"string"}},"patternProperties":{"^x":{}}})",
          R"({"type":"object","properties":{"a":{"type":"string"}},"required":["b"]})",
          R"({"type":"object","properties":{"a":{"type":"string"}},"if":{"required":["a"]},"then":{"properties":{"b":{}}}})",
          R"({"type":"object","anyOf":[{"properties":{"a":{"type":"string"}}},{"properties":{"b":{"type":"string"}}}]})",
          R"({"type":"object","properties":{"a":{"$ref":"https://example.org/other"}}})",
      }) {
    const Projection projection = Project(Read(source), Dialect::kOpenAi);
    EXPECT_FALSE(projection.strict) << source;
    EXPECT_EQ(projection.schema, Read(source)) << "it goes as it is";
  }
}

TEST(Project, KeepsToThePublishedLimits) {
  json::Object many;
  for (int i = 0; i < 5'001; ++i) many["p" + std::to_string(i)] = json::Object{{"type", "string"}};
  EXPECT_FALSE(Project(json::Object{{"type", "object"}, {"properties", many}}, Dialect::kOpenAi).strict);

  json::Array values;
  for (int i = 0; i < 1'001; ++i) values.push_back(json::Value(i));
  const auto of = [](json::Value inner) {
    return json::Object{{"type", "object"}, {"properties", json::Object{{"v", std::move(inner)}}}};
  };
  Projection projection = Project(of(json::Object{{"enum", values}}), Dialect::kOpenAi);
  EXPECT_TRUE(projection.strict);
  EXPECT_THAT(projection.dropped, ::testing::Contains(Field(&DroppedKeyword::keyword, "enum")));
  EXPECT_THAT(testing::OpenAiStrictFaults(projection.schema), IsEmpty());

  json::Array words;
  for (int i = 0; i < 251; ++i) words.push_back(json::Value(std::string(60, 'w') + std::to_string(i)));
  projection = Project(of(json::Object{{"enum", words}}), Dialect::kOpenAi);
  EXPECT_THAT(projection.dropped, ::testing::Contains(Field(&DroppedKeyword::keyword, "enum")));

  json::Value nested = json::Object{{"type", "string"}};
  for (int i = 0; i < 10; ++i) nested = of(std::move(nested));
  EXPECT_TRUE(Project(nested, Dialect::kOpenAi).strict);
  EXPECT_FALSE(Project(of(nested), Dialect::kOpenAi).strict);

  const auto odd = Read(
      R"({"type":"object","properties":{"good_1":{"type":"string"},"größe":{"type":"string"}},"required":["größe","good_1"],"additionalProperties":false})");
  projection = Project(odd, Dialect::kAnthropicTool);
  EXPECT_TRUE(json::Equal(projection.schema,
                          Read(R"({"type":"object","properties":{"good_1":{"type":"string"}},"required":["good_1"]})")))
      << json::Write(projection.schema);
}

TEST(Project, RecursionEnds) {
  const auto tree = Read(
      R"({"$ref":"#/$defs/node","$defs":{"node":{"type":"object","properties":{"name":{"type":"string"},"children":{"type":"array","items":{"$ref":"#/$defs/node"}}},"required":["name","children"]}}})");
  const Projection openai = Project(tree, Dialect::kOpenAi);
  EXPECT_TRUE(openai.strict);
  EXPECT_THAT(testing::OpenAiStrictFaults(openai.schema), IsEmpty()) << json::Write(openai.schema);
  EXPECT_TRUE(Schema::Compile(openai.schema));
  for (const Dialect dialect : {Dialect::kGemini, Dialect::kAnthropicTool}) {
    const Projection other = Project(tree, dialect);
    EXPECT_EQ(json::Write(other.schema).find("$ref"), std::string::npos);
    EXPECT_THAT(other.dropped, ::testing::Contains(Field(&DroppedKeyword::keyword, "$ref")));
  }
  for (const char* circle : {R"({"$ref":"#"})", R"({"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/a"}}})",
                             R"({"allOf":[{"$ref":"#"}]})", R"({"type":"object","properties":{"p":{"$ref":"#"}}})"}) {
    for (const Dialect dialect : {Dialect::kOpenAi, Dialect::kGemini, Dialect::kAnthropicTool}) {
      EXPECT_TRUE(Project(Read(circle), dialect).schema.is_object()) << circle;
    }
  }
  // Each level twice the last: written out it would be enormous.
  json::Object definitions;
  for (int i = 0; i < 30; ++i) {
    const json::Value next = json::Object{{"$ref", "#/$defs/d" + std::to_string(i + 1)}};
    definitions["d" + std::to_string(i)] =
        json::Object{{"type", "object"}, {"properties", json::Object{{"a", next}, {"b", next}}}};
  }
  definitions["d30"] = json::Object{{"type", "string"}};
  const json::Object bomb{{"$ref", "#/$defs/d0"}, {"$defs", definitions}};
  EXPECT_LT(json::Write(Project(bomb, Dialect::kGemini).schema).size(), 500'000u);
}

TEST(Project, AnyJsonIsTaken) {
  for (const char* source :
       {"null", "true", "[]", "3", R"({"type":3,"properties":[],"required":{},"enum":{},"allOf":3})",
        R"({"properties":{"a":null},"anyOf":[],"items":[]})", R"({"allOf":[1,null,{"$ref":3}]})",
        R"({"type":"object","properties":{"a":{"enum":[]}}})"}) {
    for (const Dialect dialect : {Dialect::kOpenAi, Dialect::kGemini, Dialect::kAnthropicTool}) {
      EXPECT_TRUE(Project(Read(source), dialect).schema.is_object()) << source;
    }
  }
}

TEST(Project, NullsThatStandForNothingGo) {
  const auto schema = *Schema::Compile(Read(
      R"({"type":"object","properties":{"a":{"type":"string"},"b":{"type":["string","null"]},"l":{"type":"array","items":{"type":"object","properties":{"x":{"type":"integer"}}}}},"required":["a"],"additionalProperties":false})"));
  json::Value answer = Read(R"({"a":"t","b":null,"l":[{"x":null},{"x":1}],"c":null})");
  Unproject(*schema, answer);
  EXPECT_EQ(json::Write(answer), R"({"a":"t","b":null,"l":[{},{"x":1}],"c":null})")
      << "a key that the schema does not know is not made good";
  answer = Read(R"({"a":null})");
  Unproject(*schema, answer);
  EXPECT_EQ(json::Write(answer), R"({"a":null})") << "what is required is not left out";
  answer = Read("[null]");
  Unproject(*schema, answer);
  EXPECT_EQ(json::Write(answer), "[null]");
}

// What the OpenAI form accepts, the source accepts after Unproject, if only these keywords are used.
TEST(Project, AnswersComeBack) {
  const auto source = Read(
      R"({"type":"object","properties":{"a":{"type":"string"},"b":{"type":"integer","minimum":3},"o":{"type":"object","properties":{"c":{"type":"boolean"},"d":{"enum":["x",1]}},"required":["c"]},"l":{"type":"array","items":{"type":"object","properties":{"n":{"type":"number"}}}}},"required":["o"]})");
  const auto schema = *Schema::Compile(source);
  const Projection projection = Project(source, Dialect::kOpenAi);
  ASSERT_TRUE(projection.strict);
  EXPECT_THAT(testing::OpenAiStrictFaults(projection.schema), IsEmpty());
  const auto strict = *Schema::Compile(projection.schema);
  Rng rng(11);
  int changed = 0;
  for (int i = 0; i < 500; ++i) {
    const auto answer = Generate(*strict, rng);
    ASSERT_TRUE(answer);
    json::Value mine = *answer;
    Unproject(*schema, mine);
    EXPECT_TRUE(schema->IsValid(mine)) << json::Write(*answer) << " -> " << json::Write(mine);
    changed += mine != *answer ? 1 : 0;
  }
  EXPECT_GT(changed, 100);
}

// Every schema of the official suite as the schema of a member: each projection keeps to its dialect, and what the
// source accepts, Gemini's and Anthropic's forms accept.
TEST(Project, HoldsForTheOfficialSuite) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::path(OPENSEAT_SCHEMA_SUITE) / "tests" / "draft2020-12";
  if (!fs::exists(folder)) GTEST_SKIP() << "the official JSON Schema test suite is not there";
  std::map<Dialect, int> accepted;
  int strict = 0;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() != ".json") continue;
    std::ifstream file(entry.path(), std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    const json::Value groups = Read(text);
    for (const json::Value& group : groups.as_array()) {
      // A reference means another place once the schema is a part of another.
      if (json::Write(group.at("schema")).find("\"$") != std::string::npos &&
          json::Write(group.at("schema")).find("\"$schema\"") == std::string::npos) {
        continue;
      }
      json::Value inner = group.at("schema");
      if (inner.is_object()) inner.get_object().erase("$schema");
      if (json::Write(inner).find("\"$") != std::string::npos) continue;
      const json::Value source =
          json::Object{{"type", "object"}, {"properties", json::Object{{"v", inner}}}, {"required", json::Array{"v"}}};
      const auto original = Schema::Compile(source);
      ASSERT_TRUE(original) << json::Write(source);
      const Projection openai = Project(source, Dialect::kOpenAi);
      if (openai.strict) {
        ++strict;
        EXPECT_THAT(testing::OpenAiStrictFaults(openai.schema), IsEmpty()) << json::Write(source);
      }
      const Projection common = Project(source, Dialect::kCommon);
      if (common.strict) {
        EXPECT_THAT(testing::CommonSchemaFaults(common.schema), IsEmpty()) << json::Write(source);
      }
      const Projection gemini = Project(source, Dialect::kGemini);
      EXPECT_THAT(testing::GeminiSchemaFaults(gemini.schema), IsEmpty()) << json::Write(source);
      const Projection anthropic = Project(source, Dialect::kAnthropicTool);
      EXPECT_THAT(testing::AnthropicSchemaFaults(anthropic.schema), IsEmpty()) << json::Write(source);
      for (const auto& [dialect, projection] :
           {std::pair(Dialect::kGemini, gemini), std::pair(Dialect::kAnthropicTool, anthropic)}) {
        const auto compiled = Schema::Compile(projection.schema);
        ASSERT_TRUE(compiled) << json::Write(projection.schema) << ": " << compiled.error().message;
        for (const json::Value& test : group.at("tests").as_array()) {
          const json::Value answer = json::Object{{"v", test.at("data")}};
          if (!(*original)->IsValid(answer)) continue;
          ++accepted[dialect];
          EXPECT_TRUE((*compiled)->IsValid(answer)) << json::Write(source) << " accepts " << json::Write(answer)
                                                    << ", and " << json::Write(projection.schema) << " does not";
        }
      }
    }
  }
  EXPECT_GT(accepted[Dialect::kGemini], 300);
  EXPECT_GT(accepted[Dialect::kAnthropicTool], 300);
  EXPECT_GT(strict, 20);
}

}  // namespace
}  // namespace openseat::schema
