// The relay's two doors: games on one side, and an upstream that may do as it likes on the other.
#include <memory>
#include <string>
#include <vector>

#include "attack/attack.h"
#include "attack/attackers.h"
#include "attack/attacks_over_relay.h"
#include "base/budget.h"
#include "base/digest.h"

namespace openseat::tests {
namespace {

using ::testing::HasSubstr;

constexpr std::string_view kFromElsewhere = "X-Forwarded-For: 203.0.113.9\r\n";
constexpr const char* kNobody = "ws://127.0.0.1:1";

class RelayAttack : public Attack {
 protected:
  net::TestClient::Answer Knock(const std::string& headers) {
    return net::TestClient(server().port()).Request(UpgradeHead("/", headers));
  }
  static std::string ContextFrame(const std::string& text) {
    return net::ClientFrame(0x81,
                            R"({"command":"context","game":"A","data":{"message":")" + text + R"(","silent":true}})");
  }
  // As the upstream: reads, and says so, until it has read a text that contains `what`.
  static void ReadUntil(net::TestClient& upstream, std::string_view what) {
    bool found = false;
    for (;;) {
      const net::TestClient::Frame frame = upstream.ReadFrame();
      ASSERT_NE(frame.opcode, -1);
      found = found || (frame.opcode == 1 && frame.payload.find(what) != std::string::npos);
      if (frame.opcode != 9) continue;
      upstream.Send(net::ClientFrame(0x8A, frame.payload, false));
      if (found) return;
    }
  }
  static void ExpectRead(WireClient& game) { ASSERT_EQ(WaitUntilRead(game.raw()), 10); }
  json::Value Channels() { return server().Get("/api/v1/relay").at("channels"); }
};

TEST_F(RelayAttack, ItsDoorIsThatOfTheServer) {
  WriteTextFile(data_dir() + "/admin-token.sha256", Sha256Hex("thetokenofthisrelay") + "\n");
  StartAlone({}, {"relay", "--upstream", kNobody});
  EXPECT_EQ(Knock("").status, 101);
  EXPECT_EQ(Knock("Origin: http://evil.example\r\n").status, 403);
  EXPECT_THAT(Knock(std::string(kFromElsewhere)).status, ::testing::AnyOf(401, 403));
  EXPECT_EQ(Knock(std::string(kFromElsewhere) + "Authorization: Bearer thetokenofthisrelay\r\n").status, 101);
  net::TestClient client(server().port());
  EXPECT_THAT(
      client.Request("GET /api/v1/relay HTTP/1.1\r\nHost: 127.0.0.1\r\n" + std::string(kFromElsewhere) + "\r\n").status,
      ::testing::AnyOf(401, 403));
}

TEST_F(RelayAttack, AStrangersConnectionsCountTwice) {
  StartAlone({}, {"relay", "--upstream", kNobody, "--open-games"});
  const auto open = CrowdTheRelay(server(), kFromElsewhere, 140);
  EXPECT_LE(Channels().as_array().size(), 64u) << "128 connections of one address, each with one to the upstream";
  EXPECT_GE(server().Metric("openseat_refused_total{budget=\"max_connections_per_address\"}"), 1);
  EXPECT_GT(open.size(), 0u);
  EXPECT_EQ(Knock("").status, 101) << "others are let in";
}

TEST_F(RelayAttack, WhatWaitsForAnUpstreamThatIsAwayIsBounded) {
  StartAlone({}, {"relay", "--upstream", kNobody});
  net::TestClient game(server().port());
  ASSERT_EQ(game.Request(UpgradeHead("/")).status, 101);
  const std::string large = ContextFrame(std::string(200'000, 'x'));
  const std::size_t messages = Scaled(400);
  for (std::size_t i = 0; i < messages; ++i) game.Send(large);
  game.Send(net::ClientFrame(0x89, "all"));
  while (game.ReadFrame().payload != "all") {
  }
  const json::Value channel = Channels().at(0);
  EXPECT_GT(channel.at("dropped").to_number<std::uint64_t>(), messages / 2);
  EXPECT_LT(channel.at("held_for_upstream").to_number<std::uint64_t>(), 100u);
  ExpectMemoryBelow(400 * kMiB);
}

TEST_F(RelayAttack, AStrangersMessagesWaitWithinItsOwnLimits) {
  StartAlone({}, {"relay", "--upstream", kNobody, "--open-games", "--hold", "100000"});
  net::TestClient game(server().port());
  ASSERT_EQ(game.Request(UpgradeHead("/", kFromElsewhere)).status, 101);
  const std::size_t messages = 400;  // below what a connection may send at once
  for (std::size_t i = 0; i < messages; ++i) game.Send(ContextFrame("x"));
  game.Send(net::ClientFrame(0x89, "all"));
  while (game.ReadFrame().payload != "all") {
  }
  const json::Value channel = Channels().at(0);
  EXPECT_EQ(channel.at("held_for_upstream"), PeerLimits().max_waiting_items);
  EXPECT_EQ(channel.at("dropped"), messages - PeerLimits().max_waiting_items);
  EXPECT_GE(server().Metric("openseat_refused_total{budget=\"max_waiting_items\"}"), 1);
}

TEST_F(RelayAttack, NamesThatAreHardToTellApart) {
  StartAlone({}, {"relay", "--upstream", kNobody, "--open-games", "--repair", "names"});
  const auto game = BeginAtRelay(server(), kFromElsewhere);
  int name = 0;
  for (std::size_t i = 0; i < Scaled(12); ++i) RegisterNamesThatAreHardToTellApart(*game, name);
  ExpectRead(*game);
  ExpectNoStall();
}

TEST_F(RelayAttack, SchemasThatAreHardToFit) {
  StartAlone({}, {"relay", "--upstream", kNobody, "--open-games", "--repair", "schemas"});
  const auto game = BeginAtRelay(server(), kFromElsewhere);
  RegisterSchemasThatAreHardToFit(*game);
  ExpectRead(*game);
  ExpectNoStall();
}

// Registrations that stand, each of many short names: what the relay notes of them is more than their text.
TEST_F(RelayAttack, VeryManyActionsThatStand) {
  const TemporaryDirectory data(TemporaryDirectory::On::kMemory);
  const RealServer upstream(data.path());
  StartAlone({}, {"relay", "--upstream", "ws://127.0.0.1:" + std::to_string(upstream.port()), "--open-games"});
  std::vector<std::unique_ptr<WireClient>> games;
  for (std::size_t i = 0; i < Scaled(2); ++i) {
    games.push_back(BeginAtRelay(server(), kFromElsewhere));
    RegisterVeryManyActions(*games.back(), 220);
    ExpectRead(*games.back());
  }
  ExpectMemoryBelow(150 * kMiB);
}

// Actions and a force that are kept for an upstream that comes back, for as long as their game stays. The relay's own
// record has none of them: they are too large for it.
TEST_F(RelayAttack, LargeActionsAndForcesOfManyGames) {
  net::TestListener listener;
  StartAlone("[limits.loopback]\nmax_table_bytes_per_address = 33554432\nmax_schema_bytes = 1048576\n",
             {"relay", "--upstream", "ws://127.0.0.1:" + std::to_string(listener.port())});
  std::vector<std::unique_ptr<WireClient>> games;
  std::vector<std::unique_ptr<net::TestClient>> upstreams;
  for (std::size_t i = 0; i < Scaled(40); ++i) {
    // However long this takes, none of them is silent: the relay would connect again, and that would be accepted here.
    for (const auto& earlier : upstreams) earlier->Send(net::ClientFrame(0x8A, "", false));
    games.push_back(std::make_unique<WireClient>(server(), "/"));
    upstreams.push_back(listener.Accept());
    upstreams.back()->AnswerUpgrade();
    HoldALargeActionAndForce(*games.back(), "Attacker " + std::to_string(i));
    ReadUntil(*upstreams.back(), "actions/force");
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(server().Metric(R"(openseat_refused_total{budget="max_table_bytes_per_address"})"), 0);
  EXPECT_EQ(Channels().as_array().size(), games.size());
  ExpectMemoryBelow(250 * kMiB);
}

// An upstream that says what it likes: garbage, floods, messages that are too large, and then it hangs up.
TEST_F(RelayAttack, AHostileUpstream) {
  net::TestListener listener;
  StartAlone({}, {"relay", "--upstream", "ws://127.0.0.1:" + std::to_string(listener.port()), "--hold", "1000"});
  net::TestClient game(server().port());
  ASSERT_EQ(game.Request(UpgradeHead("/")).status, 101);
  game.Send(StartupFrame("A"));
  const auto frame = [](int first, const std::string& payload) {
    std::string out(1, static_cast<char>(first));
    if (payload.size() < 126) {
      out += static_cast<char>(payload.size());
    } else {
      out += '\x7F';
      for (int shift = 56; shift >= 0; shift -= 8)
        out += static_cast<char>(static_cast<std::uint64_t>(payload.size()) >> shift & 0xFF);
    }
    return out + payload;
  };
  {
    const auto upstream = listener.Accept();
    upstream->AnswerUpgrade();
    upstream->Send(frame(0x81, "{\"command\":\"action\",\"data\":{\"id\":7}}"));
    upstream->Send(frame(0x81, std::string("\xFF\x00[[[[", 6)));
    upstream->Send(frame(0x8A, "relay-999999"));
    upstream->Send(frame(0x82, "binary"));
    EXPECT_THAT(game.ReadFrame().payload, HasSubstr("\"id\":7"));
    upstream->Send(frame(0x81, std::string(5 * kMiB, 'x')));
    // It is shown the door, and asked again.
    while (upstream->ReadFrame().opcode > 0) {
    }
  }
  const auto again = listener.Accept();
  again->AnswerUpgrade();
  game.Send(ContextFrame("still here"));
  std::string seen;
  while (seen.find("still here") == std::string::npos) {
    const net::TestClient::Frame got = again->ReadFrame();
    ASSERT_NE(got.opcode, -1);
    seen += got.payload;
  }
  EXPECT_THAT(seen, HasSubstr("startup"));
  EXPECT_EQ(server().Status("/healthz"), 200);
}

}  // namespace
}  // namespace openseat::tests
