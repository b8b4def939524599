#include "app/cluster_door.h"

#include <gtest/gtest.h>

namespace openseat::app {
namespace {

net::HttpRequest RequestTo(std::string path, std::string id = {}) {
  net::HttpRequest request;
  request.path = std::move(path);
  if (!id.empty()) request.params.emplace_back("id", std::move(id));
  return request;
}

TEST(ClusterDoorTest, KnowsWhichTableARequestIsAbout) {
  EXPECT_EQ(TableOfRequest(RequestTo("/api/v1/tables/calm-otter/replay", "calm-otter")), TableId("calm-otter"));
  EXPECT_EQ(TableOfRequest(RequestTo("/api/games/calm-otter.invitation/turns", "calm-otter.invitation")),
            TableId("calm-otter"));
  net::HttpRequest agent = RequestTo("/game/state");
  EXPECT_FALSE(TableOfRequest(agent));
  agent.headers.Set("X-JNet-API", "calm-otter.1.abcdefghijklmnopqrstuvwxyz");
  EXPECT_EQ(TableOfRequest(agent), TableId("calm-otter"));
  agent.headers.Set("X-JNet-API", "osk_abcdefghijklmnopqrstuvwxyz");
  EXPECT_FALSE(TableOfRequest(agent));
  for (const char* path : {"/", "/api/v1/tables", "/api/v1/matches", "/api/games", "/mcp", "/metrics"}) {
    EXPECT_FALSE(TableOfRequest(RequestTo(path))) << path;
  }
}

TEST(ClusterDoorTest, KnowsWhichMatchAMessageIsAbout) {
  EXPECT_EQ(SubjectOfMessage(R"({"operation":"join-match","params":{"match-id":"calm-otter.invitation"}})").match,
            TableId("calm-otter"));
  EXPECT_EQ(SubjectOfMessage(R"({"operation":"take-on","params":{"code":"calm-otter.secret"}})").match,
            TableId("calm-otter"));
  for (const char* message :
       {"", "{", "[]", "3", R"({"params":3})", R"({"params":{}})", R"({"params":{"match-id":7}})",
        R"({"params":{"match-id":""}})", R"({"match-id":"calm-otter"})", R"({"params":{"code":"secret"}})"}) {
    EXPECT_FALSE(SubjectOfMessage(message).match) << message;
  }
}

TEST(ClusterDoorTest, KnowsWhoWantsToPlay) {
  EXPECT_EQ(SubjectOfMessage(R"({"type":"request","id":3,"operation":"join-match","params":[]})").wants,
            json::Value(3));
  EXPECT_EQ(SubjectOfMessage(R"({"type":"request","id":"a","operation":"create-match"})").wants, json::Value("a"));
  for (const char* message :
       {R"({"type":"request","operation":"join-match"})", R"({"type":"request","id":{},"operation":"join-match"})",
        R"({"type":"response","id":3,"operation":"join-match"})",
        R"({"type":"request","id":3,"operation":"spectate-match"})", "[]", "{"}) {
    EXPECT_FALSE(SubjectOfMessage(message).wants) << message;
  }
}

TEST(ClusterDoorTest, TellsTheOtherNodeForWhomItAsks) {
  store::NodeBeat to;
  to.secret = "secret";
  net::Headers headers;
  SetPassedOn(headers, to, false, "192.0.2.7");
  EXPECT_EQ(headers.Get("X-Openseat-Passed-On"), "secret 192.0.2.7");
  EXPECT_FALSE(headers.Has("X-Openseat-Key-Of"));
  SetPassedOn(headers, to, false, "192.0.2.7", "key k-1\r\n");
  EXPECT_EQ(headers.Get("X-Openseat-Key-Of"), "key%20k-1%0D%0A");
}

}  // namespace
}  // namespace openseat::app
