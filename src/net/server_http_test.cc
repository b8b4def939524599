#include <gtest/gtest.h>

#include <thread>

#include "net/test_client.h"
#include "net/test_server.h"

namespace openseat::net {
namespace {

using std::chrono::milliseconds;

void AddRoutes(Router& router) {
  router.Add(Method::kGet, "/hello", {},
             [](const HttpRequest&, HttpReply reply) { std::move(reply).Send(HttpResponse::Text(200, "hello")); });
  router.Add(Method::kPost, "/length", {}, [](const HttpRequest& request, HttpReply reply) {
    std::move(reply).Send(HttpResponse::Text(200, std::to_string(request.body.size())));
  });
  router.Add(Method::kGet, "/show/:name/x", {}, [](const HttpRequest& request, HttpReply reply) {
    const std::string* q = request.Query("q");
    std::move(reply).Send(HttpResponse::Text(200, std::string(request.Param("name")) + "|" + request.path + "|" +
                                                      (q != nullptr ? *q : "-") + "|" + request.peer));
  });
  router.AddWebSocket("/echo", {}, EchoFactory());
}

TEST(ServerHttp, AnswersAndKeepsTheConnection) {
  TestServer server(AddRoutes);
  TestClient client(server.port());
  for (int i = 0; i < 3; ++i) {
    const auto answer = client.Request("GET /hello HTTP/1.1\r\nHost: x\r\n\r\n");
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(answer.body, "hello");
    EXPECT_EQ(answer.headers.at("content-type"), "text/plain; charset=utf-8");
    EXPECT_EQ(answer.headers.at("x-content-type-options"), "nosniff");
    EXPECT_TRUE(answer.headers.contains("date"));
    EXPECT_FALSE(answer.headers.contains("connection"));
  }
}

TEST(ServerHttp, DecodesPathQueryAndParameters) {
  TestServer server(AddRoutes);
  TestClient client(server.port());
  const auto answer = client.Request("GET /show/a%2Fb%20c/x?p=1&q=%C3%A9+z HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(answer.body, "a/b c|/show/a/b c/x|\xC3\xA9 z|127.0.0.1");
}

TEST(ServerHttp, EchoesAMessage) {
  TestServer server(AddRoutes);
  TestClient client(server.port());
  const auto answer = client.Upgrade("/echo");
  EXPECT_EQ(answer.status, 101);
  EXPECT_EQ(answer.headers.at("sec-websocket-accept"), "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
  client.Send(ClientFrame(0x81, "hello"));
  const auto frame = client.ReadFrame();
  EXPECT_EQ(frame.opcode, 1);
  EXPECT_FALSE(frame.masked);
  EXPECT_EQ(frame.payload, "hello");
}

}  // namespace
}  // namespace openseat::net
