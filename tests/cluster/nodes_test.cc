// Several nodes of a cluster, as real programs: who has which tables when nodes come, go and die, and that a client
// goes on at another node.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <future>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cluster/nodes.h"

namespace openseat::tests {
namespace {

TEST_F(ClusterNodes, AMatchGoesOnWhereItsNodeDied) {
  const auto first = Start("one");
  AwaitShards(*first, kShards);
  const Player player = Create(*first);
  Mark(*first, player);
  const auto second = Start("two");
  // While both live, each has its part.
  AwaitShards(*second, kHalf);
  AwaitShards(*first, kHalf);
  first->Kill();
  AwaitMatch(*second, player);
  EXPECT_EQ(Played(*second, player), 1u);
  Mark(*second, player);
  EXPECT_EQ(Played(*second, player), 2u);
  AwaitShards(*second, kShards);
  // It starts again, and gets its part back.
  const auto again = Start("one");
  AwaitShards(*again, kHalf);
  AwaitShards(*second, kHalf);
}

// Neither believes that it has what the other one has: nothing is refused afterwards.
TEST_F(ClusterNodes, NodesThatStartTogetherShare) {
  auto starts = std::async(std::launch::async, [this] { return Start("one"); });
  const auto second = Start("two");
  const auto first = starts.get();
  AwaitShards(*second, kHalf);
  AwaitShards(*first, kHalf);
  const auto lost = [](const RealServer& node) {
    const std::string log = node.Log();
    std::size_t out = 0;
    for (std::size_t at = 0; (at = log.find("another node writes", at)) != std::string::npos; ++at) ++out;
    return out;
  };
  const std::size_t before = lost(*first) + lost(*second);
  // Enough of them to meet most shards.
  for (int i = 0; i < 48; ++i) {
    Create(*first);
    Create(*second);
  }
  EXPECT_EQ(lost(*first) + lost(*second), before);
}

// So does a match of a game script, if the other node has the file.
TEST_F(ClusterNodes, AScriptGoesOnWhereItsNodeDied) {
  const auto first = Start("one");
  const auto second = Start("two");
  AwaitShards(*second, kHalf);
  AwaitShards(*first, kHalf);
  const Player player = Create(*first, "nim");
  Mark(*first, player);
  first->Kill();
  AwaitMatch(*second, player);
  Mark(*second, player);
  EXPECT_EQ(Played(*second, player), 2u);
}

// A node without the game of a match leaves its shard to one that has it.
TEST_F(ClusterNodes, AMatchIsWhereItsGameIs) {
  const auto first = Start("one");
  std::vector<Player> players;
  for (int i = 0; i < 24; ++i) players.push_back(Create(*first, "nim"));
  const auto second = Start("two", {}, "");
  while (second->Log().find("its game is not offered here") == std::string::npos) {
  }
  for (const Player& player : players) {
    while (!Marked(*second, player)) {
    }
  }
  EXPECT_GT(second->Metric("openseat_cluster_shards"), 0) << "it has shards without such matches";
}

// Whichever node a client comes to, it reaches its match.
TEST_F(ClusterNodes, AnyNodeTakesAnyClient) {
  const auto first = Start("one");
  std::vector<Player> players;
  for (int i = 0; i < 8; ++i) players.push_back(Create(*first));
  const auto second = Start("two");
  AwaitShards(*second, kHalf);
  AwaitShards(*first, kHalf);
  for (const Player& player : players) {
    AwaitMatch(*first, player);
    AwaitMatch(*second, player);
    Mark(*first, player);
    Mark(*second, player);
    EXPECT_EQ(Played(*first, player), 2u);
    EXPECT_EQ(Played(*second, player), 2u);
  }
}

// A client that asks a node about its seats does not hear that those at the other node are gone.
TEST_F(ClusterNodes, NoNodeSaysThatASeatElsewhereIsGone) {
  const auto first = Start("one");
  std::vector<Player> players;
  json::Array seats;
  for (int i = 0; i < 8; ++i) {
    players.push_back(Create(*first));
    seats.push_back(json::Object{{"match-id", players[i].match}, {"player-name", "Alex"}, {"token", players[i].token}});
  }
  const auto second = Start("two");
  AwaitShards(*second, kHalf);
  AwaitShards(*first, kHalf);
  const auto list = [](RealServer& node, json::Object params) {
    WireClient client(node);
    return client.Ask("list-seats", std::move(params)).at("result").at("seats").as_array();
  };
  for (RealServer* node : {first.get(), second.get()}) {
    const json::Array all = list(*node, {{"seats", seats}});
    for (std::size_t i = 0; i < players.size(); ++i) {
      EXPECT_FALSE(all[i].get_object().contains("gone")) << json::Write(all);
      // The node that has the match knows more.
      const json::Array one = list(*node, {{"match-id", players[i].match}, {"seats", json::Array{seats[i]}}});
      EXPECT_EQ(one[0].at("game"), json::Value("tictactoe")) << json::Write(one);
    }
  }
}

// Only who knows a node's secret can speak for clients.
TEST_F(ClusterNodes, AForgedHeaderOpensNothing) {
  const auto node = Start("one");
  const auto status = [&node](const std::string& headers) {
    return net::TestClient(node->port())
        .Request("GET /api/v1/keys HTTP/1.1\r\nHost: localhost\r\n" + headers + "\r\n")
        .status;
  };
  EXPECT_EQ(status(""), 200);
  const std::string far = "X-Forwarded-For: 203.0.113.7\r\n";
  EXPECT_EQ(status(far), 401);
  for (const char* forged : {"", "local", " local", "- local", "aaaaaaaaaaaaaaaaaaaaaaaaaa local"}) {
    EXPECT_EQ(status(far + "X-Openseat-Passed-On: " + forged + "\r\n"), 401) << forged;
  }
}

TEST_F(ClusterNodes, ANodeThatStopsHandsItsMatchesOver) {
  const auto first = Start("one");
  const Player player = Create(*first);
  Mark(*first, player);
  const auto second = Start("two");
  AwaitShards(*second, kHalf);
  first->Stop();
  AwaitShards(*second, kShards);
  AwaitMatch(*second, player);
  EXPECT_EQ(Played(*second, player), 1u);
  Mark(*second, player);
}

// A node that is frozen while others take its matches says nothing about them afterwards.
TEST_F(ClusterNodes, AFrozenNodeComesBackWithoutItsMatches) {
  const auto first = Start("one");
  std::vector<Player> players;
  for (int i = 0; i < 8; ++i) players.push_back(Create(*first));
  const auto second = Start("two");
  AwaitShards(*second, kHalf);
  first->Signal(SIGSTOP);
  AwaitShards(*second, kShards);
  for (const Player& player : players) {
    AwaitMatch(*second, player);
    Mark(*second, player);
  }
  first->Signal(SIGCONT);
  // It gives up what is the other's, and gets its part again.
  AwaitShards(*second, kHalf);
  AwaitShards(*first, kHalf);
  for (const Player& player : players) {
    AwaitMatch(*second, player);
    EXPECT_EQ(Played(*second, player), 1u);
  }
}

// A client whose match is at a node that hangs is sent away, and goes on.
TEST_F(ClusterNodes, AClientOfAFrozenNodeComesBack) {
  const auto first = Start("one");
  const auto second = Start("two");
  AwaitShards(*second, kHalf);
  AwaitShards(*first, kHalf);
  const Player player = Create(*first);
  AwaitMatch(*second, player);
  WireClient client(*second);
  ASSERT_TRUE(Succeeded(client.Ask("join-match", Join(player))));
  first->Signal(SIGSTOP);
  net::TestClient::Frame frame = client.raw().ReadFrame();
  while (frame.opcode == 1 || frame.opcode == 9) frame = client.raw().ReadFrame();
  EXPECT_EQ(frame.opcode, 8);
  EXPECT_THAT(frame.payload, ::testing::HasSubstr("no sign of life"));
  AwaitMatch(*second, player);
  Mark(*second, player);
  first->Kill();
}

// Accounts and keys are the cluster's: made at one node, they are known at the other; revoked there, they are refused
// here.
TEST_F(ClusterNodes, AKeyIsTheSameAtEveryNode) {
  const auto first = Start("one");
  const auto second = Start("two");
  AwaitShards(*second, kHalf);
  AwaitShards(*first, kHalf);
  const json::Value account = first->Post("/api/v1/accounts", json::Object{{"name", "Alex"}});
  const json::Value made = first->Post("/api/v1/keys", json::Object{{"account", account.at("id")}});
  const std::string secret = made.at("secret").as_string().c_str();
  // Until the other node has answered in time, too.
  const auto says = [&secret](RealServer& node) {
    for (;;) {
      net::TestClient::Answer answer =
          net::TestClient(node.port())
              .Request("GET /game/state HTTP/1.1\r\nHost: localhost\r\nX-JNet-API: " + secret + "\r\n\r\n");
      if (answer.status != 503) return answer.body;
    }
  };
  EXPECT_THAT(says(*first), ::testing::HasSubstr("No game for this key"));
  EXPECT_THAT(says(*second), ::testing::HasSubstr("No game for this key"));
  const std::string id = made.at("key").at("id").as_string().c_str();
  EXPECT_EQ(net::TestClient(second->port())
                .Request("DELETE /api/v1/keys/" + id + " HTTP/1.1\r\nHost: localhost\r\n\r\n")
                .status,
            200);
  EXPECT_THAT(says(*second), ::testing::HasSubstr("revoked"));
  // Within half a second: until then, the node may know the key from before.
  while (says(*first).find("revoked") == std::string::npos) {
  }
}

TEST_F(ClusterNodes, TwoNodesCannotHaveTheSameName) {
  const auto first = Start("one");
  const std::string errors = data_.path() + "/errors";
  Process second(OPENSEAT_BINARY,
                 {"serve", "--listen", "127.0.0.1:0", "--chimera-listen", "none", "--data-dir", data_.path() + "/same",
                  "--cluster", nats_->url(), "--node", "one"},
                 {}, errors);
  EXPECT_EQ(second.Wait(), 2);
  EXPECT_THAT(ReadTextFile(errors), ::testing::HasSubstr("a node named \"one\" is in the cluster already"));
}

}  // namespace
}  // namespace openseat::tests
