// What connections with an API key cost a server: they count for the key as well, from whatever address.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "net/test_client.h"
#include "net/test_server.h"

namespace openseat::net {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

// Opens a table for each message, and keeps it.
class TableSession final : public WebSocketSession {
 public:
  explicit TableSession(const HttpRequest& request) : who_(request.who), payer_(request.payer) {}

  void OnOpen(std::shared_ptr<WebSocket> socket) override {
    socket_ = std::move(socket);
    socket_->SendText(socket_->payer() == payer_ ? "for " + who_ : "two payers");
  }
  void OnText(std::string_view /*message*/) override {
    auto held = payer_->Hold(Holding::kTables);
    socket_->SendText(held ? "open" : held.error().Text());
    if (held) tables_.push_back(std::move(*held));
  }
  void OnBinary(std::string_view /*message*/) override {}
  void OnClosed(const Closing& /*closing*/) override {}

 private:
  const std::string who_;
  const std::shared_ptr<Payer> payer_;
  std::shared_ptr<WebSocket> socket_;
  std::vector<Lease> tables_;
};

void AddKeyedRoutes(Router& router) {
  UpgradeOptions options;
  options.admit = [](const HttpRequest& request, const std::function<void(Result<std::string>)>& done) {
    const std::string* key = request.Query("key");
    if (key == nullptr) return done({});
    if (*key == "wrong") return done(Fail(ErrorCode::kUnauthorized, "this key opens nothing", "token"));
    done("key " + *key);
  };
  router.AddWebSocket("/tables", options, [](const HttpRequest& request) -> Result<std::unique_ptr<WebSocketSession>> {
    return std::make_unique<TableSession>(request);
  });
}

// A client of another machine. `key`: "" for none.
class Stranger {
 public:
  Stranger(const TestServer& server, int address, const std::string& key) : client_(server.port()) {
    const auto answer = client_.Upgrade(key.empty() ? "/tables" : "/tables?key=" + key,
                                        "X-Forwarded-For: 192.0.2." + std::to_string(address) + "\r\n");
    EXPECT_EQ(answer.status, 101) << answer.body;
    EXPECT_EQ(client_.ReadFrame().payload, key.empty() ? "for " : "for key " + key);
  }

  std::string Open() {
    client_.Send(ClientFrame(0x81, "open"));
    return client_.ReadFrame().payload;
  }
  TestClient& client() { return client_; }

 private:
  TestClient client_;
};

TEST(ServerKeys, WhatAConnectionOpensCountsForItsKey) {
  BudgetLimits limits;
  limits.keys.max_tables_per_key = 2;
  TestServer server(AddKeyedRoutes, {}, 2, {}, limits);
  auto first = std::make_unique<Stranger>(server, 1, "k-1");
  Stranger second(server, 2, "k-1");
  Stranger third(server, 3, "k-1");
  EXPECT_EQ(first->Open(), "open");
  EXPECT_EQ(second.Open(), "open");
  EXPECT_THAT(third.Open(), StartsWith("the limit max_tables_per_key is reached: 2 "));
  EXPECT_THAT(server.metrics.Text(), HasSubstr("openseat_refused_total{budget=\"max_tables_per_key\"} 1\n"));
  EXPECT_EQ(Stranger(server, 3, "k-2").Open(), "open");
  EXPECT_EQ(Stranger(server, 3, "").Open(), "open");
  first.reset();
  while (server.budget.held(Holding::kTables) > 1) std::this_thread::yield();
  EXPECT_EQ(third.Open(), "open");
  EXPECT_EQ(TestClient(server.port()).Upgrade("/tables?key=wrong").status, 401);
}

TEST(ServerKeys, AConnectionCountsOnceForItsAddress) {
  BudgetLimits limits;
  limits.others.max_connections_per_address = 2;
  TestServer server(AddKeyedRoutes, {}, 1, {}, limits);
  auto first = std::make_unique<Stranger>(server, 1, "k-1");
  Stranger second(server, 1, "k-1");
  Stranger third(server, 2, "k-1");
  EXPECT_EQ(server.budget.held(Holding::kConnections), 3u);
  EXPECT_EQ(server.budget.OwnPayer()->held(Holding::kConnections), 0u);
  const auto address = server.budget.PayerOf("192.0.2.1", Instant());
  EXPECT_EQ(address->held(Holding::kConnections), 2u);
  TestClient more(server.port());
  const auto refused = more.Upgrade("/tables?key=k-1", "X-Forwarded-For: 192.0.2.1\r\n");
  EXPECT_EQ(refused.status, 429);
  EXPECT_THAT(refused.body, HasSubstr("max_connections_per_address"));
  first.reset();
  while (address->held(Holding::kConnections) > 1) std::this_thread::yield();
}

TEST(ServerKeys, TheMessagesOfAKeyCountOnAllItsConnections) {
  BudgetLimits limits;
  limits.keys.messages = {.per_second = 0.001, .burst = 3};
  TestServer server(AddKeyedRoutes, {}, 1, {}, limits);
  Stranger first(server, 1, "k-1");
  Stranger second(server, 2, "k-1");
  Stranger other(server, 2, "k-2");
  EXPECT_EQ(first.Open(), "open");
  EXPECT_EQ(first.Open(), "open");
  EXPECT_EQ(second.Open(), "open");
  second.client().Send(ClientFrame(0x81, "open"));
  const TestClient::Frame end = second.client().ReadFrame();
  EXPECT_EQ(end.code(), 1008);
  EXPECT_THAT(end.payload, HasSubstr("messages_per_second_per_key"));
  EXPECT_EQ(other.Open(), "open");
}

TEST(ServerKeys, UnfinishedMessagesOfAKeyAreCountedTogether) {
  BudgetLimits limits;
  limits.keys.max_unfinished_bytes_per_key = 150'000;
  TestServer server(AddKeyedRoutes, {}, 1, {}, limits);
  Stranger first(server, 1, "k-1");
  first.client().Send(ClientFrame(0x01, std::string(60'000, 'x')));
  while (server.budget.held(Holding::kUnfinishedBytes) < 60'000u) std::this_thread::yield();
  Stranger second(server, 2, "k-1");
  second.client().Send(ClientFrame(0x01, std::string(120'000, 'x')));
  const TestClient::Frame end = second.client().ReadFrame();
  EXPECT_EQ(end.code(), 1013);
  EXPECT_THAT(end.payload, HasSubstr("max_unfinished_bytes_per_key"));
  first.client().Send(ClientFrame(0x80, "y"));
  EXPECT_EQ(first.client().ReadFrame().payload, "open");
}

TEST(ServerKeys, ThisMachinePaysAsWithoutAKey) {
  BudgetLimits limits;
  limits.keys.max_tables_per_key = 1;
  TestServer server(AddKeyedRoutes, {}, 1, {}, limits);
  TestClient client(server.port());
  ASSERT_EQ(client.Upgrade("/tables?key=k-1").status, 101);
  EXPECT_EQ(client.ReadFrame().payload, "for key k-1");
  for (int i = 0; i < 3; ++i) {
    client.Send(ClientFrame(0x81, "open"));
    EXPECT_EQ(client.ReadFrame().payload, "open");
  }
  EXPECT_EQ(server.budget.keys(), 0u);
}

}  // namespace
}  // namespace openseat::net
