// Several nodes of a cluster, as real programs: what the operator uploads to one node, and the admin token, are of all.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <memory>
#include <string>

#include "base/digest.h"
#include "cluster/nodes.h"

namespace openseat::tests {
namespace {

using ::testing::HasSubstr;

constexpr const char* kFar = "X-Forwarded-For: 203.0.113.7\r\n";

class ClusterUploads : public ClusterNodes {
 protected:
  // Nim under another id; `more` makes it another version.
  static std::string Nim(const std::string& more = {}) {
    std::string text = ReadTextFile(OPENSEAT_GAMES_DIR "/nim.js");
    text.replace(text.find("id: 'nim'"), 9, "id: 'my-nim'");
    return text + more;
  }
  static net::TestClient::Answer Ask(RealServer& node, const std::string& method, const std::string& path,
                                     const std::string& body = {}, const std::string& headers = {}) {
    return net::TestClient(node.port())
        .Request(method + " " + path + " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n" + headers +
                 "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body);
  }
  static json::Value Upload(RealServer& node, const std::string& text) {
    return node.Post(
        "/api/v1/games",
        json::Object{{"files", json::Array{json::Object{{"name", "my-nim.js"}, {"text", text}}}}, {"games", 1}});
  }
  // 0: it is not offered.
  static std::int64_t OfferedVersion(RealServer& node) {
    const net::TestClient::Answer answer = Ask(node, "GET", "/api/v1/games/my-nim/source");
    const Result<json::Value> body = json::Parse(answer.body);
    return answer.status == 200 && body ? body->at("version").as_int64() : 0;
  }
  static void AwaitVersion(RealServer& node, std::int64_t version) {
    while (OfferedVersion(node) != version) {
    }
  }
  static std::int64_t PlayedVersion(RealServer& node, const Player& player) {
    const json::Value record = node.Get("/api/v1/tables/" + player.match + "/transcript?viewer=all&limit=1");
    return record.at("events").at(0).at("payload").at("rules_version").to_number<std::int64_t>();
  }
};

TEST_F(ClusterUploads, AreKnownAtEveryNodeAndGoWithTheirMatches) {
  const auto first = Start("one");
  const auto second = Start("two");
  AwaitShards(*second, kHalf);
  AwaitShards(*first, kHalf);
  const std::int64_t old_version = Upload(*first, Nim()).at("version").as_int64();
  AwaitVersion(*second, old_version);
  EXPECT_EQ(Ask(*second, "POST", "/api/v1/games", "{\"files\":[]}").status, 400);
  const Player older = Create(*second, "my-nim");
  Mark(*second, older);
  // New matches take the new version everywhere; the one that is played keeps its own.
  const std::int64_t new_version = Upload(*second, Nim("\n")).at("version").as_int64();
  AwaitVersion(*first, new_version);
  const Player newer = Create(*second, "my-nim");
  Mark(*second, newer);
  EXPECT_EQ(PlayedVersion(*first, older), old_version);
  EXPECT_EQ(PlayedVersion(*first, newer), new_version);
  // A node that starts later knows the game, and needs nothing but NATS for its matches.
  const auto third = Start("three");
  EXPECT_EQ(OfferedVersion(*third), new_version);
  second->Kill();
  first->Kill();
  for (const Player& player : {older, newer}) {
    AwaitMatch(*third, player);
    Mark(*third, player);
    EXPECT_EQ(Played(*third, player), 2u);
  }
}

TEST_F(ClusterUploads, AreRemovedEverywhereWhenNoNodePlaysThem) {
  const auto first = Start("one");
  const auto second = Start("two");
  AwaitShards(*second, kHalf);
  AwaitShards(*first, kHalf);
  AwaitVersion(*second, Upload(*first, Nim()).at("version").as_int64());
  const Player player = Create(*first, "my-nim");
  for (RealServer* node : {first.get(), second.get()}) {
    const net::TestClient::Answer refused = Ask(*node, "DELETE", "/api/v1/games/my-nim");
    EXPECT_EQ(refused.status, 409) << refused.body;
    EXPECT_THAT(refused.body, HasSubstr("being played"));
  }
  {
    WireClient client(*first);
    ASSERT_TRUE(Succeeded(client.Ask("join-match", Join(player))));
    client.Send(json::Write(json::Object{{"type", "request"},
                                         {"id", "end"},
                                         {"operation", "forfeit-match"},
                                         {"params", json::Object{{"match-id", player.match}}}}));
    ASSERT_TRUE(Succeeded(Answer(client)));
  }
  // A match that is over does not hold it up.
  const net::TestClient::Answer removed = Ask(*second, "DELETE", "/api/v1/games/my-nim");
  EXPECT_EQ(removed.status, 200) << removed.body;
  EXPECT_EQ(OfferedVersion(*second), 0);
  AwaitVersion(*first, 0);
  // Nor does it come back, also at a node that starts again.
  first->Kill();
  const auto again = Start("one");
  EXPECT_EQ(OfferedVersion(*again), 0);
  EXPECT_EQ(again->Get("/api/v1/tables/" + player.match).at("game"), json::Value("my-nim"));
}

TEST_F(ClusterUploads, OneAdminTokenOpensAllNodes) {
  const auto opens = [](RealServer& node, const std::string& token) {
    return Ask(node, "GET", "/api/v1/keys", {}, kFar + ("Authorization: Bearer " + token + "\r\n")).status == 200;
  };
  // The first node had a token before there was a cluster, and so had the second.
  for (const char* node : {"one", "two"}) {
    ASSERT_EQ(mkdir((data_.path() + "/" + node).c_str(), 0700), 0);
    WriteTextFile(data_.path() + "/" + node + "/admin-token.sha256", Sha256Hex(std::string("token of ") + node) + "\n");
  }
  const auto first = Start("one");
  auto second = Start("two");
  const auto third = Start("three");
  for (RealServer* node : {first.get(), second.get(), third.get()}) {
    EXPECT_TRUE(opens(*node, "token of one"));
    EXPECT_FALSE(opens(*node, "token of two"));
  }
  EXPECT_THAT(second->Log(), HasSubstr("the admin token is the cluster's"));
  second->Stop();
  second = Start("two", {"--new-token"});
  for (RealServer* node : {second.get(), first.get(), third.get()}) {
    while (opens(*node, "token of one")) {
    }
  }
}

}  // namespace
}  // namespace openseat::tests
