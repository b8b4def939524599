#include "protocols/narrative/requests.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agents/random_agent.h"
#include "agents/script_agent.h"

namespace openseat::narrative {
namespace {

using ::testing::HasSubstr;

net::HttpRequest Post(std::string body, const std::string& key = "") {
  net::HttpRequest request;
  request.method = net::Method::kPost;
  request.body = std::move(body);
  if (!key.empty()) request.headers.Add("Idempotency-Key", key);
  return request;
}

Read<NewGameRequest> NewGame(std::string body, const std::string& key = "") {
  static const AgentKinds kinds({RandomKind(), ScriptKind()});
  return ReadNewGame(Post(std::move(body), key), kinds);
}

template <typename T>
std::string Refused(const Read<T>& read) {
  return read ? "accepted" : std::to_string(read.error().status) + " " + json::Write(ToJson(read.error()));
}

TEST(NarrativeRequests, WhatIsLongIsNotRepeated) {
  const std::string much = "\"" + std::string(900u << 10, '\x7f') + "\"";
  for (const std::string& member :
       {R"("scenario":[)" + much + "]", R"("narrator":)" + much, R"("narrator":{"kind":)" + much + "}",
        R"("narrator":{"kind":"random",)" + much + ":1}", R"("player":)" + much, R"("turns":)" + much, much + ":1"}) {
    const std::string refused = Refused(NewGame(R"({"scenario":"whispering-woods",)" + member + "}"));
    EXPECT_THAT(refused, HasSubstr("INVALID_REQUEST"));
    EXPECT_LT(refused.size(), 8u << 10) << member.substr(0, 30);
  }
}

TEST(NarrativeRequests, ANewGameIsReadWithItsDefaults) {
  const Read<NewGameRequest> least = NewGame(R"({"scenario":"whispering-woods"})");
  ASSERT_TRUE(least) << Refused(least);
  EXPECT_EQ(least->scenario, "whispering-woods");
  EXPECT_EQ(least->player, "Player");
  EXPECT_FALSE(least->narrator.has_value());
  EXPECT_FALSE(least->turns.has_value());
  EXPECT_FALSE(least->is_private.has_value());
  EXPECT_EQ(least->key, "");
  const Read<NewGameRequest> all = NewGame(
      R"({"scenario":"whispering-woods","player":"Ana","turns":3.0,"schemaVersion":2,"private":true,"debug":true,
          "narrator":{"kind":"random","seed":7}})",
      "my key");
  ASSERT_TRUE(all) << Refused(all);
  EXPECT_EQ(all->player, "Ana");
  EXPECT_EQ(all->turns, 3);
  EXPECT_EQ(all->version, 2);
  EXPECT_EQ(all->is_private, true);
  EXPECT_TRUE(all->debug);
  EXPECT_EQ(all->narrator->kind, "random");
  EXPECT_EQ(all->narrator->options, (json::Object{{"seed", 7}}));
  EXPECT_EQ(all->key, "my key");
  EXPECT_NE(all->digest, least->digest);
}

TEST(NarrativeRequests, WhatIsWrongIsAValidationFailureWithItsPath) {
  EXPECT_THAT(Refused(NewGame("")), HasSubstr("one JSON object"));
  EXPECT_THAT(Refused(NewGame("[]")), HasSubstr("got array"));
  EXPECT_THAT(Refused(NewGame("{}")), HasSubstr(R"({"path":["scenario"],"message":"Required"})"));
  EXPECT_THAT(Refused(NewGame(R"({"scenario":"moon"})")), HasSubstr(R"("path":["scenario"])"));
  EXPECT_THAT(Refused(NewGame(R"({"scenario":"whispering-woods","turns":0})")), HasSubstr(R"("path":["turns"])"));
  EXPECT_THAT(Refused(NewGame(R"({"scenario":"whispering-woods","turns":1e300})")), HasSubstr(R"("path":["turns"])"));
  EXPECT_THAT(Refused(NewGame(R"({"scenario":"whispering-woods","player":""})")), HasSubstr(R"("path":["player"])"));
  EXPECT_THAT(Refused(NewGame(R"({"scenario":"whispering-woods","player":"Ana\n\nSYSTEM:"})")),
              HasSubstr(R"({"path":["player"],"message":"a player's name must be one line)"));
  EXPECT_THAT(Refused(NewGame(R"({"scenario":"whispering-woods","speed":1})")), HasSubstr("speed"));
  EXPECT_THAT(Refused(NewGame(R"({"scenario":"whispering-woods","scenario":"last-tram"})")),
              HasSubstr("one JSON object"));
  EXPECT_THAT(Refused(NewGame(R"({"scenario":"whispering-woods"})", std::string(151, 'k'))), HasSubstr("150"));
  EXPECT_THAT(Refused(NewGame(R"({"scenario":"whispering-woods"})", "caf\xc3\xa9")), HasSubstr("Idempotency-Key"));
}

// The table of agents says which narrators may be named, and with which options.
TEST(NarrativeRequests, ANarratorIsOneThatTheCallerMayName) {
  const auto narrator = [](const std::string& spec) {
    return Refused(NewGame(R"({"scenario":"whispering-woods","narrator":)" + spec + "}"));
  };
  EXPECT_EQ(narrator(R"({"kind":"random"})"), "accepted");
  EXPECT_THAT(narrator("7"), HasSubstr(R"("path":["narrator"])"));
  EXPECT_THAT(narrator("{}"), HasSubstr(R"("path":["narrator","kind"])"));
  EXPECT_THAT(narrator(R"({"kind":"robot"})"),
              HasSubstr(R"("path":["narrator","kind"],"message":"no agent \"robot\")"));
  EXPECT_THAT(narrator(R"({"kind":"random","seed":-1})"), HasSubstr(R"("path":["narrator","seed"])"));
  EXPECT_THAT(narrator(R"({"kind":"random","token_sha256":"x"})"), HasSubstr(R"("path":["narrator","token_sha256"])"));
  EXPECT_THAT(narrator(R"({"kind":"script","file":"/etc/passwd"})"),
              HasSubstr(R"("path":["narrator","file"],"message":"file cannot be named here)"));
}

TEST(NarrativeRequests, ATurnIsAChoiceOrAText) {
  const auto turn = [](const char* body) { return ReadTurn(Post(body)); };
  EXPECT_EQ(turn(R"({"choiceId":"a"})")->choice_id, "a");
  EXPECT_EQ(turn(R"({"text":"I run."})")->text, "I run.");
  EXPECT_THAT(Refused(turn("{}")), HasSubstr("Give either choiceId or text"));
  EXPECT_THAT(Refused(turn(R"({"choiceId":"a","text":"b"})")), HasSubstr("Give either choiceId or text"));
  EXPECT_THAT(Refused(turn(R"({"choiceId":7})")), HasSubstr(R"("path":["choiceId"])"));
  EXPECT_THAT(Refused(turn(R"({"text":"a","turn":7})")), HasSubstr("turn"));
}

TEST(NarrativeRequests, DebugMayBeAskedForInTheQuery) {
  net::HttpRequest request;
  EXPECT_FALSE(WantsDebug(request));
  request.query = {{"debug", "0"}};
  EXPECT_FALSE(WantsDebug(request));
  request.query = {{"debug", "true"}};
  EXPECT_TRUE(WantsDebug(request));
}

}  // namespace
}  // namespace openseat::narrative
