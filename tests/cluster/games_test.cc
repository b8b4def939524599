// Several nodes of a cluster, as real programs, and games that speak the Neuro API: a game that comes back to any node
// gets its table, whatever became of the node that had it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <future>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cluster/nodes.h"

namespace openseat::tests {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr int kPing = 9;

// A game's connection, which registers one action.
class Game {
 public:
  explicit Game(RealServer& node, std::string name = "Game", const std::string& token = "mine")
      : name_(std::move(name)), client_(node, "/", "Authorization: Bearer " + token + "\r\n") {
    Say("startup");
    // The acknowledgment names the table.
    json::Value ack = client_.Next();
    while (ack.is_object() && ack.at("command") != json::Value("startup")) ack = client_.Next();
    if (!ack.is_object()) return;
    table_ = ack.at("data").at("session").at("sessionId").as_string().c_str();
    Say("actions/register",
        json::Object{{"actions", json::Array{json::Object{{"name", "go"}, {"description", "Goes on."}}}}});
  }
  const std::string& table() const { return table_; }
  // One turn: the seat's agent chooses. False if the connection ended.
  bool Turn() {
    Say("actions/force", json::Object{{"query", "Go?"}, {"action_names", json::Array{"go"}}});
    for (;;) {
      const json::Value message = client_.Next();
      if (!message.is_object()) return false;
      if (message.at("command") != json::Value("action")) continue;
      Say("action/result", json::Object{{"id", message.at("data").at("id")}, {"success", true}});
      return true;
    }
  }
  // Why the connection ended.
  std::string End() {
    net::TestClient::Frame frame = client_.raw().ReadFrame();
    while (frame.opcode >= 0 && frame.opcode != 8) frame = client_.raw().ReadFrame();
    return frame.payload;
  }
  // Until the server asks for a sign of life, which is not given.
  void AwaitPing() {
    while (client_.raw().ReadFrame().opcode != kPing) {
    }
  }
  void Goodbye() { client_.raw().Send(net::ClientClose(1000)); }

 private:
  void Say(const std::string& command, const json::Value& data = nullptr) {
    json::Object message{{"command", command}, {"game", name_}};
    if (!data.is_null()) message["data"] = data;
    client_.Send(json::Write(message));
  }

  const std::string name_;
  WireClient client_;
  std::string table_;
};

class ClusterGames : public ClusterNodes {
 protected:
  // The payloads of the events of this kind, once `count` are there.
  static std::vector<json::Value> Events(RealServer& node, const std::string& table, const std::string& kind,
                                         std::size_t count) {
    for (;;) {
      const net::TestClient::Answer answer =
          net::TestClient(node.port())
              .Request("GET /api/v1/tables/" + table + "/transcript?limit=10000 HTTP/1.1\r\nHost: localhost\r\n\r\n");
      if (answer.status != 200) continue;
      std::vector<json::Value> events;
      const json::Value record = *json::Parse(answer.body);
      for (const json::Value& event : record.at("events").as_array()) {
        if (event.at("kind") == json::Value(kind)) events.push_back(event.at("payload"));
      }
      if (events.size() >= count) return events;
    }
  }
  static std::string Notes(RealServer& node, const std::string& table) {
    std::string notes;
    for (const json::Value& note : Events(node, table, "note", 0)) notes += json::Write(note) + "\n";
    return notes;
  }
  static std::string AgentOf(RealServer& node, const std::string& table) {
    return json::Write(node.Get("/api/v1/tables/" + table).at("seats").at(0).at("agent"));
  }
};

// The node that has the table lives: the connection is passed on to it.
TEST_F(ClusterGames, AGameThatComesBackToAnotherNodeGetsItsTable) {
  const auto first = Start("one");
  const auto second = Start("two");
  AwaitShards(*second, kHalf);
  AwaitShards(*first, kHalf);
  auto game = std::make_unique<Game>(*first);
  const std::string table = game->table();
  ASSERT_TRUE(game->Turn());
  game.reset();
  Events(*first, table, "link", 2);
  // A game that only has the same name gets a new table.
  EXPECT_NE(Game(*second, "Game", "theirs").table(), table);
  EXPECT_NE(Game(*second, "Another").table(), table);
  Game back(*second);
  EXPECT_EQ(back.table(), table);
  EXPECT_TRUE(back.Turn());
  // It is played, and recorded, where it was.
  EXPECT_EQ(Events(*second, table, "verdict", 2).size(), 2u);
  EXPECT_THAT(Notes(*second, table), Not(HasSubstr("goes on")));
  // What the game says when it ends its connection arrives there: the next one is another run of it.
  back.Goodbye();
  Events(*first, table, "link", 4);
  EXPECT_EQ(Game(*second).table(), table);
  EXPECT_THAT(Notes(*first, table), HasSubstr("run 2 of the game"));
}

TEST_F(ClusterGames, AConnectionThatSaysNothingFindsItsTableToo) {
  const auto first = Start("one");
  const auto second = Start("two");
  AwaitShards(*second, kHalf);
  AwaitShards(*first, kHalf);
  const std::string table = Game(*first).table();
  Events(*first, table, "link", 2);
  WireClient silent(*second, "/", "Authorization: Bearer mine\r\n");
  EXPECT_THAT(json::Write(silent.Next()), HasSubstr("reregister_all"));
  EXPECT_THAT(json::Write(Events(*first, table, "link", 3)[2]), HasSubstr("\"connected\""));
}

// The node that had the table died: the record goes on at another one, with the agent that sat there.
TEST_F(ClusterGames, ATableGoesOnWhereItsNodeDied) {
  const auto first = Start("one");
  const auto second = Start("two");
  AwaitShards(*second, kHalf);
  AwaitShards(*first, kHalf);
  Game game(*first);
  const std::string table = game.table();
  ASSERT_TRUE(game.Turn());
  const json::Value seated =
      first->Post("/api/v1/tables/" + table + "/seats/0/agent", json::Object{{"kind", "external"}});
  const std::string token = seated.at("token").as_string().c_str();
  first->Kill();
  // It waits until the other node has the table.
  Game back(*second);
  EXPECT_EQ(back.table(), table);
  EXPECT_THAT(Notes(*second, table), HasSubstr("the table goes on at the server \\\"two\\\""));
  EXPECT_EQ(AgentOf(*second, table), "\"external\"");
  EXPECT_EQ(net::TestClient(second->port())
                .Request("GET /game/state HTTP/1.1\r\nHost: localhost\r\nX-JNet-API: " + token + "\r\n\r\n")
                .status,
            200);
  second->Post("/api/v1/tables/" + table + "/seats/0/agent", json::Object{{"kind", "random"}});
  EXPECT_TRUE(back.Turn());
  const std::vector<json::Value> choices = Events(*second, table, "choice", 2);
  EXPECT_LT(choices[0].at("choice").as_int64(), choices[1].at("choice").as_int64());
  EXPECT_TRUE(Events(*second, table, "closed", 0).empty());
}

// A node that joins gets a part of the tables; their games come back to it through any node.
TEST_F(ClusterGames, ATableMovesWithItsShard) {
  const auto first = Start("one");
  std::map<std::string, std::unique_ptr<Game>> games;
  // Tables have random names, which decide their shards: all of them move, or none, once in 32,000 runs.
  constexpr int kGames = 16;
  for (int i = 0; i < kGames; ++i) {
    const std::string name = "Game " + std::to_string(i);
    games[name] = std::make_unique<Game>(*first, name);
    ASSERT_TRUE(games[name]->Turn());
  }
  const auto second = Start("two");
  AwaitShards(*second, kHalf);
  AwaitShards(*first, kHalf);
  int moved = 0;
  for (auto& [name, game] : games) {
    const std::string table = game->table();
    if (!game->Turn()) {
      game = std::make_unique<Game>(*first, name);
      EXPECT_EQ(game->table(), table);
      EXPECT_TRUE(game->Turn());
    }
    if (Notes(*first, table).find("the table goes on at the server \\\"two\\\"") != std::string::npos) ++moved;
    EXPECT_EQ(Events(*second, table, "verdict", 2).size(), 2u);
    EXPECT_TRUE(Events(*second, table, "gap", 0).empty());
  }
  EXPECT_GT(moved, 0);
  EXPECT_LT(moved, kGames);
  // A node that stops hands the others over.
  second->Stop();
  for (auto& [name, game] : games) {
    const std::string table = game->table();
    if (!game->Turn()) {
      game = std::make_unique<Game>(*first, name);
      EXPECT_EQ(game->table(), table);
      EXPECT_TRUE(game->Turn());
    }
    EXPECT_EQ(Events(*first, table, "verdict", 3).size(), 3u);
  }
}

// The game has a new connection before the end of the old one was heard of: at the same node, or one that passes it on.
TEST_F(ClusterGames, AGameWhoseOldConnectionDoesNotAnswerWaitsForItsTable) {
  const auto first = Start("one");
  const auto second = Start("two");
  AwaitShards(*second, kHalf);
  AwaitShards(*first, kHalf);
  auto game = std::make_unique<Game>(*first);
  const std::string table = game->table();
  for (RealServer* node : {&*first, &*second, &*second}) {
    auto back = std::async(std::launch::async, [node] { return std::make_unique<Game>(*node); });
    game->AwaitPing();
    game.reset();
    game = back.get();
    EXPECT_EQ(game->table(), table);
    EXPECT_TRUE(game->Turn());
  }
}

// The node that passed the game on is frozen; it would answer nothing for long.
TEST_F(ClusterGames, AGameThatCameThroughAFrozenNodeGetsItsTable) {
  const auto first = Start("one");
  const auto second = Start("two");
  AwaitShards(*second, kHalf);
  AwaitShards(*first, kHalf);
  Game made(*first);
  const std::string table = made.table();
  made.Goodbye();
  Events(*first, table, "link", 2);
  Game game(*second);
  ASSERT_EQ(game.table(), table);
  ASSERT_TRUE(game.Turn());
  second->Signal(SIGSTOP);
  Game back(*first);
  EXPECT_EQ(back.table(), table);
  EXPECT_TRUE(back.Turn());
  second->Signal(SIGCONT);
  while (!game.End().empty()) {
  }
  EXPECT_TRUE(back.Turn());
}

// A node that is frozen while another one goes on with its tables writes nothing into their records afterwards.
TEST_F(ClusterGames, AFrozenNodeLosesItsTables) {
  const auto first = Start("one");
  const auto second = Start("two");
  AwaitShards(*second, kHalf);
  AwaitShards(*first, kHalf);
  Game game(*first);
  const std::string table = game.table();
  ASSERT_TRUE(game.Turn());
  Events(*second, table, "verdict", 1);
  first->Signal(SIGSTOP);
  Game back(*second);
  EXPECT_EQ(back.table(), table);
  ASSERT_TRUE(back.Turn());
  first->Signal(SIGCONT);
  EXPECT_THAT(game.End(), HasSubstr("goes on at another server"));
  EXPECT_TRUE(back.Turn());
  const std::vector<json::Value> links = Events(*second, table, "link", 2);
  EXPECT_EQ(links.size(), 2u) << "the first node's end is not in the record";
  EXPECT_EQ(Events(*second, table, "verdict", 3).size(), 3u);
}

}  // namespace
}  // namespace openseat::tests
