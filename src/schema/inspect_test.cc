#include "schema/inspect.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/json.h"

namespace openseat::schema {
namespace {

TEST(InspectTest, TellsKeywordsFromNamesAndData) {
  const Inspection inspection = Inspect(*json::Parse(R"({
    "type": ["object", "null"],
    "properties": {"oneOf": {"type": "string"}, "b": {"anyOf": [{"not": {}}, true], "x-y": {"allOf": 1}}},
    "enum": [{"multipleOf": 1}],
    "default": {"pattern": 1},
    "$defs": {"a/b": {"$ref": "#"}},
    "deppendentRequired": {}
  })"));
  EXPECT_TRUE(inspection.is_schema);
  EXPECT_EQ(inspection.root_types, (std::vector<std::string>{"object", "null"}));
  EXPECT_EQ(inspection.FirstUse("oneOf"), nullptr);
  EXPECT_EQ(inspection.FirstUse("multipleOf"), nullptr);
  EXPECT_EQ(inspection.FirstUse("allOf"), nullptr);
  EXPECT_EQ(inspection.FirstUse("pattern"), nullptr);
  ASSERT_NE(inspection.FirstUse("not"), nullptr);
  EXPECT_EQ(inspection.FirstUse("not")->pointer, "/properties/b/anyOf/0/not");
  EXPECT_EQ(inspection.FirstUse("$ref")->pointer, "/$defs/a~1b/$ref");
  EXPECT_EQ(inspection.unknown,
            (std::vector<KeywordUse>{{"deppendentRequired", "/deppendentRequired"}, {"x-y", "/properties/b/x-y"}}));
  EXPECT_EQ(inspection.Counts().at("type"), 2u);
  EXPECT_EQ(inspection.subschemas, 7u);
  EXPECT_EQ(inspection.max_depth, 6u);
}

TEST(InspectTest, TakesAnything) {
  EXPECT_FALSE(Inspect(json::Value(7)).is_schema);
  EXPECT_TRUE(Inspect(json::Value(true)).is_schema);
  const Inspection odd =
      Inspect(*json::Parse(R"({"properties": [1], "allOf": {"a": 1}, "items": [{"type": 1}], "type": 7})"));
  EXPECT_EQ(odd.subschemas, 1u);
  EXPECT_TRUE(odd.root_types.empty());
  EXPECT_EQ(odd.uses.size(), 4u);
}

}  // namespace
}  // namespace openseat::schema
