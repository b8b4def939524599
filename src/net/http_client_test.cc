#include "net/http_client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <future>
#include <memory>
#include <optional>
#include <thread>

#include "net/test_certificate.h"
#include "net/test_client.h"
#include "net/test_server.h"

namespace openseat::net {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

void AddRoutes(Router& router) {
  router.Add(Method::kGet, "/hello", {}, [](const HttpRequest& request, HttpReply reply) {
    HttpResponse response = HttpResponse::Text(200, "hello " + std::string(request.headers.Get("X-Name")));
    response.headers.Add("X-Mark", "one");
    std::move(reply).Send(std::move(response));
  });
  router.Add(Method::kPost, "/echo", {}, [](const HttpRequest& request, HttpReply reply) {
    std::move(reply).Send(
        HttpResponse::Text(201, std::string(request.headers.Get("Content-Type")) + "|" + request.body));
  });
  router.Add(Method::kPut, "/echo", {}, [](const HttpRequest& request, HttpReply reply) {
    std::move(reply).Send(HttpResponse::Text(200, "put " + request.body));
  });
  router.Add(Method::kGet, "/large", {}, [](const HttpRequest&, HttpReply reply) {
    std::move(reply).Send(HttpResponse::Text(200, std::string(100'000, 'x')));
  });
  router.Add(Method::kGet, "/way/:a/:b", {}, [](const HttpRequest& request, HttpReply reply) {
    std::move(reply).Send(HttpResponse::Text(200, request.target));
  });
  const auto redirect = [](std::string to) {
    return [to = std::move(to)](const HttpRequest&, HttpReply reply) {
      HttpResponse response = HttpResponse::Text(302, "");
      response.headers.Add("Location", to);
      std::move(reply).Send(std::move(response));
    };
  };
  router.Add(Method::kGet, "/moved", {}, redirect("/hello"));
  router.Add(Method::kGet, "/round", {}, redirect("/round"));
  router.Add(Method::kGet, "/to-a-file", {}, redirect("file:///etc/passwd"));
}

// A server and, on the same shard, the client.
class HttpClientTest : public ::testing::Test {
 protected:
  std::string Url(const std::string& path) const { return "http://127.0.0.1:" + std::to_string(server_.port()) + path; }

  Result<HttpResponse> Do(HttpCall call) {
    std::promise<Result<HttpResponse>> answer;
    Shard& shard = server_.shards.at(0);
    shard.Post([&] {
      clients_.Call(shard, std::move(call),
                    [&](Result<HttpResponse> response) { answer.set_value(std::move(response)); });
    });
    return answer.get_future().get();
  }
  Result<HttpResponse> Get(const std::string& url) {
    HttpCall call;
    call.url = url;
    return Do(std::move(call));
  }

  // The clients are destroyed when the shards have stopped.
  void TearDown() override { server_.shards.Stop(); }

  TestServer server_{AddRoutes};
  HttpClients clients_{server_.shards};
};

TEST_F(HttpClientTest, GetsWithHeadersBothWays) {
  HttpCall call;
  call.url = Url("/hello?x=1");
  call.headers.Add("X-Name", "Ana");
  const auto response = Do(std::move(call));
  ASSERT_TRUE(response) << response.error().message;
  EXPECT_EQ(response->status, 200);
  EXPECT_EQ(response->body, "hello Ana");
  EXPECT_EQ(response->headers.Get("x-mark"), "one");
}

TEST_F(HttpClientTest, APathIsSentAsItIs) {
  const auto response = Get(Url("/way/../hello?x=1"));
  ASSERT_TRUE(response) << response.error().message;
  EXPECT_EQ(response->body, "/way/../hello?x=1");
}

TEST_F(HttpClientTest, SendsBodies) {
  HttpCall call;
  call.method = Method::kPost;
  call.url = Url("/echo");
  call.headers.Add("Content-Type", "application/json");
  call.body = std::string(200'000, 'b');
  auto response = Do(call);
  ASSERT_TRUE(response) << response.error().message;
  EXPECT_EQ(response->status, 201);
  EXPECT_EQ(response->body, "application/json|" + call.body);
  call.body.clear();
  call.headers = {};
  EXPECT_EQ(Do(call)->body, "|") << "no body is no form";
  call.method = Method::kPut;
  call.body = "it";
  EXPECT_EQ(Do(call)->body, "put it");
}

TEST_F(HttpClientTest, AnErrorStatusIsAnAnswer) {
  const auto response = Get(Url("/nothing-here"));
  ASSERT_TRUE(response);
  EXPECT_EQ(response->status, 404);
}

TEST_F(HttpClientTest, GivesABodyAsItArrives) {
  HttpCall call;
  call.url = Url("/large");
  std::string body;
  std::size_t pieces = 0;
  call.on_body = [&](std::string_view piece) {
    body += piece;
    ++pieces;
  };
  auto response = Do(call);
  ASSERT_TRUE(response) << response.error().message;
  EXPECT_EQ(body, std::string(100'000, 'x'));
  EXPECT_GT(pieces, 1u);
  EXPECT_EQ(response->body, "");
  call.max_body_bytes = 50'000;
  body.clear();
  EXPECT_EQ(Do(call).error().code, ErrorCode::kTooLarge);
  EXPECT_LE(body.size(), 50'000u);
  body.clear();
  call.url = Url("/nothing-here");
  response = Do(call);
  ASSERT_TRUE(response);
  EXPECT_EQ(body, "") << "an error is no part of the stream";
  EXPECT_NE(response->body, "");
}

TEST_F(HttpClientTest, KeepsConnections) {
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(Get(Url("/hello")));
  EXPECT_EQ(server_.server->connections(), 1u);
}

TEST_F(HttpClientTest, ManyAtOnce) {
  constexpr int kCalls = 100;
  std::promise<int> all;
  int ok = 0;
  int over = 0;
  Shard& shard = server_.shards.at(0);
  shard.Post([&] {
    for (int i = 0; i < kCalls; ++i) {
      HttpCall call;
      call.url = Url("/hello");
      clients_.Call(shard, std::move(call), [&](const Result<HttpResponse>& response) {
        ok += response.has_value() && response->status == 200 ? 1 : 0;
        if (++over == kCalls) all.set_value(ok);
      });
    }
  });
  EXPECT_EQ(all.get_future().get(), kCalls);
}

TEST_F(HttpClientTest, RedirectsAreAnswersUnlessAllowed) {
  HttpCall call;
  call.url = Url("/moved");
  auto response = Do(call);
  ASSERT_TRUE(response);
  EXPECT_EQ(response->status, 302);
  EXPECT_EQ(response->headers.Get("Location"), "/hello");
  call.max_redirects = 2;
  response = Do(call);
  ASSERT_TRUE(response);
  EXPECT_EQ(response->status, 200);
  EXPECT_EQ(response->body, "hello ");
  EXPECT_EQ(response->headers.Get("Location"), "") << "headers are those of the last answer";
  call.url = Url("/round");
  EXPECT_EQ(Do(call).error().code, ErrorCode::kDenied);
  call.url = Url("/to-a-file");
  EXPECT_EQ(Do(call).error().code, ErrorCode::kInvalid);
}

TEST_F(HttpClientTest, AnswersHaveALimit) {
  HttpCall call;
  call.url = Url("/large");
  call.max_body_bytes = 99'999;
  const auto response = Do(call);
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().code, ErrorCode::kTooLarge);
  EXPECT_THAT(response.error().message, HasSubstr("99999 bytes"));
  call.max_body_bytes = 100'000;
  EXPECT_TRUE(Do(call));
}

TEST_F(HttpClientTest, RefusesWhatIsNoCall) {
  for (const char* url : {"", "ftp://example.org/", "file:///etc/passwd", "example.org", "http://a b/"}) {
    const auto response = Get(url);
    ASSERT_FALSE(response) << url;
    EXPECT_EQ(response.error().code, ErrorCode::kInvalid) << url;
  }
  EXPECT_FALSE(Get("http://user:secret@127.0.0.1:" + std::to_string(server_.port()) + "/hello"));
  HttpCall call;
  call.url = Url("/hello");
  call.headers.Add("X-Name", "a\r\nX-Other: b");
  EXPECT_EQ(Do(call).error().code, ErrorCode::kInvalid);
}

TEST_F(HttpClientTest, NobodyThereIsSaid) {
  std::uint16_t port = 0;
  {
    const TestListener listener;
    port = listener.port();
  }
  const auto response = Get("http://127.0.0.1:" + std::to_string(port) + "/secret-path?key=abc");
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().code, ErrorCode::kIo);
  EXPECT_THAT(response.error().message, HasSubstr("127.0.0.1:" + std::to_string(port)));
  EXPECT_THAT(response.error().message, Not(HasSubstr("key=abc")));
}

TEST_F(HttpClientTest, SilenceAndTricklesEndAtTheTimeOut) {
  for (const char* begun : {"", "HTTP/1.1 200 OK\r\nContent-Le", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc"}) {
    TestListener listener;
    std::thread server([&] {
      const auto peer = listener.Accept();
      peer->ReadUntil("\r\n\r\n");
      peer->Send(begun);
      EXPECT_TRUE(peer->AtEnd()) << "the client hangs up";
    });
    HttpCall call;
    call.url = "http://127.0.0.1:" + std::to_string(listener.port()) + "/";
    call.timeout = std::chrono::milliseconds(50);
    const auto response = Do(std::move(call));
    ASSERT_FALSE(response);
    EXPECT_EQ(response.error().code, ErrorCode::kTimeout);
    server.join();
  }
}

TEST_F(HttpClientTest, SaysWhenARequestIsSent) {
  HttpCall call;
  int sent = 0;
  call.on_sent = [&] { ++sent; };
  call.url = Url("/hello");
  EXPECT_TRUE(Do(call));
  EXPECT_EQ(sent, 1);
  EXPECT_TRUE(Do(call));
  EXPECT_EQ(sent, 2) << "also over a connection that there is";
  call.allow_address = [](const PeerAddress&) { return false; };
  EXPECT_FALSE(Do(call));
  EXPECT_EQ(sent, 2) << "the address is not allowed";
  call.allow_address = nullptr;
  // A server that is silent before TLS is there, then one without TLS that does not answer.
  TestListener listener;
  const std::string address = "127.0.0.1:" + std::to_string(listener.port()) + "/";
  call.timeout = std::chrono::milliseconds(50);
  call.url = "https://" + address;
  EXPECT_EQ(Do(call).error().code, ErrorCode::kTimeout);
  EXPECT_EQ(sent, 2);
  call.url = "http://" + address;
  EXPECT_EQ(Do(call).error().code, ErrorCode::kTimeout);
  EXPECT_EQ(sent, 3);
}

// Queues send the next event when one is answered: under load, each turn of the loop takes long.
TEST_F(HttpClientTest, TheNextCallGoesOutInTheTurnOfTheAnswer) {
  HttpCall call;
  call.url = Url("/hello");
  bool sent = false;
  bool turn_ended = false;
  bool in_time = false;
  std::promise<void> done;
  Shard& shard = server_.shards.at(0);
  shard.Post([&] {
    clients_.Call(shard, call, [&](const Result<HttpResponse>&) {
      HttpCall next = call;
      next.on_sent = [&] {
        sent = true;
        in_time = !turn_ended;
      };
      clients_.Call(shard, next, [&](const Result<HttpResponse>&) { done.set_value(); });
      EXPECT_FALSE(sent) << "not from within Call";
      shard.Post([&] { turn_ended = true; });
    });
  });
  done.get_future().wait();
  EXPECT_TRUE(sent);
  EXPECT_TRUE(in_time);
}

TEST_F(HttpClientTest, ABrokenConnectionIsSaid) {
  for (const char* begun : {"", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc"}) {
    TestListener listener;
    std::thread server([&] {
      const auto peer = listener.Accept();
      peer->Read(1);  // closing with the rest unread resets the connection
      peer->Send(begun);
    });
    const auto response = Get("http://127.0.0.1:" + std::to_string(listener.port()) + "/");
    server.join();
    ASSERT_FALSE(response);
    EXPECT_EQ(response.error().code, ErrorCode::kIo);
  }
}

TEST_F(HttpClientTest, AddressesAreCheckedHoweverTheyAreWritten) {
  const std::string port = std::to_string(server_.port());
  for (const std::string host : {"127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "2130706433", "0x7f.1"}) {
    HttpCall call;
    call.url = "http://" + host + ":" + port + "/hello";
    ASSERT_TRUE(Do(call)) << host;  // leaves a connection behind that could be used again
    std::vector<std::string> asked;
    call.allow_address = [&](const PeerAddress& peer) {
      asked.push_back(peer.ip + ":" + std::to_string(peer.port));
      return peer.ip != "127.0.0.1" && peer.ip != "::1";
    };
    const auto response = Do(call);
    ASSERT_FALSE(response) << host;
    EXPECT_EQ(response.error().code, ErrorCode::kDenied) << host << ": " << response.error().message;
    EXPECT_THAT(asked, ::testing::Contains("127.0.0.1:" + port)) << host;
    call.allow_address = [](const PeerAddress&) { return true; };
    EXPECT_TRUE(Do(call)) << host;
  }
}

TEST_F(HttpClientTest, GoesThroughAProxy) {
  TestListener proxy;
  std::promise<std::string> seen;
  std::thread server([&] {
    const auto peer = proxy.Accept();
    seen.set_value(peer->ReadUntil("\r\n\r\n"));
    peer->Send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
  });
  HttpCall call;
  call.url = "http://models.invalid/v1";
  call.proxy = "http://127.0.0.1:" + std::to_string(proxy.port());
  const auto response = Do(std::move(call));
  ASSERT_TRUE(response) << response.error().message;
  EXPECT_EQ(response->body, "ok");
  EXPECT_THAT(seen.get_future().get(), StartsWith("GET http://models.invalid/v1 HTTP/1.1\r\n"));
  server.join();
}

TEST_F(HttpClientTest, ACancelledCallSaysNothing) {
  TestListener listener;
  Shard& shard = server_.shards.at(0);
  bool called = false;
  std::optional<HttpCallId> id;
  server_.On(0, [&] {
    HttpCall call;
    call.url = "http://127.0.0.1:" + std::to_string(listener.port()) + "/";
    id = clients_.Call(shard, std::move(call), [&](const Result<HttpResponse>&) { called = true; });
  });
  const auto peer = listener.Accept();
  peer->ReadUntil("\r\n\r\n");
  server_.On(0, [&] { clients_.Cancel(shard, *id); });
  EXPECT_TRUE(peer->AtEnd()) << "the connection is closed";
  server_.On(0, [&] { clients_.Cancel(shard, *id); });
  EXPECT_FALSE(called);
}

TEST_F(HttpClientTest, AScopedCallEndsWithItsOwnerAndMayBeFollowedByAnother) {
  Shard& shard = server_.shards.at(0);
  std::promise<std::string> second;
  auto scoped = std::make_unique<ScopedHttpCall>();
  server_.On(0, [&] {
    HttpCall call;
    call.url = Url("/hello");
    scoped->Start(clients_, shard, call, [&, call](const Result<HttpResponse>&) {
      scoped->Start(clients_, shard, call, [&](const Result<HttpResponse>& response) {
        const std::string body = response ? response->body : response.error().message;
        scoped.reset();  // from within its own call
        second.set_value(body);
      });
    });
  });
  EXPECT_EQ(second.get_future().get(), "hello ");
  EXPECT_EQ(scoped, nullptr);
}

TEST(HttpClientTls, ChecksCertificates) {
  const TestCertificate certificate("DNS:localhost,IP:127.0.0.1");
  TestServer server(AddRoutes, {}, 1, certificate.Address());
  HttpClients clients(server.shards);
  const auto get = [&](const std::string& host) {
    std::promise<Result<HttpResponse>> answer;
    Shard& shard = server.shards.at(0);
    shard.Post([&] {
      HttpCall call;
      call.url = "https://" + host + ":" + std::to_string(server.port()) + "/hello";
      clients.Call(shard, std::move(call),
                   [&](Result<HttpResponse> response) { answer.set_value(std::move(response)); });
    });
    return answer.get_future().get();
  };
  const auto unknown = get("localhost");
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().code, ErrorCode::kIo);
  setenv("SSL_CERT_FILE", certificate.certificate().c_str(), 1);
  const auto known = get("localhost");
  const auto other_name = get("127.0.0.2");
  unsetenv("SSL_CERT_FILE");
  server.shards.Stop();
  ASSERT_TRUE(known) << known.error().message;
  EXPECT_EQ(known->body, "hello ");
  EXPECT_FALSE(other_name);
}

}  // namespace
}  // namespace openseat::net
