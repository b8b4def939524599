#include "protocols/mcp/enumerate.h"

#include <gtest/gtest.h>

#include <string_view>

namespace openseat::mcp {
namespace {

std::string All(std::string_view source, std::size_t limit = 10) {
  const auto schema = schema::Schema::Compile(*json::Parse(source));
  EXPECT_TRUE(schema) << source;
  schema::Budget budget;
  const auto values = Enumerate(**schema, limit, budget);
  if (!values) return "too many";
  return json::Write(json::Array(values->begin(), values->end()));
}

TEST(Enumerate, ListsWhatIsFinite) {
  EXPECT_EQ(All(R"({"enum":[1,"a",null]})"), R"([1,"a",null])");
  EXPECT_EQ(All(R"({"const":{"a":1}})"), R"([{"a":1}])");
  EXPECT_EQ(All(R"({"type":"boolean"})"), "[true,false]");
  EXPECT_EQ(All(R"({"type":"integer","minimum":-1,"maximum":1})"), "[-1,0,1]");
  EXPECT_EQ(All(R"({"type":"array","prefixItems":[{"enum":[1,2]},{"const":3}],"minItems":2,"maxItems":2})"),
            "[[1,3],[2,3]]");
  EXPECT_EQ(All(R"({"type":"array","items":{"enum":[0,1]},"minItems":2,"maxItems":2})"), "[[0,0],[0,1],[1,0],[1,1]]");
  EXPECT_EQ(All(R"({"type":"object","properties":{"a":{"enum":[1,2]},"b":{"type":"boolean"}},"required":["a","b"]})"),
            R"([{"a":1,"b":true},{"a":1,"b":false},{"a":2,"b":true},{"a":2,"b":false}])");
  EXPECT_EQ(All(R"({"oneOf":[{"const":1},{"enum":[2,3]}]})"), "[1,2,3]");
}

TEST(Enumerate, LeavesOutWhatNeedNotBeThereAndWhatIsForbidden) {
  EXPECT_EQ(All(R"({"type":"object","properties":{"a":{"const":1},"b":{"type":"string"}},"required":["a"]})"),
            R"([{"a":1}])");
  EXPECT_EQ(All(R"({"enum":[1,2,3],"not":{"const":2}})"), "[1,3]");
}

TEST(Enumerate, GivesUpOnWhatIsNot) {
  EXPECT_EQ(All(R"({"type":"string"})"), "too many");
  EXPECT_EQ(All(R"({"type":"integer","minimum":0})"), "too many");
  EXPECT_EQ(All(R"({"type":"integer","minimum":0,"maximum":10})"), "too many");
  EXPECT_EQ(All(R"({"type":"integer","minimum":-9223372036854775807,"maximum":9223372036854775807})"), "too many");
  EXPECT_EQ(All(R"({"type":"array","items":{"enum":[0,1]},"minItems":4,"maxItems":4})"), "too many");
  EXPECT_EQ(All(R"({"type":"array","items":{"enum":[0,1]}})"), "too many");
  EXPECT_EQ(All("true"), "too many");
  EXPECT_EQ(All(R"({"$ref":"#"})"), "too many");
}

}  // namespace
}  // namespace openseat::mcp
