#include "schema/inspect.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/json.h"

namespace openseat::schema {
namespace {

Inspection Inspect(const json::Value& source) {
  Budget budget;
  return schema::Inspect(source, budget).value();
}

TEST(InspectTest, TellsKeywordsFromNamesAndData) {
  const json::Value source = *json::Parse(R"({
    "type": ["object", "null"],
    "properties": {"oneOf": {"type": "string"}, "b": {"anyOf": [{"not": {}}, true], "x-y": {"allOf": 1}}},
    "enum": [{"multipleOf": 1}],
    "default": {"pattern": 1},
    "$defs": {"a/b": {"$ref": "#"}},
    "deppendentRequired": {}
  })");
  const Inspection inspection = Inspect(source);
  EXPECT_TRUE(inspection.is_schema);
  EXPECT_EQ(inspection.root_types, (std::vector<std::string>{"object", "null"}));
  EXPECT_EQ(inspection.FirstUse("oneOf"), nullptr);
  EXPECT_EQ(inspection.FirstUse("multipleOf"), nullptr);
  EXPECT_EQ(inspection.FirstUse("allOf"), nullptr);
  EXPECT_EQ(inspection.FirstUse("pattern"), nullptr);
  ASSERT_NE(inspection.FirstUse("not"), nullptr);
  EXPECT_EQ(inspection.PointerOf(*inspection.FirstUse("not")), "/properties/b/anyOf/0/not");
  EXPECT_EQ(inspection.FirstUse("not")->data_depth, 1u);
  EXPECT_EQ(inspection.FirstUse("not")->schema->size(), 1u);
  EXPECT_EQ(inspection.PointerOf(*inspection.FirstUse("$ref")), "/$defs/a~1b/$ref");
  EXPECT_EQ(inspection.FirstUse("$ref")->data_depth, 0u);
  std::vector<std::string> unknown;
  for (const KeywordUse& use : inspection.unknown) unknown.push_back(inspection.PointerOf(use));
  EXPECT_EQ(unknown, (std::vector<std::string>{"/deppendentRequired", "/properties/b/x-y"}));
  EXPECT_EQ(inspection.Counts().at("type"), 2u);
  EXPECT_EQ(inspection.subschemas, 7u);
  EXPECT_EQ(inspection.max_depth, 6u);
}

TEST(InspectTest, TakesAnything) {
  const json::Value number(7);
  const json::Value truth(true);
  EXPECT_FALSE(Inspect(number).is_schema);
  EXPECT_TRUE(Inspect(truth).is_schema);
  const json::Value source =
      *json::Parse(R"({"properties": [1], "allOf": {"a": 1}, "items": [{"type": 1}], "type": 7})");
  const Inspection odd = Inspect(source);
  EXPECT_EQ(odd.subschemas, 1u);
  EXPECT_TRUE(odd.root_types.empty());
  EXPECT_EQ(odd.uses.size(), 4u);
}

}  // namespace
}  // namespace openseat::schema
