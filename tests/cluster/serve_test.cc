// The real program with its journal on NATS JetStream: what it says and does when NATS is not there.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "store/nats_link.h"
#include "store/nats_test_server.h"
#include "store/registry_codec.h"
#include "support/real_server.h"

namespace openseat::tests {
namespace {

using ::testing::HasSubstr;

class ClusterServe : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!store::NatsTestServer::installed()) GTEST_SKIP() << store::NatsTestServer::kMissing;
  }
  std::vector<std::string> Arguments(const store::NatsTestServer& nats) const {
    return {"serve",      "--listen",   "127.0.0.1:0", "--chimera-listen", "none",
            "--data-dir", data_.path(), "--cluster",   nats.url()};
  }
  static std::string Create(WireClient& client) {
    const json::Value made = client.Ask("create-match", json::Object{{"game", "tictactoe"}, {"player-name", "Alex"}});
    return made.at("result").at("match-id").as_string().c_str();
  }
  // The next message that is not a notification.
  static json::Value Answer(WireClient& client) {
    for (;;) {
      json::Value message = client.Next();
      if (!message.is_object() || message.at("type") != json::Value("notification")) return message;
    }
  }
  static void AwaitStatus(RealServer& server, int status) {
    while (server.Status("/readyz") != status) {
    }
  }

  const TemporaryDirectory data_;
};

// A choice that NATS does not confirm is not answered; it is once NATS goes on.
TEST_F(ClusterServe, WaitsWhileNatsIsFrozen) {
  const store::NatsTestServer nats;
  RealServer server(data_.path(), {"--cluster", nats.url(), "--test-games"});
  AwaitStatus(server, 200);
  WireClient one(server);
  WireClient two(server);
  const std::string match = Create(one);
  two.Ask("join-match", json::Object{{"game", "tictactoe"}, {"match-id", match}, {"player-name", "Ben"}});
  nats.Freeze();
  one.Send(
      json::Write(json::Object{{"type", "request"},
                               {"id", "move"},
                               {"operation", "game-action"},
                               {"params", json::Object{{"match-id", match},
                                                       {"action", "move"},
                                                       {"data", json::Object{{"position", json::Array{0, 0}}}}}}}));
  AwaitStatus(server, 503);
  EXPECT_EQ(server.Status("/healthz"), 200);
  nats.Thaw();
  AwaitStatus(server, 200);
  const json::Value answer = Answer(one);
  EXPECT_EQ(answer.at("id"), json::Value("move"));
  EXPECT_THAT(json::Write(answer), HasSubstr("\"result\""));
}

// docs/metrics.md lists exactly the metrics that only a node of a cluster has.
TEST_F(ClusterServe, ItsMetricsAreDocumented) {
  const store::NatsTestServer nats;
  RealServer server(data_.path(), {"--cluster", nats.url()});
  // The names that follow this, of nodes of a cluster.
  const auto names = [](const std::string& text, const std::string& before) {
    std::set<std::string> out;
    for (std::size_t at = text.find(before); at != std::string::npos; at = text.find(before, at + 1)) {
      const std::size_t begin = at + before.size();
      const std::string name = text.substr(begin, text.find_first_of(" `{", begin) - begin);
      if (name.starts_with("openseat_cluster_") || name.starts_with("openseat_registry_")) out.insert(name);
    }
    return out;
  };
  net::TestClient client(server.port());
  EXPECT_EQ(names(client.Request("GET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n").body, "# HELP "),
            names(ReadTextFile(OPENSEAT_SOURCE_DIR "/docs/metrics.md"), "\n| `"));
  EXPECT_GT(server.Metric("openseat_registry_current_timestamp_seconds"), 1.7e9);
}

// Another node has read more of the registry than NATS has.
TEST_F(ClusterServe, IsNotReadyWhileTheRegistryLacksMessages) {
  const store::NatsTestServer nats;
  RealServer server(data_.path(), {"--cluster", nats.url()});
  AwaitStatus(server, 200);
  const store::NatsLinkOptions connect{.servers = nats.url(), .name = "test"};
  const auto link = std::move(*store::NatsLink::Connect(connect, [](auto, auto) {}));
  const std::uint64_t last = *link->LastPosition("openseat_openseat_registry");
  ASSERT_TRUE(link->Tell("openseat.openseat.registry-end", std::to_string(last + 1)));
  AwaitStatus(server, 503);
  EXPECT_THAT(net::TestClient(server.port()).Request("GET /readyz HTTP/1.1\r\nHost: localhost\r\n\r\n").body,
              HasSubstr("NATS has only " + std::to_string(last) + " of the " + std::to_string(last + 1) + " messages"));
  // A part of a snapshot without the others changes nothing.
  ASSERT_TRUE(link->Publish(
      {"openseat.openseat.registry.snapshot", store::WriteRegistryStamp({7, last, 1, 2}), 0, "part", "x"}));
  AwaitStatus(server, 200);
}

TEST_F(ClusterServe, WaitsForNatsWhenItStarts) {
  store::NatsTestServer nats;
  nats.Kill();
  const std::string log = data_.path() + "/log";
  Process process(OPENSEAT_BINARY, Arguments(nats), {}, log);
  while (access(log.c_str(), R_OK) != 0) {
  }
  while (ReadTextFile(log).find("cannot connect to NATS at " + nats.url()) == std::string::npos) {
  }
  nats.Restart();
  std::string line;
  ASSERT_TRUE(process.ReadLine(line)) << ReadTextFile(log);
  EXPECT_THAT(line, HasSubstr("listens on"));
}

TEST_F(ClusterServe, RefusesWhatCannotWork) {
  const auto said = [this](std::vector<std::string> more) {
    more.insert(more.begin(), {"serve", "--data-dir", data_.path()});
    const std::string errors = data_.path() + "/errors";
    Process process(OPENSEAT_BINARY, more, {}, errors);
    EXPECT_EQ(process.Wait(), 2);
    return ReadTextFile(errors);
  };
  EXPECT_THAT(said({"--cluster", "http://a"}), HasSubstr("--cluster: NATS servers are URLs"));
  EXPECT_THAT(said({"--cluster", "nats://a", "--node", "a.b"}), HasSubstr("--node: "));
  EXPECT_THAT(said({"--cluster", "nats://a", "--advertise", "here"}), HasSubstr("--advertise is HOST:PORT"));
  EXPECT_THAT(said({"--cluster", "nats://a", "--cluster-key", "k"}), HasSubstr("both a certificate and a key"));
  EXPECT_THAT(said({"--cluster", "nats://127.0.0.1:1", "--cluster-credentials", "/none"}),
              HasSubstr("cannot use /none as the credentials for NATS: it cannot be read"));
  const std::string file = data_.path() + "/openseat.toml";
  WriteTextFile(file, "[journal]\nkeep = 60\n[cluster]\nservers = \"nats://a\"\n");
  EXPECT_THAT(said({"--config", file}), HasSubstr("keeps everything"));
}

}  // namespace
}  // namespace openseat::tests
