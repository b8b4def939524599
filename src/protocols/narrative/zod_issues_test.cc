#include "protocols/narrative/zod_issues.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "games/narrative/result_schema.h"

namespace openseat::narrative {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> Issues(int version, std::string_view text) {
  std::vector<std::string> out;
  for (const json::Value& issue : ZodIssues(games::narrative::ResultSchema(version), *json::Parse(text))) {
    EXPECT_EQ(issue.as_object().size(), 2u);
    out.push_back(json::Write(issue.at("path")) + " " + std::string(json::View(issue.at("message").as_string())));
  }
  return out;
}

constexpr const char* kOneOf = "'neutral' | 'happy' | 'sad' | 'angry' | 'fearful' | 'surprised' | 'excited'";

TEST(ZodIssues, TheDocumentsInvalidExampleHasItsFourReasons) {
  EXPECT_THAT(Issues(1, R"({"narrative":"","emotion":"confused","choices":[],"extra_field":"value"})"),
              ElementsAre("[\"narrative\"] String must contain at least 1 character(s)",
                          std::string("[\"emotion\"] Invalid enum value. Expected ") + kOneOf + ", received 'confused'",
                          "[\"choices\"] Array must contain at least 1 element(s)",
                          "[] Unrecognized key(s) in object: 'extra_field'"));
}

TEST(ZodIssues, WhatIsLongIsNotRepeated) {
  const std::string much(1u << 20, '\x7f');
  std::string keys;
  for (int i = 0; i < 3; ++i) keys += ",\"" + std::to_string(i) + much.substr(0, 200'000) + "\":1";
  const std::string issues = json::Write(
      ZodIssues(games::narrative::ResultSchema(1), *json::Parse(R"({"narrative":"x","emotion":")" + much + "\"" + keys +
                                                                R"(,"relationshipDeltas":{")" + much + R"(":101}})")));
  EXPECT_THAT(issues, ::testing::HasSubstr("Invalid enum value. Expected 'neutral' | 'happy'"));
  EXPECT_THAT(issues, ::testing::HasSubstr("Unrecognized key(s) in object: '0"));
  EXPECT_LT(issues.size(), 8u << 10);
}

TEST(ZodIssues, EveryRuleHasItsWords) {
  const std::string id = "a1b2c3d4-e5f6-7890-abcd-ef1234567890";
  const auto with = [&](const std::string& more, const std::string& choices) {
    return R"({"narrative":"x","emotion":"sad","choices":)" + choices + more + "}";
  };
  const std::string one = R"([{"id":")" + id + R"(","label":"Go"}])";
  EXPECT_THAT(Issues(1, with("", one)), IsEmpty());
  EXPECT_THAT(Issues(1, "{}"),
              ElementsAre("[\"narrative\"] Required", "[\"emotion\"] Required", "[\"choices\"] Required"));
  EXPECT_THAT(Issues(1, "[]"), ElementsAre("[] Expected object, received array"));
  EXPECT_THAT(Issues(1, with("", R"([{"id":"no","label":""}])")),
              ElementsAre("[\"choices\",0,\"id\"] Invalid uuid",
                          "[\"choices\",0,\"label\"] String must contain at least 1 character(s)"));
  EXPECT_THAT(Issues(1, with("", R"([{"id":")" + id + R"(","label":")" + std::string(101, 'x') + R"(","a":1,"b":2}])")),
              ElementsAre("[\"choices\",0,\"label\"] String must contain at most 100 character(s)",
                          "[\"choices\",0] Unrecognized key(s) in object: 'a', 'b'"));
  EXPECT_THAT(Issues(1, with("", R"([7])")), ElementsAre("[\"choices\",0] Expected object, received number"));
  EXPECT_THAT(Issues(1, with(R"(,"relationshipDeltas":{"npc.a":101,"npc.b":-101,"npc.c":"5"})", one)),
              ElementsAre("[\"relationshipDeltas\",\"npc.a\"] Number must be less than or equal to 100",
                          "[\"relationshipDeltas\",\"npc.b\"] Number must be greater than or equal to -100",
                          "[\"relationshipDeltas\",\"npc.c\"] Expected number, received string"));
  EXPECT_THAT(Issues(1, with(R"(,"npcResponses":[{"npcId":"a","response":7}])", one)),
              ElementsAre("[\"npcResponses\",0,\"response\"] Expected string, received number",
                          "[\"npcResponses\",0,\"emotion\"] Required"));
  EXPECT_THAT(Issues(2, with(R"(,"factionDeltas":{"f":1.5})", one)),
              ElementsAre("[\"factionDeltas\",\"f\"] Expected integer, received float"));
  EXPECT_THAT(Issues(1, R"({"narrative":null,"emotion":null,"choices":null})"),
              ElementsAre("[\"narrative\"] Expected string, received null",
                          std::string("[\"emotion\"] Expected ") + kOneOf + ", received null",
                          "[\"choices\"] Expected array, received null"));
}

TEST(ZodIssues, KeysWithSlashesAndTildesKeepTheirNames) {
  EXPECT_THAT(Issues(1, R"({"narrative":"x","emotion":"sad","choices":[{"id":"a1b2c3d4-e5f6-7890-abcd-ef1234567890",
                          "label":"Go"}],"factionDeltas":{"a/b~c":900}})"),
              ElementsAre("[\"factionDeltas\",\"a/b~c\"] Number must be less than or equal to 100"));
}

}  // namespace
}  // namespace openseat::narrative
