#include <gtest/gtest.h>

#include <future>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "net/test_client.h"
#include "net/test_server.h"

namespace openseat::net {
namespace {

void AddHttpRoutes(Router& router) {
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
  TestServer server(AddHttpRoutes);
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
  TestServer server(AddHttpRoutes);
  TestClient client(server.port());
  const auto answer = client.Request("GET /show/a%2Fb%20c/x?p=1&q=%C3%A9+z HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(answer.body, "a/b c|/show/a/b c/x|\xC3\xA9 z|127.0.0.1");
}

TEST(ServerHttp, AnswersPipelinedRequestsInOrder) {
  // Every other handler answers later, from another thread.
  std::vector<std::thread> threads;
  {
    TestServer server([&](Router& router) {
      router.Add(Method::kGet, "/now/:n", {}, [](const HttpRequest& request, HttpReply reply) {
        std::move(reply).Send(HttpResponse::Text(200, std::string(request.Param("n"))));
      });
      router.Add(Method::kGet, "/later/:n", {}, [&](const HttpRequest& request, HttpReply reply) {
        threads.emplace_back([kept = std::move(reply), n = std::string(request.Param("n"))]() mutable {
          std::move(kept).Send(HttpResponse::Text(200, n));
        });
      });
    });
    TestClient client(server.port());
    std::string requests;
    for (int i = 0; i < 200; ++i) {
      requests +=
          std::string("GET ") + (i % 2 == 0 ? "/now/" : "/later/") + std::to_string(i) + " HTTP/1.1\r\nHost: x\r\n\r\n";
    }
    client.Send(requests);
    for (int i = 0; i < 200; ++i) EXPECT_EQ(client.ReadAnswer().body, std::to_string(i));
    for (std::thread& thread : threads) thread.join();
  }
}

TEST(ServerHttp, ReadsBodiesOfBothKinds) {
  TestServer server(AddHttpRoutes);
  TestClient client(server.port());
  const std::string body(3u << 20, 'b');
  EXPECT_EQ(client
                .Request("POST /length HTTP/1.1\r\nHost: x\r\nContent-Length: " + std::to_string(body.size()) +
                         "\r\n\r\n" + body)
                .body,
            std::to_string(body.size()));
  EXPECT_EQ(client
                .Request("POST /length HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
                         "5\r\nabcde\r\n6\r\nfghijk\r\n0\r\n\r\n")
                .body,
            "11");
}

TEST(ServerHttp, HeadHasTheHeadersOfGet) {
  TestServer server(AddHttpRoutes);
  TestClient client(server.port());
  const auto answer = client.Request("HEAD /hello HTTP/1.1\r\nHost: x\r\n\r\n", true);
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.headers.at("content-length"), "5");
  EXPECT_EQ(client.Request("GET /hello HTTP/1.1\r\nHost: x\r\n\r\n").body, "hello");  // nothing was left between
}

TEST(ServerHttp, SaysWhichMethodsThereAre) {
  TestServer server(AddHttpRoutes);
  TestClient client(server.port());
  auto answer = client.Request("OPTIONS /hello HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(answer.status, 204);
  EXPECT_EQ(answer.headers.at("allow"), "GET, HEAD, OPTIONS");
  answer = client.Request("OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(answer.status, 204);
  answer = client.Request("DELETE /hello HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(answer.status, 405);
  EXPECT_EQ(answer.headers.at("allow"), "GET, HEAD, OPTIONS");
}

TEST(ServerHttp, ExplainsErrorsInJson) {
  TestServer server(AddHttpRoutes);
  TestClient client(server.port());
  const auto missing = client.Request("GET /nope HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(missing.status, 404);
  EXPECT_EQ(missing.headers.at("content-type"), "application/json");
  EXPECT_EQ(missing.body, R"({"error":{"code":"not-found","message":"nothing is at /nope"}})");
  const auto plain = client.Request("GET /echo HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(plain.status, 426);
  EXPECT_EQ(plain.headers.at("upgrade"), "websocket");
  // After unreadable input the connection ends, but the answer is sent first.
  const auto broken = client.Request("nonsense\r\n\r\n");
  EXPECT_EQ(broken.status, 400);
  EXPECT_EQ(broken.headers.at("connection"), "close");
  EXPECT_TRUE(client.AtEnd());
}

TEST(ServerHttp, AsksForTheBodyOnlyWhereItWillTakeIt) {
  ServerLimits limits;
  limits.max_body_bytes = 10;
  TestServer server(AddHttpRoutes, limits);
  TestClient client(server.port());
  client.Send("POST /length HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n");
  EXPECT_EQ(client.ReadUntil("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
  EXPECT_EQ(client.Request("abc").body, "3");
  const auto refused =
      client.Request("POST /length HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 11\r\n\r\n");
  EXPECT_EQ(refused.status, 413);
}

TEST(ServerHttp, ARefusedUploadStillGetsItsAnswer) {
  ServerLimits limits;
  limits.max_body_bytes = 10;
  TestServer server(AddHttpRoutes, limits);
  TestClient client(server.port());
  const auto answer = client.Request("POST /length HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n" +
                                     std::string(1'000'000, 'x'));
  EXPECT_EQ(answer.status, 413);
  client.EndSending();
  EXPECT_TRUE(client.AtEnd());
}

TEST(ServerHttp, EndsWhenTheClientAsksForIt) {
  TestServer server(AddHttpRoutes);
  TestClient closing(server.port());
  EXPECT_EQ(closing.Request("GET /hello HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").headers.at("connection"),
            "close");
  EXPECT_TRUE(closing.AtEnd());
  TestClient old(server.port());
  EXPECT_EQ(old.Request("GET /hello HTTP/1.0\r\n\r\n").body, "hello");
  EXPECT_TRUE(old.AtEnd());
  TestClient old_and_kept(server.port());
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(old_and_kept.Request("GET /hello HTTP/1.0\r\nConnection: keep-alive\r\n\r\n").headers.at("connection"),
              "keep-alive");
  }
}

TEST(ServerHttp, AnswersAClientThatHasEndedItsSide) {
  TestServer server(AddHttpRoutes);
  TestClient client(server.port());
  client.Send("GET /hello HTTP/1.1\r\nHost: x\r\n\r\nGET /hello HTTP/1.1\r\nHost: x\r\n\r\n");
  client.EndSending();
  EXPECT_EQ(client.ReadAnswer().body, "hello");
  EXPECT_EQ(client.ReadAnswer().body, "hello");
  EXPECT_TRUE(client.AtEnd());
}

TEST(ServerHttp, ADroppedReplyIs500) {
  TestServer server(
      [](Router& router) { router.Add(Method::kGet, "/drop", {}, [](const HttpRequest&, HttpReply) {}); });
  TestClient client(server.port());
  const auto answer = client.Request("GET /drop HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(answer.status, 500);
  EXPECT_FALSE(answer.headers.contains("retry-after"));
}

TEST(ServerHttp, WhatMayPassSaysWhenToAskAgain) {
  for (const ErrorCode code : {ErrorCode::kIo, ErrorCode::kBusy}) {
    const HttpResponse response = HttpResponse::FromError({code, "the disk is full", {}});
    EXPECT_EQ(response.status, code == ErrorCode::kIo ? 503 : 429);
    EXPECT_EQ(response.headers.Get("Retry-After"), "1");
    const Error later{code, "the disk is full", {}, std::chrono::seconds(60)};
    EXPECT_EQ(HttpResponse::FromError(later).headers.Get("Retry-After"), "60");
  }
  EXPECT_FALSE(HttpResponse::FromError({ErrorCode::kInvalid, "no", {}}).headers.Has("Retry-After"));
}

TEST(ServerHttp, AReplyMayOutliveItsConnection) {
  std::promise<HttpReply> kept;
  TestServer server([&](Router& router) {
    router.Add(Method::kGet, "/keep", {},
               [&](const HttpRequest&, HttpReply reply) { kept.set_value(std::move(reply)); });
  });
  auto client = std::make_unique<TestClient>(server.port());
  client->Send("GET /keep HTTP/1.1\r\nHost: x\r\n\r\n");
  HttpReply reply = kept.get_future().get();
  client.reset();
  std::move(reply).Send(HttpResponse::Text(200, "too late"));
  TestClient other(server.port());
  EXPECT_EQ(other.Request("GET /none HTTP/1.1\r\nHost: x\r\n\r\n").status, 404);
}

TEST(ServerHttp, TheRequestStaysValidAfterTheAnswer) {
  std::promise<std::string> seen;
  TestServer server([&](Router& router) {
    router.Add(Method::kPost, "/x", {}, [&](const HttpRequest& request, HttpReply reply) {
      std::move(reply).Send(HttpResponse::Text(200, ""));
      seen.set_value(request.path + request.body);
    });
  });
  TestClient client(server.port());
  client.Request("POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\nb");
  EXPECT_EQ(seen.get_future().get(), "/xb");
}

TEST(ServerHttp, TheGuardComesFirst) {
  TestServer server([](Router& router) {
    AddHttpRoutes(router);
    router.SetGuard([](const HttpRequest& request) -> Result<void> {
      if (request.headers.Get("Key") == "right") return {};
      return Fail(ErrorCode::kDenied, "the key is wrong");
    });
  });
  TestClient client(server.port());
  EXPECT_EQ(client.Request("GET /hello HTTP/1.1\r\nHost: x\r\n\r\n").status, 403);
  EXPECT_EQ(client.Upgrade("/echo").status, 403);
  EXPECT_EQ(client.Upgrade("/echo", "Key: right\r\n").status, 101);
}

// What a proxy, or a check of the Host, might read differently than we do.
TEST(ServerHttp, TheHostOfAnAbsoluteTargetCounts) {
  TestServer server([](Router& router) {
    router.Add(Method::kGet, "/host", {}, [](const HttpRequest& request, HttpReply reply) {
      std::move(reply).Send(HttpResponse::Text(200, std::string(request.headers.Get("Host")) + " " + request.path));
    });
  });
  const auto ask = [&](const std::string& target) {
    return TestClient(server.port()).Request("GET " + target + " HTTP/1.1\r\nHost: 127.0.0.1:8000\r\n\r\n");
  };
  EXPECT_EQ(ask("/host").body, "127.0.0.1:8000 /host");
  EXPECT_EQ(ask("http://evil.example:80/host").body, "evil.example:80 /host");
  EXPECT_EQ(ask("http:///host").status, 400);
}

TEST(ServerHttp, ARefusalSaysHowItIsOvercome) {
  TestServer server([](Router& router) {
    AddHttpRoutes(router);
    router.SetErrors("/echo", [](int status, std::string_view) { return HttpResponse::Text(status, "own words"); });
    router.SetGuard([](const HttpRequest& request) -> Result<void> {
      return Fail(request.headers.Has("Key") ? ErrorCode::kBusy : ErrorCode::kUnauthorized, "no");
    });
  });
  TestClient client(server.port());
  EXPECT_EQ(client.Request("GET /hello HTTP/1.1\r\nHost: x\r\n\r\n").status, 401);
  const TestClient::Answer answer = client.Upgrade("/echo");
  EXPECT_EQ(answer.status, 401);
  EXPECT_EQ(answer.body, "own words");
  EXPECT_EQ(answer.headers.at("www-authenticate"), "Bearer realm=\"openseat\"");
  EXPECT_EQ(client.Upgrade("/echo", "Key: x\r\n").headers.at("retry-after"), "1");
}

TEST(ServerHttp, SendsLargeSharedBodies) {
  const auto body = std::make_shared<const std::string>(5u << 20, 'z');
  TestServer server([&](Router& router) {
    router.Add(Method::kGet, "/big", {}, [body](const HttpRequest&, HttpReply reply) {
      HttpResponse response = HttpResponse::Text(200, "");
      response.shared_body = body;
      std::move(reply).Send(std::move(response));
    });
  });
  TestClient client(server.port());
  client.Send(
      "GET /big HTTP/1.1\r\nHost: x\r\n\r\nHEAD /big HTTP/1.1\r\nHost: x\r\n\r\nGET /none HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(client.ReadAnswer().body, *body);
  EXPECT_EQ(client.ReadAnswer(true).headers.at("content-length"), std::to_string(body->size()));
  EXPECT_EQ(client.ReadAnswer().status, 404);
}

}  // namespace
}  // namespace openseat::net
