#include "net/websocket_client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <memory>
#include <string>
#include <vector>

#include "net/connection.h"
#include "net/shard_impl.h"
#include "net/test_client.h"
#include "net/test_server.h"

namespace openseat::net {
namespace {

// Reports what it hears through promises; sends `greetings` when it opens and closes after as many answers.
struct Heard {
  std::promise<std::string> ended;  // "closed CODE REASON: MESSAGES" or "failed CODE: MESSAGE"
};

class Caller final : public WebSocketSession {
 public:
  Caller(std::shared_ptr<Heard> heard, std::vector<std::string> greetings)
      : heard_(std::move(heard)), greetings_(std::move(greetings)) {}
  void OnOpen(std::shared_ptr<WebSocket> socket) override {
    socket_ = std::move(socket);
    for (const std::string& each : greetings_) socket_->SendText(each);
  }
  void OnText(std::string_view message) override {
    messages_ += message;
    messages_ += ';';
    if (++count_ == greetings_.size()) socket_->Close(close_code::kNormal, "enough");
  }
  void OnBinary(std::string_view /*message*/) override {}
  void OnClosed(const Closing& closing) override {
    heard_->ended.set_value("closed " + std::to_string(closing.code) + " " + closing.reason + ": " + messages_);
  }

 private:
  std::shared_ptr<Heard> heard_;
  std::vector<std::string> greetings_;
  std::shared_ptr<WebSocket> socket_;
  std::string messages_;
  std::size_t count_ = 0;
};

std::string Call(Shard& shard, const std::string& url, std::vector<std::string> greetings,
                 const WebSocketClientOptions& options = {}) {
  auto heard = std::make_shared<Heard>();
  auto ended = heard->ended.get_future();
  shard.Post([&shard, url, options, heard, greetings = std::move(greetings)] {
    ConnectWebSocket(shard, url, options, std::make_unique<Caller>(heard, greetings), [heard](const Error& error) {
      heard->ended.set_value("failed " + std::string(ErrorCodeName(error.code)) + ": " + error.message);
    });
  });
  return ended.get();
}

void AddClientRoutes(Router& router) {
  router.AddWebSocket("/echo", {}, EchoFactory());
  router.Add(Method::kGet, "/moved", {}, [](const HttpRequest&, HttpReply reply) {
    HttpResponse response;
    response.status = 302;
    response.headers.Add("Location", "/echo");
    std::move(reply).Send(std::move(response));
  });
  router.Add(Method::kGet, "/keyed", {}, [](const HttpRequest&, HttpReply reply) {
    HttpResponse response;
    response.status = 302;
    response.headers.Add("Location", "/echo?key=s3cret");
    std::move(reply).Send(std::move(response));
  });
}

std::string Url(const TestServer& server, const std::string& path) {
  return "ws://127.0.0.1:" + std::to_string(server.port()) + path;
}

TEST(WebSocketClient, SendsReceivesAndCloses) {
  TestServer server(AddClientRoutes);
  EXPECT_EQ(Call(server.shards.at(0), Url(server, "/echo?a=b"), {"one", "two"}), "closed 1000 : one;two;");
}

TEST(WebSocketClient, ExplainsARefusal) {
  TestServer server(AddClientRoutes);
  Shard& shard = server.shards.at(0);
  EXPECT_THAT(Call(shard, Url(server, "/none"), {}),
              ::testing::AllOf(::testing::StartsWith("failed denied: the server answered 404 Not Found to ws://127"),
                               ::testing::HasSubstr("no WebSocket is at /none")));
  EXPECT_THAT(Call(shard, Url(server, "/moved"), {}), ::testing::HasSubstr("redirects are not followed (to /echo)"));
}

// It may contain a key, and errors of failed connections are logged.
TEST(WebSocketClient, NamesNoQuery) {
  TestServer server(AddClientRoutes);
  Shard& shard = server.shards.at(0);
  EXPECT_THAT(Call(shard, Url(server, "/none?key=s3cret"), {}),
              ::testing::AllOf(::testing::HasSubstr("/none"), ::testing::Not(::testing::HasSubstr("s3cret"))));
  EXPECT_THAT(Call(shard, Url(server, "/keyed"), {}),
              ::testing::AllOf(::testing::HasSubstr("(to /echo)"), ::testing::Not(::testing::HasSubstr("s3cret"))));
}

TEST(WebSocketClient, ExplainsWhyThereIsNoConnection) {
  TestServer server(AddClientRoutes);
  Shard& shard = server.shards.at(0);
  EXPECT_THAT(Call(shard, "http://x/", {}), ::testing::StartsWith("failed invalid: "));
  EXPECT_THAT(Call(shard, "ws://127.0.0.1:1/", {}),
              ::testing::StartsWith("failed io: cannot connect to 127.0.0.1:1: Connection refused"));
}

// The test's listener thread plays the server; Begin starts a client that connects to it.
class WebSocketClientAgainstListener : public ::testing::Test {
 protected:
  WebSocketClientAgainstListener() : shards_(1) { shards_.Start(); }

  void Begin(const std::vector<std::string>& greetings = {}, const WebSocketClientOptions& options = {}) {
    ended_ = heard_->ended.get_future();
    Shard& shard = shards_.at(0);
    shard.Post([this, &shard, greetings, options] {
      ConnectWebSocket(
          shard, "ws://127.0.0.1:" + std::to_string(listener_.port()) + "/path?q=%20", options,
          std::make_unique<Caller>(heard_, greetings), [this](const Error& error) {
            heard_->ended.set_value("failed " + std::string(ErrorCodeName(error.code)) + ": " + error.message);
          });
    });
  }
  std::string Ended() { return ended_.get(); }

  TestListener listener_;
  std::shared_ptr<Heard> heard_ = std::make_shared<Heard>();
  std::future<std::string> ended_;
  Shards shards_;
};

TEST_F(WebSocketClientAgainstListener, AsksAsItShouldAndMasks) {
  WebSocketClientOptions options;
  options.headers.Add("Authorization", "Bearer x\r\nInjected: y");
  options.subprotocols = {"a", "b"};
  Begin({"hello", std::string(200, 'm')}, options);
  const auto server = listener_.Accept();
  const std::string request = server->AnswerUpgrade();
  EXPECT_TRUE(request.starts_with("GET /path?q=%20 HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(listener_.port()) +
                                  "\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"));
  EXPECT_THAT(request, ::testing::HasSubstr("Sec-WebSocket-Protocol: a, b\r\n"));
  EXPECT_THAT(request, ::testing::HasSubstr("Authorization: Bearer x  Injected: y\r\n"));
  auto frame = server->ReadFrame();
  EXPECT_TRUE(frame.masked);
  EXPECT_EQ(frame.payload, "hello");
  EXPECT_EQ(server->ReadFrame().payload, std::string(200, 'm'));
  server->Send(ClientFrame(0x89, "p", false));
  frame = server->ReadFrame();
  EXPECT_EQ(frame.opcode, 10);
  EXPECT_TRUE(frame.masked);
  server->Send(ClientFrame(0x88, "\x03\xe9", false));
  frame = server->ReadFrame();
  EXPECT_EQ(frame.code(), 1001);
  EXPECT_TRUE(frame.masked);
  EXPECT_TRUE(server->AtEnd());
  EXPECT_EQ(Ended(), "closed 1001 : ");
}

TEST_F(WebSocketClientAgainstListener, TakesMessagesThatCameWithTheAnswer) {
  Begin({"x"});
  const auto server = listener_.Accept();
  server->AnswerUpgrade(ClientFrame(0x81, "early", false));
  EXPECT_EQ(server->ReadFrame().payload, "x");
  EXPECT_EQ(server->ReadFrame().code(), 1000);
  server->Send(ClientFrame(0x88, "\x03\xe8", false));
  EXPECT_EQ(Ended(), "closed 1000 : early;");
}

TEST_F(WebSocketClientAgainstListener, RefusesAMaskedServer) {
  Begin();
  const auto server = listener_.Accept();
  server->AnswerUpgrade();
  server->Send(ClientFrame(0x81, "x", true));
  EXPECT_EQ(server->ReadFrame().code(), close_code::kProtocolError);
  EXPECT_THAT(Ended(), ::testing::StartsWith("closed 1002"));
}

TEST_F(WebSocketClientAgainstListener, BelievesOnlyARealHandshake) {
  for (const char* answer : {"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n",
                             "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                             "Sec-WebSocket-Accept: AAAAAAAAAAAAAAAAAAAAAAAAAAA=\r\n\r\n"}) {
    heard_ = std::make_shared<Heard>();
    Begin();
    const auto server = listener_.Accept();
    server->ReadUntil("\r\n\r\n");
    server->Send(answer);
    EXPECT_THAT(Ended(), ::testing::EndsWith("is not a WebSocket handshake"));
  }
}

TEST_F(WebSocketClientAgainstListener, ExplainsAnEndBeforeTheAnswer) {
  Begin();
  auto server = listener_.Accept();
  server->ReadUntil("\r\n\r\n");
  server.reset();
  EXPECT_THAT(Ended(), ::testing::AllOf(::testing::StartsWith("failed io: "),
                                        ::testing::EndsWith("closed the connection without an answer")));
}

TEST_F(WebSocketClientAgainstListener, ExplainsAnAnswerThatIsNoHttp) {
  Begin();
  const auto server = listener_.Accept();
  server->Send("220 smtp.example ESMTP\r\n");
  EXPECT_THAT(Ended(), ::testing::HasSubstr("did not answer in HTTP"));
}

TEST_F(WebSocketClientAgainstListener, GivesUpWhenNoAnswerComes) {
  WebSocketClientOptions options;
  options.connect_timeout = std::chrono::milliseconds(30);
  Begin({}, options);
  const auto server = listener_.Accept();
  EXPECT_THAT(Ended(), ::testing::AllOf(::testing::StartsWith("failed timeout: "),
                                        ::testing::EndsWith("the server did not answer in time")));
}

TEST_F(WebSocketClientAgainstListener, EndsIfItIsCutBeforeItBegins) {
  ended_ = heard_->ended.get_future();
  shards_.at(0).Post([this] {
    auto& shard = static_cast<ShardImpl&>(shards_.at(0));
    ConnectWebSocket(shard, "ws://127.0.0.1:1/", {}, std::make_unique<Caller>(heard_, std::vector<std::string>()),
                     [this](const Error& error) { heard_->ended.set_value(error.message); });
    shard.clients().CutAll("the test says so");
  });
  EXPECT_THAT(Ended(), ::testing::HasSubstr("the test says so"));
  // What was posted runs before the shards stop.
  std::promise<void> ran;
  shards_.at(0).Post([&] { ran.set_value(); });
  ran.get_future().wait();
}

TEST_F(WebSocketClientAgainstListener, EndsWhenTheShardsStop) {
  Begin();
  const auto server = listener_.Accept();
  server->ReadUntil("\r\n\r\n");
  shards_.Stop();
  EXPECT_THAT(Ended(), ::testing::StartsWith("failed closed: "));
}

TEST_F(WebSocketClientAgainstListener, TellsAnOpenSessionWhenTheShardsStop) {
  Begin({"x"});
  const auto server = listener_.Accept();
  server->AnswerUpgrade();
  EXPECT_EQ(server->ReadFrame().payload, "x");
  shards_.Stop();
  EXPECT_THAT(Ended(), ::testing::StartsWith("closed 1006"));
}

}  // namespace
}  // namespace openseat::net
