#include "net/memory_guard.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/waiting.h"
#include "net/test_client.h"
#include "net/test_server.h"

namespace openseat::net {
namespace {

using ::testing::HasSubstr;

// Keeps what it gets.
class KeepingSession final : public WebSocketSession {
 public:
  explicit KeepingSession(std::shared_ptr<Payer> payer) : kept_(std::move(payer)) {}
  void OnOpen(std::shared_ptr<WebSocket> /*socket*/) override {}
  void OnText(std::string_view message) override { kept_.Push(std::string(message), message.size()); }
  void OnBinary(std::string_view /*message*/) override {}
  void OnClosed(const Closing& closing) override { EXPECT_FALSE(closing.unfinished); }
  std::size_t waiting() const override { return kept_.count().bytes(); }

 private:
  WaitingQueue<std::string> kept_;
};

// A process whose memory is what its connections hold, and a little more.
class MemoryGuardTest : public ::testing::Test {
 protected:
  static constexpr std::uint64_t kBase = 1'000'000;
  static constexpr std::uint64_t kMax = 40'000'000;
  static constexpr std::uint64_t kMayUse = kMax - kMax / 16;      // the rest is not for strangers
  static constexpr std::uint64_t kOursMayUse = kMax - kMax / 32;  // nor this for this machine's programs
  // More than the kernel buffers of what the server sends (tcp_wmem, and a reader's buffer of set size): the rest
  // waits.
  static constexpr std::size_t kBeyondKernel = 16'000'000;

  static BudgetLimits Limits() {
    BudgetLimits limits;
    limits.max_memory = kMax;
    limits.max_unfinished_bytes = 100'000'000;
    return limits;
  }
  static void AddRoutes(Router& router) {
    router.AddWebSocket("/echo", {}, EchoFactory());
    router.AddWebSocket("/keep", {}, [](const HttpRequest& request) -> Result<std::unique_ptr<WebSocketSession>> {
      return std::make_unique<KeepingSession>(request.payer);
    });
    router.Add(Method::kPost, "/hello", {},
               [](const HttpRequest&, HttpReply reply) { std::move(reply).Send(HttpResponse::Text(200, "hello")); });
  }
  // The guard has looked when this returns.
  void StartGuard() {
    server_.On(0, [this] {
      guard_ = std::make_unique<MemoryGuard>(
          server_.shards, server_.budget, server_.metrics, [this] { return extra_ + kBase + Held(); },
          [this] { ++released_; });
      guard_->Watch(*server_.server);
    });
  }
  // One connection was.
  void AwaitCut() const {
    while (server_.metrics.Text().find("openseat_memory_cut_total 1\n") == std::string::npos) {
      std::this_thread::yield();
    }
  }
  std::uint64_t Held() const {
    return server_.budget.held(Holding::kUnfinishedBytes) + server_.budget.unread() + server_.budget.waiting();
  }
  void TearDown() override {
    server_.shards.Stop();
    guard_.reset();
  }

  std::atomic<std::uint64_t> extra_ = 0;
  std::atomic<int> released_ = 0;
  TestServer server_{AddRoutes, {.max_outbox_bytes = 2 * kBeyondKernel}, 2, {}, Limits()};
  std::unique_ptr<MemoryGuard> guard_;
};

TEST_F(MemoryGuardTest, CutsTheLargestHolderFirst) {
  TestClient small(server_.port());
  TestClient large(server_.port());
  TestClient body(server_.port());
  ASSERT_EQ(small.Upgrade("/echo").status, 101);
  ASSERT_EQ(large.Upgrade("/echo").status, 101);
  small.Send(ClientFrame(0x01, std::string(50'000, 'x')));
  large.Send(ClientFrame(0x01, std::string(600'000, 'x')));
  body.Send("POST /hello HTTP/1.1\r\nHost: x\r\nContent-Length: 500000\r\n\r\n" + std::string(400'000, 'x'));
  while (Held() < 1'050'000) std::this_thread::yield();
  StartGuard();
  extra_ = kOursMayUse - kBase - Held() + 1'000;  // a little of what is held is too much
  const TestClient::Frame close = large.ReadFrame();
  EXPECT_EQ(close.code(), 1013);
  EXPECT_THAT(close.payload, HasSubstr("max_memory"));
  EXPECT_GT(released_, 0) << "what was freed is given back before anyone is cut";
  // The others are finished and answered.
  small.Send(ClientFrame(0x80, ""));
  EXPECT_EQ(small.ReadFrame().payload.size(), 50'000u);
  body.Send(std::string(100'000, 'x'));
  EXPECT_EQ(body.ReadAnswer().status, 200);
  AwaitCut();
  EXPECT_THAT(server_.metrics.Text(), HasSubstr("openseat_memory_max_bytes 40000000\n"));
}

TEST_F(MemoryGuardTest, WhatWaitsInASessionCounts) {
  TestClient small(server_.port());
  TestClient large(server_.port());
  ASSERT_EQ(small.Upgrade("/echo").status, 101);
  ASSERT_EQ(large.Upgrade("/keep").status, 101);
  small.Send(ClientFrame(0x01, std::string(50'000, 'x')));
  large.Send(ClientFrame(0x81, std::string(100'000, 'x')));
  while (server_.budget.waiting() == 0 || Held() < server_.budget.waiting() + 50'000) std::this_thread::yield();
  StartGuard();
  extra_ = kOursMayUse - kBase - Held() + 1'000;
  const TestClient::Frame close = large.ReadFrame();
  EXPECT_EQ(close.code(), 1013);
  EXPECT_THAT(close.payload, HasSubstr("max_memory"));
  small.Send(ClientFrame(0x80, ""));
  EXPECT_EQ(small.ReadFrame().payload.size(), 50'000u);
}

TEST_F(MemoryGuardTest, ABodyIsRefusedWith503) {
  TestClient body(server_.port());
  body.Send("POST /hello HTTP/1.1\r\nHost: x\r\nContent-Length: 500000\r\n\r\n" + std::string(400'000, 'x'));
  while (Held() < 400'000) std::this_thread::yield();
  StartGuard();
  extra_ = kMax;
  const auto answer = body.ReadAnswer();
  EXPECT_EQ(answer.status, 503);
  EXPECT_THAT(answer.body, HasSubstr("max_memory"));
}

TEST_F(MemoryGuardTest, ManyAreCutAFewAtATime) {
  std::vector<std::unique_ptr<TestClient>> clients;
  for (int i = 0; i < 420; ++i) {
    clients.push_back(std::make_unique<TestClient>(server_.port()));
    clients.back()->Send("POST /hello HTTP/1.1\r\nHost: x\r\nContent-Length: 5000\r\n\r\n" + std::string(1'000, 'x'));
  }
  while (Held() < 420'000) std::this_thread::yield();
  std::size_t cut_at_once = 0;
  server_.On(0, [&] {
    std::vector<HeldMemory> held;
    server_.server->AddHeld(0, held);
    EXPECT_EQ(held.size(), 210u);
    EXPECT_EQ(held.front().address, "loopback");
    cut_at_once = server_.server->CutHolders(0, {{"loopback", 1}, {"192.0.2.1", 1}}, 20, "it is a test");
    EXPECT_EQ(server_.server->CutHolders(0, {{"192.0.2.1", 1}}, 20, "it is a test"), 0u);
  });
  EXPECT_EQ(cut_at_once, 20u);
  StartGuard();
  extra_ = kMax;  // the rest, which needs more than one turn on a shard
  for (const auto& client : clients) EXPECT_EQ(client->ReadAnswer().status, 503);
  EXPECT_EQ(server_.budget.held(Holding::kUnfinishedBytes), 0u);
}

TEST_F(MemoryGuardTest, AReaderWhoDoesNotReadIsCut) {
  TestClient reader(server_.port());
  ASSERT_EQ(reader.Upgrade("/echo").status, 101);
  const int size = 100'000;
  ASSERT_EQ(setsockopt(reader.descriptor(), SOL_SOCKET, SO_RCVBUF, &size, sizeof size), 0);
  const std::string frame = ClientFrame(0x81, std::string(60'000, 'x'));
  // The server reads all of it, and its answers wait once the kernel accepts no more.
  for (std::size_t sent = 0; sent < kBeyondKernel; sent += frame.size()) reader.Send(frame);
  while (server_.metrics.Text().find("openseat_websocket_messages_total{direction=\"in\"} " +
                                     std::to_string((kBeyondKernel - 1) / frame.size() + 1) + "\n") ==
         std::string::npos) {
    std::this_thread::yield();
  }
  ASSERT_GT(server_.budget.unread(), 0u);
  StartGuard();
  extra_ = kMayUse - kBase;  // all that is held is too much
  AwaitCut();
  EXPECT_EQ(server_.budget.unread(), 0u) << "what waited for it is given back";
  // What the kernels accepted arrives; nothing waits for a peer that does not read.
  TestClient::Frame last;
  do {
    last = reader.ReadFrame();
  } while (last.opcode == 1);
  EXPECT_EQ(last.opcode, -1);
}

}  // namespace
}  // namespace openseat::net
