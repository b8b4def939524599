#include "oauth/claims.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace openseat::oauth {
namespace {

using ::testing::HasSubstr;

const Time kNow{std::chrono::seconds(1'800'000'000)};
const TokenRules kRules{"https://play.example/mcp", {"https://auth.example"}, {"play", "watch"}};

json::Object Claims() {
  return {{"iss", "https://auth.example"},
          {"sub", "ana"},
          {"aud", "https://play.example/mcp"},
          {"exp", 1'800'000'100},
          {"scope", "play watch"}};
}

std::string Why(const json::Object& claims, bool from_jwt = true) {
  const Result<std::string> bearer = CheckClaims(claims, kRules, kNow, from_jwt);
  return bearer ? "taken" : std::string(ErrorCodeName(bearer.error().code)) + ": " + bearer.error().message;
}

json::Object With(std::string_view name, json::Value value) {
  json::Object claims = Claims();
  claims[name] = std::move(value);
  return claims;
}
json::Object Without(std::string_view name) {
  json::Object claims = Claims();
  claims.erase(name);
  return claims;
}

TEST(Claims, SayWhoBearsTheToken) {
  EXPECT_EQ(*CheckClaims(Claims(), kRules, kNow, true), "https://auth.example ana");
  json::Object machine = Without("sub");
  machine["client_id"] = "bot";
  EXPECT_EQ(*CheckClaims(machine, kRules, kNow, true), "https://auth.example bot");
}

TEST(Claims, TheTokenIsForThisServerAlone) {
  EXPECT_THAT(Why(Without("aud")), HasSubstr("not for https://play.example/mcp"));
  EXPECT_THAT(Why(With("aud", "https://play.example")), HasSubstr("not for"));
  EXPECT_THAT(Why(With("aud", "https://other.example https://play.example/mcp")), HasSubstr("not for"));
  EXPECT_EQ(Why(With("aud", json::Array{"https://other.example", "https://play.example/mcp"})), "taken");
}

TEST(Claims, TheIssuerIsTrusted) {
  EXPECT_THAT(Why(With("iss", "https://auth.example/")), HasSubstr("another authorization server"));
  EXPECT_THAT(Why(Without("iss")), HasSubstr("another authorization server"));
  EXPECT_EQ(Why(Without("iss"), false), "taken") << "the server that was asked has said it";
}

TEST(Claims, TheTimeIsRight) {
  EXPECT_THAT(Why(With("exp", 1'799'999'939)), HasSubstr("expired"));
  EXPECT_EQ(Why(With("exp", 1'799'999'950)), "taken") << "clocks differ";
  EXPECT_THAT(Why(Without("exp")), HasSubstr("no expiry"));
  EXPECT_THAT(Why(With("exp", "soon")), HasSubstr("no expiry"));
  EXPECT_EQ(Why(Without("exp"), false), "taken");
  EXPECT_THAT(Why(With("nbf", 1'800'000'061)), HasSubstr("not valid yet"));
  EXPECT_EQ(Why(With("nbf", 1'800'000'050)), "taken");
}

TEST(Claims, AllScopesAreThere) {
  EXPECT_EQ(Why(With("scope", "play")), "denied: the access token lacks the scope \"watch\"");
  EXPECT_THAT(Why(Without("scope")), HasSubstr("denied"));
  EXPECT_THAT(Why(With("scope", "player watch")), HasSubstr("denied"));
  json::Object listed = With("scope", "watch");
  listed["scp"] = json::Array{"play"};
  EXPECT_EQ(Why(listed), "taken");
}

}  // namespace
}  // namespace openseat::oauth
