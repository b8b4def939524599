#include "net/websocket_client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>

#include "net/test_client.h"
#include "net/test_server.h"

namespace openseat::net {
namespace {

// Tells what it hears through promises; sends `greetings` when it opens and closes after as many answers.
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
  void OnClosed(std::uint16_t code, std::string_view reason) override {
    heard_->ended.set_value("closed " + std::to_string(code) + " " + std::string(reason) + ": " + messages_);
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

void AddRoutes(Router& router) {
  router.AddWebSocket("/echo", {}, EchoFactory());
  router.Add(Method::kGet, "/moved", {}, [](const HttpRequest&, HttpReply reply) {
    HttpResponse response;
    response.status = 302;
    response.headers.Add("Location", "/echo");
    std::move(reply).Send(std::move(response));
  });
}

std::string Url(const TestServer& server, const std::string& path) {
  return "ws://127.0.0.1:" + std::to_string(server.port()) + path;
}

TEST(WebSocketClient, SendsReceivesAndCloses) {
  TestServer server(AddRoutes);
  EXPECT_EQ(Call(server.shards.at(0), Url(server, "/echo?a=b"), {"one", "two"}), "closed 1000 : one;two;");
}

TEST(WebSocketClient, ExplainsARefusal) {
  TestServer server(AddRoutes);
  Shard& shard = server.shards.at(0);
  EXPECT_THAT(Call(shard, Url(server, "/none"), {}),
              ::testing::AllOf(::testing::StartsWith("failed denied: the server answered 404 Not Found to ws://127"),
                               ::testing::HasSubstr("nothing is at /none")));
  EXPECT_THAT(Call(shard, Url(server, "/moved"), {}), ::testing::HasSubstr("redirects are not followed (to /echo)"));
}

TEST(WebSocketClient, ExplainsWhyThereIsNoConnection) {
  TestServer server(AddRoutes);
  Shard& shard = server.shards.at(0);
  EXPECT_THAT(Call(shard, "http://x/", {}), ::testing::StartsWith("failed invalid: "));
  EXPECT_THAT(Call(shard, "ws://127.0.0.1:1/", {}),
              ::testing::StartsWith("failed io: cannot connect to 127.0.0.1:1: Connection refused"));
}

}  // namespace
}  // namespace openseat::net
