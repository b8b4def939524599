// What pages of other sites may read (CORS), and whom a server trusts to say where a request comes from.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "net/test_client.h"
#include "net/test_server.h"

namespace openseat::net {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kAllowed = "Origin: http://localhost:5173\r\n";

void AddPages(Router& router) {
  router.Add(Method::kGet, "/hello", {},
             [](const HttpRequest&, HttpReply reply) { std::move(reply).Send(HttpResponse::Text(200, "hello")); });
  router.Add(Method::kPost, "/hello", {},
             [](const HttpRequest&, HttpReply reply) { std::move(reply).Send(HttpResponse::Text(201, "made")); });
  router.Add(Method::kGet, "/stream", {}, [](const HttpRequest&, HttpReply reply) {
    HttpStream stream = std::move(reply).Stream(HttpResponse::Text(200, ""));
    stream.Write("bit by bit");
  });
  router.Add(Method::kGet, "/whence", {}, [](const HttpRequest& request, HttpReply reply) {
    std::move(reply).Send(HttpResponse::Text(
        200, ClientAddress(request) + (IsLocal(request) ? " local" : "") + (request.https ? " https" : "")));
  });
  router.SetGuard([](const HttpRequest& request) -> Result<void> {
    if (request.headers.Has("X-Denied")) return Fail(ErrorCode::kDenied, "not for you");
    return {};
  });
}

void AddTrustedPages(Router& router) {
  AddPages(router);
  router.SetTrust({.origins = {"http://localhost:5173"}});
}

TestClient::Answer AskPage(const TestServer& server, const std::string& line, const std::string& headers = {}) {
  TestClient client(server.port());
  return client.Request(line + " HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n" + headers + "\r\n");
}

TEST(ServerPages, AnAllowedPageMayReadEveryAnswer) {
  TestServer server(AddTrustedPages);
  const struct {
    const char* line;
    const char* headers;
    int status;
  } kCases[] = {{"GET /hello", "", 200},   {"POST /hello", "", 201},   {"GET /stream", "", 200},
                {"GET /nothing", "", 404}, {"DELETE /hello", "", 405}, {"GET /hello", "X-Denied: x\r\n", 403}};
  for (const auto& [line, headers, status] : kCases) {
    const auto answer = AskPage(server, line, std::string(kAllowed) + headers);
    EXPECT_EQ(answer.status, status) << line;
    ASSERT_EQ(answer.headers.count("access-control-allow-origin"), 1u) << line;
    EXPECT_EQ(answer.headers.at("access-control-allow-origin"), "http://localhost:5173") << line;
    EXPECT_EQ(answer.headers.at("access-control-expose-headers"), "*") << line;
    EXPECT_EQ(answer.headers.at("vary"), "Origin") << line;
    EXPECT_EQ(answer.headers.count("access-control-allow-credentials"), 0u) << line;
  }
}

TEST(ServerPages, WhatItMayAskForIsSaidBefore) {
  TestServer server(AddTrustedPages);
  const auto answer = AskPage(server, "OPTIONS /hello",
                              std::string(kAllowed) +
                                  "Access-Control-Request-Method: POST\r\n"
                                  "Access-Control-Request-Headers: authorization,content-type\r\n");
  EXPECT_EQ(answer.status, 204);
  EXPECT_EQ(answer.headers.at("access-control-allow-origin"), "http://localhost:5173");
  EXPECT_EQ(answer.headers.at("access-control-allow-methods"), "GET, HEAD, POST, OPTIONS");
  EXPECT_EQ(answer.headers.at("access-control-allow-headers"), "authorization,content-type");
  EXPECT_EQ(answer.headers.at("access-control-max-age"), "600");
  const auto nothing =
      AskPage(server, "OPTIONS /nothing", std::string(kAllowed) + "Access-Control-Request-Method: GET\r\n");
  EXPECT_EQ(nothing.status, 404);
  EXPECT_EQ(nothing.headers.count("access-control-allow-methods"), 0u);
}

TEST(ServerPages, OtherPagesMayReadNothing) {
  TestServer server(AddTrustedPages);
  for (const char* origin : {"", "Origin: http://evil.example\r\n", "Origin: null\r\n", "Origin: http://x\r\n",
                             "Origin: http://localhost:5174\r\n", "Origin: *\r\n"}) {
    for (const char* line : {"GET /hello", "OPTIONS /hello", "GET /stream", "GET /nothing"}) {
      const auto answer = AskPage(server, line, std::string(origin) + "Access-Control-Request-Method: POST\r\n");
      EXPECT_THAT(answer.head, Not(HasSubstr("Access-Control"))) << line << " " << origin;
      EXPECT_EQ(answer.headers.at("vary"), "Origin") << "another page may";
    }
  }
  // On one connection, one after the other: what the first may do does not apply to the second.
  TestClient proxy(server.port());
  const std::string allowed = "GET /hello HTTP/1.1\r\nHost: x\r\n" + std::string(kAllowed) + "\r\n";
  EXPECT_EQ(proxy.Request(allowed).headers.count("access-control-allow-origin"), 1u);
  EXPECT_EQ(proxy.Request("GET /hello HTTP/1.1\r\nHost: x\r\n\r\n").headers.count("access-control-allow-origin"), 0u);
  EXPECT_EQ(proxy.Request("rubbish\r\n\r\n").headers.count("access-control-allow-origin"), 0u);
}

TEST(ServerPages, WithoutAllowedPagesNothingIsSaid) {
  TestServer server(AddPages);
  const auto answer = AskPage(server, "GET /hello", kAllowed);
  EXPECT_THAT(answer.head, Not(HasSubstr("Access-Control")));
  EXPECT_EQ(answer.headers.count("vary"), 0u);
}

TEST(ServerPages, AProxyHereSaysWhomItAsksFor) {
  TestServer server([](Router& router) {
    AddPages(router);
    const std::vector<std::string> proxies{"10.0.0.5"};
    router.SetTrust({.proxies = *Proxies::Parse(proxies)});
  });
  EXPECT_EQ(AskPage(server, "GET /whence").body, "127.0.0.1 local");
  EXPECT_EQ(AskPage(server, "GET /whence", "X-Real-IP: 198.51.100.1\r\n").body, "198.51.100.1");
  EXPECT_EQ(AskPage(server, "GET /whence", "X-Forwarded-For: 192.0.2.1, 198.51.100.1, 10.0.0.5\r\n").body,
            "198.51.100.1");
  EXPECT_EQ(AskPage(server, "GET /whence", "X-Forwarded-For: 192.0.2.1\r\nX-Real-IP: 198.51.100.1\r\n").body, "proxy");
  EXPECT_EQ(AskPage(server, "GET /whence", "X-Real-IP: 198.51.100.1\r\nX-Forwarded-Proto: HTTPS\r\n").body,
            "198.51.100.1 https");
  EXPECT_EQ(AskPage(server, "GET /whence", "X-Real-IP: 198.51.100.1\r\nX-Forwarded-Proto: http\r\n").body,
            "198.51.100.1");
}

}  // namespace
}  // namespace openseat::net
