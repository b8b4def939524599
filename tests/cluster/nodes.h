// For tests with several nodes of a cluster, as real programs, on a NATS server of their own.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "store/nats_test_server.h"
#include "support/real_server.h"

namespace openseat::tests {

inline constexpr double kShards = 64;
inline constexpr double kHalf = 32;

class ClusterNodes : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!store::NatsTestServer::installed()) GTEST_SKIP() << store::NatsTestServer::kMissing;
    nats_ = std::make_unique<store::NatsTestServer>();
  }
  // `games`: the folder of its games; "" for none.
  std::unique_ptr<RealServer> Start(const std::string& node, const std::vector<std::string>& more = {},
                                    const std::string& games = OPENSEAT_GAMES_DIR) {
    std::vector<std::string> arguments{"--cluster", nats_->url(), "--node", node};
    if (!games.empty()) arguments.insert(arguments.end(), {"--games", games});
    arguments.insert(arguments.end(), more.begin(), more.end());
    return std::make_unique<RealServer>(data_.path() + "/" + node, arguments, data_.path() + "/" + node + ".log");
  }
  static void AwaitShards(RealServer& node, double count) {
    while (node.Metric("openseat_cluster_shards") != count || node.Metric("openseat_cluster_shards_found") != kShards) {
    }
  }
  struct Player {
    std::string match;
    std::string token;
    std::string game;
  };
  // A match between Alex and an agent.
  static Player Create(RealServer& node, const std::string& game = "tictactoe") {
    const json::Value made = node.Post(
        "/api/v1/matches",
        json::Object{{"game", game},
                     {"seats", json::Array{json::Object(),
                                           json::Object{{"name", "Bot"},
                                                        {"agent", json::Object{{"kind", "random"}, {"seed", 7}}}}}}});
    Player player{made.at("match-id").as_string().c_str(), {}, game};
    WireClient client(node);
    const json::Value joined = client.Ask("join-match", Join(player));
    player.token = joined.at("token").as_string().c_str();
    return player;
  }
  static json::Object Join(const Player& player) {
    json::Object params{{"game", player.game}, {"match-id", player.match}, {"player-name", "Alex"}};
    if (!player.token.empty()) params["token"] = player.token;
    return params;
  }
  // The node has the match, sooner or later.
  static void AwaitMatch(RealServer& node, const Player& player) {
    while (node.Status("/api/v1/tables/" + player.match) != 200) {
    }
  }
  static bool Succeeded(const json::Value& answer) {
    return answer.is_object() && answer.get_object().contains("result");
  }
  // The next message that is not a notification.
  static json::Value Answer(WireClient& client) {
    for (;;) {
      json::Value message = client.Next();
      if (!message.is_object() || message.at("type") != json::Value("notification")) return message;
    }
  }
  // What Alex may choose at some time: a square in Tic-Tac-Toe, a stone of a heap in Nim.
  static std::vector<json::Object> Choices(const Player& player) {
    std::vector<json::Object> choices;
    for (std::int64_t i = 0; i < 9; ++i) {
      if (player.game == "tictactoe") {
        choices.push_back({{"action", "move"}, {"data", json::Object{{"position", json::Array{i / 3, i % 3}}}}});
      } else if (i < 3) {
        choices.push_back({{"action", "take"}, {"data", json::Object{{"heap", i + 1}, {"count", 1}}}});
      }
    }
    return choices;
  }
  // Alex comes back with the token and makes the first choice that is accepted.
  static void Mark(RealServer& node, const Player& player) { EXPECT_TRUE(Marked(node, player)); }
  static ::testing::AssertionResult Marked(RealServer& node, const Player& player) {
    WireClient client(node);
    const json::Value joined = client.Ask("join-match", Join(player));
    if (!Succeeded(joined)) return ::testing::AssertionFailure() << json::Write(joined);
    json::Value told = client.Next();
    while (told.is_object() && told.at("type") != json::Value("notification")) told = client.Next();
    json::Value answer;
    for (json::Object& params : Choices(player)) {
      params["match-id"] = player.match;
      client.Send(json::Write(json::Object{
          {"type", "request"}, {"id", "move"}, {"operation", "game-action"}, {"params", std::move(params)}}));
      answer = Answer(client);
      if (Succeeded(answer)) return ::testing::AssertionSuccess();
    }
    return ::testing::AssertionFailure() << "no choice is accepted: " << json::Write(answer);
  }
  static std::size_t Played(RealServer& node, const Player& player) {
    const json::Value record = node.Get("/api/v1/tables/" + player.match + "/transcript?viewer=all&limit=10000");
    std::size_t out = 0;
    for (const json::Value& event : record.at("events").as_array()) {
      if (event.at("kind") == json::Value("played") && event.at("payload").at("seat") == json::Value(0)) ++out;
    }
    return out;
  }

  const TemporaryDirectory data_;
  std::unique_ptr<store::NatsTestServer> nats_;
};

}  // namespace openseat::tests
