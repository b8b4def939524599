// Refusals by the settings that are the same for all clients: each names its setting, and counts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "net/test_certificate.h"
#include "net/test_client.h"
#include "net/test_server.h"

namespace openseat::net {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;

constexpr const char* kAskHello = "GET /hello HTTP/1.1\r\nHost: x\r\n\r\n";

void AddRefusingRoutes(Router& router) {
  const auto hello = [](const HttpRequest&, HttpReply reply) {
    std::move(reply).Send(HttpResponse::Text(200, "hello"));
  };
  router.Add(Method::kGet, "/hello", {}, hello);
  router.Add(Method::kPost, "/hello", {}, hello);
  router.AddWebSocket("/echo", {}, EchoFactory());
  UpgradeOptions fixed;
  fixed.max_message_bytes = 10;
  router.AddWebSocket("/fixed", fixed, EchoFactory());
}

testing::AssertionResult HasCounted(const TestServer& server, const std::string& setting, int times) {
  const std::string line = "openseat_refused_total{budget=\"" + setting + "\"} " + std::to_string(times) + "\n";
  const std::string text = server.metrics.Text();
  if (text.find(line) != std::string::npos) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "no " << line << " in " << text;
}

TEST(ServerRefusals, OfARequestNameTheSetting) {
  ServerLimits limits;
  limits.max_header_bytes = 400;
  limits.max_body_bytes = 50;
  TestServer server(AddRefusingRoutes, limits);
  const auto ask = [&server](const std::string& bytes) {
    TestClient client(server.port());
    return client.Request(bytes);
  };
  auto answer = ask("POST /hello HTTP/1.1\r\nHost: x\r\nContent-Length: 51\r\n\r\n");
  EXPECT_EQ(answer.status, 413);
  EXPECT_THAT(answer.body, HasSubstr("the limit max_body_bytes is reached: 50 bytes"));
  EXPECT_TRUE(HasCounted(server, "max_body_bytes", 1));
  answer = ask("POST /hello HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n33\r\nabc");
  EXPECT_EQ(answer.status, 413);
  EXPECT_TRUE(HasCounted(server, "max_body_bytes", 2));

  answer = ask("GET /hello HTTP/1.1\r\nHost: x\r\nA: " + std::string(500, 'a'));
  EXPECT_EQ(answer.status, 431);
  EXPECT_THAT(answer.body, HasSubstr("the limit max_header_bytes is reached: 400 bytes"));
  answer = ask("GET /" + std::string(500, 'a'));
  EXPECT_EQ(answer.status, 414);
  EXPECT_THAT(answer.body, HasSubstr("max_header_bytes"));
  std::string blank;
  for (int i = 0; i < 400; ++i) blank += "\r\n";
  answer = ask(blank);
  EXPECT_EQ(answer.status, 431);
  EXPECT_THAT(answer.body, HasSubstr("max_header_bytes"));
  EXPECT_TRUE(HasCounted(server, "max_header_bytes", 3));
}

TEST(ServerRefusals, OfARequestThatTakesTooLongNameTheSetting) {
  ServerLimits limits;
  limits.header_timeout = milliseconds(40);
  limits.body_timeout = milliseconds(60);
  TestServer server(AddRefusingRoutes, limits);
  TestClient head(server.port());
  auto answer = head.Request("GET /hello HTTP/1.1\r\nHo");
  EXPECT_EQ(answer.status, 408);
  EXPECT_THAT(answer.body, HasSubstr("the limit header_timeout is reached: 1 seconds"));
  EXPECT_TRUE(HasCounted(server, "header_timeout", 1));
  TestClient body(server.port());
  answer = body.Request("POST /hello HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nab");
  EXPECT_EQ(answer.status, 408);
  EXPECT_THAT(answer.body, HasSubstr("the limit body_timeout is reached: 1 seconds"));
  EXPECT_TRUE(HasCounted(server, "body_timeout", 1));
}

TEST(ServerRefusals, OfAMessageNameTheSetting) {
  ServerLimits limits;
  limits.max_message_bytes = 100;
  TestServer server(AddRefusingRoutes, limits);
  const auto reason = [&server](const char* path, std::size_t size) {
    TestClient client(server.port());
    client.Upgrade(path);
    client.Send(ClientFrame(0x81, std::string(size, 'x')));
    const TestClient::Frame frame = client.ReadFrame();
    EXPECT_EQ(frame.code(), close_code::kTooBig);
    return frame.payload.substr(2);
  };
  EXPECT_EQ(reason("/echo", 101), "the limit max_message_bytes is reached: 100 bytes of one message");
  EXPECT_TRUE(HasCounted(server, "max_message_bytes", 1));
  EXPECT_EQ(reason("/fixed", 11), "a message is larger than 10 bytes") << "no setting changes that";
  EXPECT_TRUE(HasCounted(server, "max_message_bytes", 1));
}

// A second connection is one too many.
void ExpectAnswerAtTheDoor(const BudgetLimits& limits, int status, const std::string& setting) {
  TestServer server(AddRefusingRoutes, {}, 1, {}, limits);
  TestClient first(server.port());
  EXPECT_EQ(first.Request(kAskHello).status, 200);
  TestClient second(server.port());
  const auto answer = second.ReadAnswer();
  EXPECT_EQ(answer.status, status);
  EXPECT_EQ(answer.headers.at("retry-after"), "1");
  EXPECT_EQ(answer.headers.at("connection"), "close");
  EXPECT_THAT(answer.body, HasSubstr("the limit " + setting + " is reached: 1 connections"));
  EXPECT_TRUE(second.AtEnd());
  EXPECT_TRUE(HasCounted(server, setting, 1));
}

TEST(ServerRefusals, OfAConnectionAreAnswered) {
  BudgetLimits of_address;
  of_address.loopback.max_connections_per_address = 1;
  ExpectAnswerAtTheDoor(of_address, 429, "max_connections_per_address");
  BudgetLimits of_server;
  of_server.max_connections = 1;
  ExpectAnswerAtTheDoor(of_server, 503, "max_connections");
}

TEST(ServerRefusals, OfAConnectionThatWouldBeTlsHaveNoAnswer) {
  const TestCertificate certificate("DNS:localhost");
  BudgetLimits limits;
  limits.max_connections = 1;
  TestServer server(AddRefusingRoutes, {}, 1, certificate.Address(), limits);
  const TestClient first(server.port());
  TestClient second(server.port());
  EXPECT_TRUE(second.AtEnd());
  EXPECT_TRUE(HasCounted(server, "max_connections", 1));
}

}  // namespace
}  // namespace openseat::net
