#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "net/test_client.h"
#include "net/test_server.h"

namespace openseat::net {
namespace {

using ::testing::HasSubstr;

// What the session of the last connection to /watched heard, and its socket.
struct Watched {
  std::promise<std::shared_ptr<WebSocket>> opened;
  std::promise<Closing> closed;
};

class WatchedSession final : public WebSocketSession {
 public:
  explicit WatchedSession(std::shared_ptr<Watched> watched) : watched_(std::move(watched)) {}
  void OnOpen(std::shared_ptr<WebSocket> socket) override {
    socket_ = socket;
    watched_->opened.set_value(std::move(socket));
  }
  void OnText(std::string_view message) override { socket_->SendText(message); }
  void OnBinary(std::string_view message) override { socket_->SendBinary(message); }
  void OnClosed(const Closing& closing) override {
    EXPECT_EQ(socket_->SendText("too late"), SendStatus::kClosed);
    watched_->closed.set_value(closing);
  }

 private:
  std::shared_ptr<Watched> watched_;
  std::shared_ptr<WebSocket> socket_;
};

// Takes long for each message, and counts how many it gets in each turn of the loop.
class SlowSession final : public WebSocketSession {
 public:
  explicit SlowSession(std::vector<int>& turns) : turns_(turns) {}
  void OnOpen(std::shared_ptr<WebSocket> socket) override { socket_ = std::move(socket); }
  void OnText(std::string_view message) override {
    if (!std::exchange(*counting_, true)) {
      turns_.push_back(0);
      socket_->scheduler().Post([counting = counting_] { *counting = false; });
    }
    ++turns_.back();
    const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(100);
    while (std::chrono::steady_clock::now() < end) {
    }
    if (message == "last") socket_->SendText(message);
  }
  void OnBinary(std::string_view) override {}
  void OnClosed(const Closing&) override {}

 private:
  std::vector<int>& turns_;
  std::shared_ptr<WebSocket> socket_;
  std::shared_ptr<bool> counting_ = std::make_shared<bool>(false);  // this turn
};

class ServerWebSocket : public ::testing::Test {
 protected:
  void StartServer(const ServerLimits& limits = {}) {
    server_.emplace(
        [this](Router& router) {
          router.AddWebSocket("/echo", {}, EchoFactory());
          UpgradeOptions raw;
          raw.raw_text = true;
          raw.max_message_bytes = 10;
          router.AddWebSocket("/raw", raw, EchoFactory());
          UpgradeOptions ours;
          ours.subprotocols = {"v2", "v1"};
          router.AddWebSocket("/ours", ours, EchoFactory());
          UpgradeOptions any;
          any.echo_any_subprotocol = true;
          router.AddWebSocket("/any", any, EchoFactory());
          router.AddWebSocket("/refused", {}, [](const HttpRequest&) -> Result<std::unique_ptr<WebSocketSession>> {
            return Fail(ErrorCode::kConflict, "the seat is taken");
          });
          router.AddWebSocket("/watched", {}, [this](const HttpRequest&) -> Result<std::unique_ptr<WebSocketSession>> {
            return std::make_unique<WatchedSession>(watched_);
          });
          router.AddWebSocket("/slow", {}, [this](const HttpRequest&) -> Result<std::unique_ptr<WebSocketSession>> {
            return std::make_unique<SlowSession>(turns_);
          });
        },
        limits);
  }
  Closing Closed() { return watched_->closed.get_future().get(); }

  std::shared_ptr<Watched> watched_ = std::make_shared<Watched>();
  std::vector<int> turns_;
  std::optional<TestServer> server_;
};

TEST_F(ServerWebSocket, EchoesTextAndBinary) {
  StartServer();
  TestClient client(server_->port());
  const auto answer =
      client.Upgrade("/echo?x=1", "Origin: http://other\r\nSec-WebSocket-Extensions: permessage-deflate\r\n");
  ASSERT_EQ(answer.status, 101);
  EXPECT_EQ(answer.headers.at("sec-websocket-accept"), "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");  // RFC 6455, section 1.3
  EXPECT_FALSE(answer.headers.contains("sec-websocket-extensions"));
  EXPECT_FALSE(answer.headers.contains("sec-websocket-protocol"));
  client.Send(ClientFrame(0x81, "caf\xC3\xA9") + ClientFrame(0x82, "\xff"));
  auto frame = client.ReadFrame();
  EXPECT_EQ(frame.opcode, 1);
  EXPECT_TRUE(frame.fin);
  EXPECT_FALSE(frame.masked);
  EXPECT_EQ(frame.payload, "caf\xC3\xA9");
  frame = client.ReadFrame();
  EXPECT_EQ(frame.opcode, 2);
  EXPECT_EQ(frame.payload, "\xff");
}

TEST_F(ServerWebSocket, TakesMessagesThatCameWithTheHandshake) {
  StartServer();
  TestClient client(server_->port());
  client.Send(
      "GET /echo HTTP/1.1\r\nhost: x\r\nupgrade: WEBSOCKET\r\nconnection: keep-alive, upgrade\r\n"
      "sec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n" +
      ClientFrame(0x81, "early"));
  EXPECT_EQ(client.ReadAnswer().status, 101);
  EXPECT_EQ(client.ReadFrame().payload, "early");
}

TEST_F(ServerWebSocket, EchoesALargeMessageInFragments) {
  StartServer();
  TestClient client(server_->port());
  client.Upgrade("/echo");
  const std::string part(300'000, 'p');
  client.Send(ClientFrame(0x01, part) + ClientFrame(0x89, "between") + ClientFrame(0x00, part) +
              ClientFrame(0x80, part));
  const auto pong = client.ReadFrame();
  EXPECT_EQ(pong.opcode, 10);
  EXPECT_EQ(pong.payload, "between");
  EXPECT_EQ(client.ReadFrame().payload, part + part + part);
}

TEST_F(ServerWebSocket, RefusesHandshakesThatAreNone) {
  StartServer();
  const auto ask = [this](const std::string& request) {
    TestClient client(server_->port());
    return client.Request(request);
  };
  const std::string head = "GET /echo HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n";
  EXPECT_EQ(ask(head + "Sec-WebSocket-Version: 13\r\n\r\n").status, 400);
  EXPECT_EQ(ask(head + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: short\r\n\r\n").status, 400);
  const auto old = ask(head + "Sec-WebSocket-Version: 8\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n");
  EXPECT_EQ(old.status, 426);
  EXPECT_EQ(old.headers.at("sec-websocket-version"), "13");
  TestClient client(server_->port());
  const auto none = client.Upgrade("/none");
  EXPECT_EQ(none.status, 404);
  EXPECT_THAT(none.body, HasSubstr("no WebSocket is at /none; available: /echo"));
  const auto taken = client.Upgrade("/refused");
  EXPECT_EQ(taken.status, 409);
  EXPECT_THAT(taken.body, HasSubstr("the seat is taken"));
  EXPECT_EQ(client.Upgrade("/echo").status, 101);  // the refusals left the connection usable
}

TEST_F(ServerWebSocket, ChoosesASubprotocol) {
  StartServer();
  const auto chosen = [this](const std::string& path, const std::string& header) {
    TestClient client(server_->port());
    const auto answer = client.Upgrade(path, header);
    EXPECT_EQ(answer.status, 101);
    const auto at = answer.headers.find("sec-websocket-protocol");
    return at == answer.headers.end() ? std::string() : at->second;
  };
  EXPECT_EQ(chosen("/ours", "Sec-WebSocket-Protocol: v1, v2\r\n"), "v2");
  EXPECT_EQ(chosen("/ours", "Sec-WebSocket-Protocol: x\r\nSec-WebSocket-Protocol: v1\r\n"), "v1");
  EXPECT_EQ(chosen("/ours", "Sec-WebSocket-Protocol: any\r\n"), "");
  EXPECT_EQ(chosen("/any", "Sec-WebSocket-Protocol: any\r\n"), "any");
  EXPECT_EQ(chosen("/any", ""), "");
}

TEST_F(ServerWebSocket, AnswersACloseWithTheSameCode) {
  StartServer();
  TestClient client(server_->port());
  client.Upgrade("/watched");
  client.Send(ClientClose(4321, "done"));
  const auto frame = client.ReadFrame();
  EXPECT_EQ(frame.opcode, 8);
  EXPECT_EQ(frame.code(), 4321);
  EXPECT_TRUE(client.AtEnd());
  const Closing closing = Closed();
  EXPECT_EQ(closing.code, 4321);
  EXPECT_EQ(closing.reason, "done");
  EXPECT_EQ(closing.cause, Closing::Cause::kPeer);
  EXPECT_FALSE(closing.unfinished);
}

TEST_F(ServerWebSocket, AnswersACloseWithoutCode) {
  StartServer();
  TestClient client(server_->port());
  client.Upgrade("/watched");
  client.Send(ClientFrame(0x88, ""));
  EXPECT_EQ(client.ReadFrame().payload, "");
  EXPECT_EQ(Closed().code, close_code::kNone);
}

TEST_F(ServerWebSocket, TellsOfAPeerThatJustWent) {
  StartServer();
  {
    TestClient client(server_->port());
    client.Upgrade("/watched");
  }
  const Closing closing = Closed();
  EXPECT_EQ(closing.code, close_code::kAbnormal);
  EXPECT_EQ(closing.cause, Closing::Cause::kLost);
  EXPECT_FALSE(closing.unfinished);
}

TEST_F(ServerWebSocket, TellsOfAMessageThatWasNotFinished) {
  StartServer();
  const auto closing_after = [this](const std::string& bytes) {
    watched_ = std::make_shared<Watched>();
    {
      TestClient client(server_->port());
      client.Upgrade("/watched");
      client.Send(bytes);
    }
    return Closed();
  };
  const std::string whole = ClientFrame(0x81, "whole");
  const std::string fragment = ClientFrame(0x01, "unfinished");
  EXPECT_TRUE(closing_after(fragment).unfinished);
  EXPECT_TRUE(closing_after(whole.substr(0, 1)).unfinished) << "the middle of a header";
  EXPECT_TRUE(closing_after(whole.substr(0, whole.size() - 1)).unfinished);
  EXPECT_FALSE(closing_after(whole).unfinished);
  const Closing closing = closing_after(fragment + ClientClose(close_code::kNormal));
  EXPECT_EQ(closing.cause, Closing::Cause::kPeer);
  EXPECT_TRUE(closing.unfinished) << "a close frame does not finish it";
}

TEST_F(ServerWebSocket, TellsWhichRuleThePeerBroke) {
  ServerLimits limits;
  limits.max_message_bytes = 100;
  StartServer(limits);
  const auto closing_after = [this](const std::string& bytes) {
    watched_ = std::make_shared<Watched>();
    TestClient client(server_->port());
    client.Upgrade("/watched");
    client.Send(bytes);
    client.EndSending();
    return Closed();
  };
  const Closing unmasked = closing_after(ClientFrame(0x81, "x", false));
  EXPECT_EQ(unmasked.cause, Closing::Cause::kViolation);
  EXPECT_EQ(unmasked.code, close_code::kProtocolError);
  EXPECT_THAT(unmasked.reason, HasSubstr("masked"));
  const Closing big = closing_after(ClientFrame(0x81, std::string(101, 'x')));
  EXPECT_EQ(big.cause, Closing::Cause::kViolation);
  EXPECT_EQ(big.code, close_code::kTooBig);
  EXPECT_THAT(big.reason, HasSubstr("100 bytes"));
  EXPECT_EQ(closing_after(ClientClose(1)).cause, Closing::Cause::kViolation);
}

TEST_F(ServerWebSocket, ClosesAndWaitsForThePeersHalf) {
  StartServer();
  TestClient client(server_->port());
  client.Upgrade("/watched");
  const auto socket = watched_->opened.get_future().get();
  server_->On(0, [&] {
    EXPECT_EQ(socket->SendText("last"), SendStatus::kTaken);
    socket->Close(close_code::kPolicy, "go away");
    EXPECT_EQ(socket->SendText("more"), SendStatus::kClosed);
  });
  EXPECT_EQ(client.ReadFrame().payload, "last");
  const auto frame = client.ReadFrame();
  EXPECT_EQ(frame.code(), close_code::kPolicy);
  EXPECT_EQ(frame.payload.substr(2), "go away");
  client.Send(ClientFrame(0x81, "unheard") + ClientClose(close_code::kPolicy));
  EXPECT_TRUE(client.AtEnd());
  const Closing closing = Closed();
  EXPECT_EQ(closing.code, close_code::kPolicy);
  EXPECT_EQ(closing.cause, Closing::Cause::kUs);
}

TEST_F(ServerWebSocket, DoesNotWaitForEverForThePeersHalf) {
  ServerLimits limits;
  limits.close_timeout = std::chrono::milliseconds(40);
  StartServer(limits);
  TestClient client(server_->port());
  client.Upgrade("/watched");
  const auto socket = watched_->opened.get_future().get();
  server_->On(0, [&] { socket->Close(close_code::kNormal, ""); });
  EXPECT_EQ(client.ReadFrame().opcode, 8);
  const Closing closing = Closed();
  EXPECT_EQ(closing.code, close_code::kAbnormal);
  EXPECT_EQ(closing.cause, Closing::Cause::kUs);
  EXPECT_TRUE(client.AtEnd());
}

TEST_F(ServerWebSocket, AnAnswerToAnEarlierPingIsNotThePeersHalf) {
  ServerLimits limits;
  limits.close_timeout = std::chrono::milliseconds(300);
  limits.ping_interval = std::chrono::milliseconds(40);
  limits.pong_timeout = std::chrono::minutes(10);
  StartServer(limits);
  TestClient client(server_->port());
  client.Upgrade("/watched");
  const auto socket = watched_->opened.get_future().get();
  EXPECT_EQ(client.ReadFrame().opcode, 9);
  server_->On(0, [&] { socket->Close(close_code::kNormal, ""); });
  EXPECT_EQ(client.ReadFrame().opcode, 8);
  client.Send(ClientFrame(0x8a, ""));
  EXPECT_EQ(Closed().cause, Closing::Cause::kUs);
  EXPECT_TRUE(client.AtEnd());
}

TEST_F(ServerWebSocket, ClosesWithACodeThatSaysWhatWasWrong) {
  ServerLimits limits;
  limits.max_message_bytes = 100;
  StartServer(limits);
  const auto code_for = [this](const std::string& path, const std::string& bytes) {
    TestClient client(server_->port());
    EXPECT_EQ(client.Upgrade(path).status, 101);
    client.Send(bytes);
    const auto frame = client.ReadFrame();
    EXPECT_EQ(frame.opcode, 8);
    // Any further input is read and discarded, so that the close frame is not lost to a reset.
    client.Send(std::string(100'000, 'x'));
    client.EndSending();
    EXPECT_TRUE(client.AtEnd());
    return frame.code();
  };
  EXPECT_EQ(code_for("/echo", ClientFrame(0x81, "x", false)), close_code::kProtocolError);
  EXPECT_EQ(code_for("/echo", ClientFrame(0xf1, "x")), close_code::kProtocolError);
  EXPECT_EQ(code_for("/echo", ClientFrame(0x81, "\xff")), close_code::kInvalidData);
  EXPECT_EQ(code_for("/echo", ClientFrame(0x81, std::string(101, 'x'))), close_code::kTooBig);
  EXPECT_EQ(code_for("/raw", ClientFrame(0x81, std::string(11, 'x'))), close_code::kTooBig);
  std::string endless;
  for (int i = 0; i < 30; ++i) endless += ClientFrame(i == 0 ? 0x01 : 0x00, "0123456789");
  EXPECT_EQ(code_for("/echo", endless), close_code::kTooBig);
}

TEST_F(ServerWebSocket, DoesNotReadOnForEverBehindARefusedMessage) {
  ServerLimits limits;
  limits.max_message_bytes = 100;
  limits.close_timeout = std::chrono::minutes(10);
  StartServer(limits);
  TestClient client(server_->port());
  client.Upgrade("/echo");
  client.Send(ClientFrame(0x81, std::string(101, 'x')));
  EXPECT_EQ(client.ReadFrame().code(), close_code::kTooBig);
  const auto bytes_read = [this] {
    const std::string name = "openseat_websocket_bytes_total{direction=\"in\"} ";
    const std::string text = server_->metrics.Text();
    return std::stod(text.substr(text.find(name) + name.size()));
  };
  const std::string more(64u << 10, 'x');
  const auto send_more = [&] {
    return ::send(client.descriptor(), more.data(), more.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  };
  while (bytes_read() <= 256 << 10) send_more();
  while (send_more() > 0) continue;
  EXPECT_EQ(errno, EAGAIN) << "the connection is kept, so that the close frame is not lost to a reset";
  EXPECT_LT(bytes_read(), 512 << 10);
}

TEST_F(ServerWebSocket, HandsOverRawTextWhereAsked) {
  StartServer();
  TestClient client(server_->port());
  client.Upgrade("/raw");
  client.Send(ClientFrame(0x81, "\xff{}"));
  EXPECT_EQ(client.ReadFrame().payload, "\xff{}");
}

TEST_F(ServerWebSocket, ToleratesUnsolicitedPongs) {
  StartServer();
  TestClient client(server_->port());
  client.Upgrade("/echo");
  client.Send(ClientFrame(0x8a, "") + ClientFrame(0x8a, "x") + ClientFrame(0x81, "still here"));
  EXPECT_EQ(client.ReadFrame().payload, "still here");
}

TEST_F(ServerWebSocket, PingsASilentPeerAndDropsADeadOne) {
  ServerLimits limits;
  limits.ping_interval = std::chrono::milliseconds(40);
  limits.pong_timeout = std::chrono::milliseconds(80);
  StartServer(limits);
  TestClient client(server_->port());
  client.Upgrade("/watched");
  EXPECT_EQ(client.ReadFrame().opcode, 9);
  client.Send(ClientFrame(0x8a, ""));
  EXPECT_EQ(client.ReadFrame().opcode, 9);  // silent again; this one is not answered
  EXPECT_TRUE(client.AtEnd());
  const Closing closing = Closed();
  EXPECT_EQ(closing.code, close_code::kAbnormal);
  EXPECT_EQ(closing.cause, Closing::Cause::kDropped);
  EXPECT_THAT(closing.reason, HasSubstr("silent"));
}

// Its deadline passes between the message that does not fit and the end of the turn, when the session is told.
TEST_F(ServerWebSocket, ADeadPeerWhoseOutboxIsFullIsDroppedOnce) {
  ServerLimits limits;
  limits.ping_interval = std::chrono::milliseconds(40);
  limits.pong_timeout = std::chrono::milliseconds(400);
  limits.max_outbox_bytes = 1000;
  StartServer(limits);
  TestClient client(server_->port());
  client.Upgrade("/watched");
  const auto socket = watched_->opened.get_future().get();
  EXPECT_EQ(client.ReadFrame().opcode, 9);
  server_->On(0, [&] {
    socket->scheduler().After(Duration(0), [&] { socket->SendText(std::string(1001, 'm')); });
    // The look at the deadline is due in the same turn as this timer.
    std::this_thread::sleep_for(std::chrono::milliseconds(600));
  });
  EXPECT_EQ(Closed().cause, Closing::Cause::kDropped);
}

TEST_F(ServerWebSocket, DropsAReaderThatDoesNotRead) {
  ServerLimits limits;
  limits.max_outbox_bytes = 1u << 20;
  Metrics metrics;
  StartServer(limits);
  TestClient client(server_->port());
  client.Upgrade("/watched");
  const auto socket = watched_->opened.get_future().get();
  // What the kernel buffers does not count; beyond that the outbox fills over many loop turns, and then the connection
  // ends.
  const std::string message(100'000, 'm');
  SendStatus status = SendStatus::kTaken;
  for (int i = 0; i < 1000 && status == SendStatus::kTaken; ++i) {
    server_->On(0, [&] { status = socket->SendText(message); });
  }
  EXPECT_EQ(status, SendStatus::kFull);
  const Closing closing = Closed();
  EXPECT_EQ(closing.code, close_code::kAbnormal);
  EXPECT_EQ(closing.cause, Closing::Cause::kDropped);
  EXPECT_THAT(closing.reason, HasSubstr("too slowly"));
  EXPECT_THAT(closing.reason, HasSubstr("(max_outbox_bytes)"));
  EXPECT_THAT(server_->metrics.Text(), HasSubstr("openseat_refused_total{budget=\"max_outbox_bytes\"} 1\n"));
  server_->On(0, [&] { EXPECT_EQ(socket->SendText("x"), SendStatus::kClosed); });
}

TEST_F(ServerWebSocket, AFastReaderMayGetMoreThanTheOutboxInOneTurn) {
  ServerLimits limits;
  limits.max_outbox_bytes = 100'000;
  StartServer(limits);
  TestClient client(server_->port());
  client.Upgrade("/watched");
  const auto socket = watched_->opened.get_future().get();
  server_->On(0, [&] {
    for (int i = 0; i < 30; ++i) EXPECT_EQ(socket->SendText(std::string(10'000, 'm')), SendStatus::kTaken);
  });
  for (int i = 0; i < 30; ++i) EXPECT_EQ(client.ReadFrame().payload.size(), 10'000u);
}

TEST_F(ServerWebSocket, WhoseMessagesTakeLongGetsShorterTurns) {
  StartServer();
  TestClient client(server_->port());
  client.Upgrade("/slow");
  constexpr std::size_t kFrameBytes = 32;
  const std::string frame = ClientFrame(0x81, std::string(kFrameBytes - 6, 'x'));
  ASSERT_EQ(frame.size(), kFrameBytes);
  std::string flood;
  for (int i = 0; i < 1200; ++i) flood += frame;
  client.Send(flood + ClientFrame(0x81, "last"));
  EXPECT_EQ(client.ReadFrame().payload, "last");
  std::vector<int> turns;
  server_->On(0, [&] { turns = turns_; });
  // The least that is read at once is 2 KiB.
  constexpr int kShortTurn = 2048 / kFrameBytes + 1;
  const auto first_long = std::ranges::find_if(turns, [](int messages) { return messages > kShortTurn; });
  if (first_long == turns.end()) return;
  EXPECT_LE(*first_long, 16 * 1024 / static_cast<int>(kFrameBytes));
  EXPECT_TRUE(std::all_of(first_long + 1, turns.end(), [](int messages) { return messages <= kShortTurn; }));
}

// What waits for its turn goes with the shard. The connection, which only its session keeps then, ends with the server.
TEST_F(ServerWebSocket, StopsWhileMessagesWaitForTheirTurn) {
  StartServer();
  TestClient client(server_->port());
  client.Upgrade("/slow");
  std::string flood;
  for (int i = 0; i < 10'000; ++i) flood += ClientFrame(0x81, "slow");
  client.Send(flood);
  // While anything is posted, those who usually take long turns wait for most of the time.
  Shard& shard = server_->shards.at(0);
  std::function<void()> post = [&] { shard.Post(post); };
  post();
  std::size_t turns = 0;
  while (turns < 3) server_->On(0, [&] { turns = turns_.size(); });
  server_.reset();
  EXPECT_EQ(client.ReadFrame().opcode, -1);
}

TEST_F(ServerWebSocket, AMessageLargerThanTheOutboxIsRefused) {
  ServerLimits limits;
  limits.max_outbox_bytes = 1000;
  StartServer(limits);
  TestClient client(server_->port());
  client.Upgrade("/watched");
  const auto socket = watched_->opened.get_future().get();
  server_->On(0, [&] { EXPECT_EQ(socket->SendText(std::string(1001, 'm')), SendStatus::kFull); });
  EXPECT_EQ(Closed().code, close_code::kAbnormal);
}

TEST_F(ServerWebSocket, KnowsWhereItLives) {
  StartServer();
  TestClient client(server_->port());
  client.Upgrade("/watched");
  const auto socket = watched_->opened.get_future().get();
  EXPECT_EQ(socket->peer(), "127.0.0.1");
  EXPECT_NE(socket->id(), 0u);
  server_->On(0, [&] { EXPECT_EQ(&socket->scheduler(), &server_->shards.at(0)); });
}

}  // namespace
}  // namespace openseat::net
