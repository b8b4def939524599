#include "relay/difference.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace openseat::relay {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<std::string> Paths(std::string_view expected, std::string_view found,
                               const std::vector<IgnoreRule>& ignored = {}) {
  std::vector<std::string> paths;
  for (const Change& change : Compare(expected, found, ignored).changes) paths.push_back(change.path);
  return paths;
}

TEST(Difference, BytesAndSpelling) {
  const std::string message = R"({"command":"context","game":"A","data":{"message":"x","silent":true}})";
  EXPECT_TRUE(Compare(message, message, {}).same_bytes);
  const Comparison spelled = Compare(
      message, "{\n \"game\": \"A\", \"data\": {\"silent\": true, \"message\": \"\\u0078\"}, \"command\": \"context\"}",
      {});
  EXPECT_FALSE(spelled.same_bytes);
  EXPECT_THAT(spelled.changes, IsEmpty());
  EXPECT_THAT(Paths(R"({"a":{"maximum":3}})", R"({"a":{"maximum":3.0}})"), IsEmpty());
}

TEST(Difference, NamesTheMembersThatChanged) {
  EXPECT_THAT(Paths(R"({"command":"c","data":{"a":1,"b":2,"list":[1,2]}})",
                    R"({"command":"c","data":{"a":1,"c":2,"list":[1,3,4]}})"),
              ElementsAre("data.b", "data.list[1]", "data.list[2]", "data.c"));
  EXPECT_THAT(Paths("{}", "[]"), ElementsAre(""));
  EXPECT_THAT(Paths("not JSON", "{}"), ElementsAre(""));
}

TEST(Difference, ListsOfActionsAreSets) {
  EXPECT_THAT(Paths(R"({"command":"actions/force","data":{"action_names":["a","b"]}})",
                    R"({"command":"actions/force","data":{"action_names":["b","a"]}})"),
              IsEmpty());
  EXPECT_THAT(
      Paths(R"({"command":"actions/register","data":{"actions":[{"name":"a"},{"name":"b","description":"x"}]}})",
            R"({"command":"actions/register","data":{"actions":[{"name":"b","description":"y"},{"name":"a"}]}})"),
      ElementsAre("data.actions[1].description"));
  EXPECT_THAT(Paths(R"({"data":{"other":["a","b"]}})", R"({"data":{"other":["b","a"]}})"),
              ElementsAre("data.other[0]", "data.other[1]"));
}

TEST(Difference, LooksIntoJsonWithinAString) {
  EXPECT_THAT(Paths(R"({"command":"actions/force","data":{"state":"{\"hp\": 3, \"x\": 1}"}})",
                    R"({"command":"actions/force","data":{"state":"{\"x\":1,\"hp\":4}"}})"),
              ElementsAre("data.state.hp"));
}

TEST(Difference, IgnoresWhatItIsToldTo) {
  const std::string then = R"({"command":"actions/force","data":{"state":"{\"t\":1}","query":"a"}})";
  const std::string now = R"({"command":"actions/force","data":{"state":"{\"t\":2}","query":"b"}})";
  EXPECT_THAT(Paths(then, now, {*ParseIgnoreRule("actions/force:data.state")}), ElementsAre("data.query"));
  EXPECT_THAT(Paths(then, now, {*ParseIgnoreRule("actions/force")}), IsEmpty());
  EXPECT_THAT(Paths(then, now, {*ParseIgnoreRule("context")}), ElementsAre("data.state.t", "data.query"));
  EXPECT_THAT(ParseIgnoreRule("").error().message, HasSubstr("COMMAND or COMMAND:PATH"));
  EXPECT_FALSE(ParseIgnoreRule("context:"));
}

TEST(Difference, IsBoundedAndShortened) {
  const std::string many = R"({"data":{"a":1,"b":1,"c":1,"d":1,"e":1,"f":1,"g":1}})";
  EXPECT_EQ(Compare(many, R"({"data":{}})", {}).changes.size(), 5u);
  const std::string longer = "{\"data\":\"" + std::string(5000, 'x') + "\"}";
  EXPECT_LT(Compare(longer, "{\"data\":\"\"}", {}).changes.at(0).expected.size(), 200u);
}

}  // namespace
}  // namespace openseat::relay
