// Time-outs, counts, shards and the end of a server.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <future>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "net/operations.h"
#include "net/test_client.h"
#include "net/test_server.h"

namespace openseat::net {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;

constexpr const char* kGetHello = "GET /hello HTTP/1.1\r\nHost: x\r\n\r\n";

void AddHelloRoutes(Router& router) {
  router.Add(Method::kGet, "/hello", {},
             [](const HttpRequest&, HttpReply reply) { std::move(reply).Send(HttpResponse::Text(200, "hello")); });
  router.Add(Method::kPost, "/hello", {},
             [](const HttpRequest&, HttpReply reply) { std::move(reply).Send(HttpResponse::Text(200, "hello")); });
  router.AddWebSocket("/echo", {}, EchoFactory());
}

TEST(ServerTimes, ASilentConnectionIsClosed) {
  ServerLimits limits;
  limits.header_timeout = milliseconds(40);
  TestServer server(AddHelloRoutes, limits);
  TestClient client(server.port());
  EXPECT_TRUE(client.AtEnd());
}

TEST(ServerTimes, ASlowRequestIsAnsweredWith408) {
  ServerLimits limits;
  limits.header_timeout = milliseconds(40);
  limits.body_timeout = milliseconds(60);
  TestServer server(AddHelloRoutes, limits);
  TestClient headers(server.port());
  EXPECT_EQ(headers.Request("GET /hello HTTP/1.1\r\nHo").status, 408);
  TestClient body(server.port());
  const auto answer = body.Request("POST /hello HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nab");
  EXPECT_EQ(answer.status, 408);
  EXPECT_THAT(answer.body, HasSubstr("body_timeout"));
}

TEST(ServerTimes, AnIdleKeepAliveConnectionIsClosed) {
  ServerLimits limits;
  limits.keep_alive_timeout = milliseconds(40);
  TestServer server(AddHelloRoutes, limits);
  TestClient client(server.port());
  EXPECT_EQ(client.Request(kGetHello).status, 200);
  EXPECT_TRUE(client.AtEnd());
}

TEST(ServerTimes, AHandlerMayTakeItsTime) {
  ServerLimits limits;
  limits.header_timeout = limits.body_timeout = limits.keep_alive_timeout = milliseconds(20);
  TestServer* server_of_handler = nullptr;
  TestServer server(
      [&](Router& router) {
        router.Add(Method::kGet, "/slow", {}, [&](const HttpRequest&, HttpReply reply) {
          auto kept = std::make_shared<HttpReply>(std::move(reply));
          server_of_handler->shards.at(0).After(milliseconds(120),
                                                [kept] { std::move(*kept).Send(HttpResponse::Text(200, "slow")); });
        });
      },
      limits);
  server_of_handler = &server;
  TestClient client(server.port());
  EXPECT_EQ(client.Request("GET /slow HTTP/1.1\r\nHost: x\r\n\r\n").body, "slow");
}

TEST(ServerTimes, AReaderThatNeverReadsIsDropped) {
  ServerLimits limits;
  limits.body_timeout = milliseconds(60);
  const auto body = std::make_shared<const std::string>(64u << 20, 'b');
  TestServer server(
      [&](Router& router) {
        router.Add(Method::kGet, "/big", {}, [body](const HttpRequest&, HttpReply reply) {
          HttpResponse response;
          response.shared_body = body;
          std::move(reply).Send(std::move(response));
        });
      },
      limits);
  TestClient client(server.port());
  client.Send("GET /big HTTP/1.1\r\nHost: x\r\n\r\n");
  // The server gives up on its own: only then does this second client see no one else.
  for (;;) {
    std::promise<std::size_t> open;
    server.On(
        0, [&] { server.shards.at(0).After(milliseconds(5), [&] { open.set_value(server.server->connections()); }); });
    if (open.get_future().get() == 0) break;
  }
  SUCCEED();
}

TEST(ServerShards, ConnectionsAreDealtOutInTurn) {
  std::mutex mutex;
  std::multiset<std::size_t> used;
  TestServer* server_of_handler = nullptr;
  TestServer server(
      [&](Router& router) {
        router.Add(Method::kGet, "/where", {}, [&](const HttpRequest&, HttpReply reply) {
          for (std::size_t i = 0; i < 3; ++i) {
            const std::lock_guard lock(mutex);
            if (server_of_handler->shards.at(i).IsCurrent()) used.insert(i);
          }
          std::move(reply).Send(HttpResponse::Text(200, ""));
        });
      },
      {}, 3);
  server_of_handler = &server;
  std::vector<std::unique_ptr<TestClient>> clients;
  for (int i = 0; i < 6; ++i) {
    clients.push_back(std::make_unique<TestClient>(server.port()));
    EXPECT_EQ(clients.back()->Request("GET /where HTTP/1.1\r\nHost: x\r\n\r\n").status, 200);
  }
  EXPECT_EQ(used, (std::multiset<std::size_t>{0, 0, 1, 1, 2, 2}));
}

TEST(ServerShards, RepliesMayComeFromAnotherShard) {
  TestServer* server_of_handler = nullptr;
  TestServer server(
      [&](Router& router) {
        router.Add(Method::kGet, "/far", {}, [&](const HttpRequest&, HttpReply reply) {
          auto kept = std::make_shared<HttpReply>(std::move(reply));
          server_of_handler->shards.at(1).Post([kept] { std::move(*kept).Send(HttpResponse::Text(200, "far")); });
        });
      },
      {}, 2);
  server_of_handler = &server;
  for (int i = 0; i < 2; ++i) {
    TestClient client(server.port());
    for (int k = 0; k < 20; ++k) EXPECT_EQ(client.Request("GET /far HTTP/1.1\r\nHost: x\r\n\r\n").body, "far");
  }
}

ListenAddress Address(std::string host, std::uint16_t port = 0) {
  ListenAddress address;
  address.host = std::move(host);
  address.port = port;
  return address;
}

ListenAddress Secure(std::string certificate_file, std::string key_file) {
  ListenAddress address;
  address.certificate_file = std::move(certificate_file);
  address.key_file = std::move(key_file);
  return address;
}

TEST(ServerListen, SaysWhyItCannot) {
  TestServer server(AddHelloRoutes);
  const auto error_of = [&](ListenAddress address) {
    Shards shards(1);
    auto made = Server::Listen(shards, server.router, {std::move(address)}, {});
    EXPECT_FALSE(made.has_value());
    return made ? Error{} : made.error();
  };
  const Error taken = error_of(Address("127.0.0.1", server.port()));
  EXPECT_EQ(taken.code, ErrorCode::kConflict);
  EXPECT_EQ(taken.message,
            "cannot listen on 127.0.0.1:" + std::to_string(server.port()) + ": another program uses this port");
  EXPECT_EQ(error_of(Address("not-an-address")).code, ErrorCode::kInvalid);
  EXPECT_EQ(error_of(Address("192.0.2.1")).code, ErrorCode::kInvalid);
  EXPECT_EQ(error_of(Secure("/none", "/none")).code, ErrorCode::kInvalid);
  EXPECT_EQ(error_of(Secure("/none", "")).code, ErrorCode::kInvalid);
}

TEST(ServerListen, ListensOnIpv6Too) {
  const TestServer server(AddHelloRoutes, {}, 1, Address("::1"));
  EXPECT_NE(server.port(), 0);
}

// No descriptor is left: the connection waits in the kernel until there is one, and is served then.
TEST(ServerListen, SurvivesHavingNoDescriptors) {
  TestServer server(AddHelloRoutes);
  TestClient client(server.port());
  EXPECT_EQ(client.Request(kGetHello).status, 200);
  TestClient waiting(server.port());
  EXPECT_EQ(waiting.Request(kGetHello).status, 200);
  std::vector<int> taken;
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  const rlimit low{.rlim_cur = 64, .rlim_max = limit.rlim_max};
  setrlimit(RLIMIT_NOFILE, &low);
  auto late = std::make_unique<TestClient>(server.port());
  EXPECT_EQ(late->Request(kGetHello).status, 200);
  for (int descriptor = 0; (descriptor = open("/dev/null", O_RDONLY)) >= 0;) taken.push_back(descriptor);
  close(taken.back());
  taken.pop_back();
  TestClient unlucky(server.port());  // takes the last descriptor, so that the server finds none
  unlucky.Send(kGetHello);
  EXPECT_EQ(client.Request(kGetHello).status, 200);  // the loop turns
  for (const int descriptor : taken) close(descriptor);
  EXPECT_EQ(unlucky.ReadAnswer().status, 200);
  setrlimit(RLIMIT_NOFILE, &limit);
}

TEST(ServerShutdown, EndsEverythingInTwoPhases) {
  std::promise<HttpReply> kept;
  TestServer server(
      [&](Router& router) {
        AddHelloRoutes(router);
        router.Add(Method::kGet, "/slow", {},
                   [&](const HttpRequest&, HttpReply reply) { kept.set_value(std::move(reply)); });
      },
      {}, 2);
  TestClient idle(server.port());
  EXPECT_EQ(idle.Request(kGetHello).status, 200);
  TestClient busy(server.port());
  busy.Send("GET /slow HTTP/1.1\r\nHost: x\r\n\r\n");
  HttpReply reply = kept.get_future().get();
  TestClient polite(server.port());
  polite.Upgrade("/echo");
  TestClient rude(server.port());
  rude.Upgrade("/echo");

  std::promise<bool> done;
  server.server->Shutdown(milliseconds(100), [&] { done.set_value(server.shards.at(0).IsCurrent()); });
  EXPECT_TRUE(idle.AtEnd());
  auto frame = polite.ReadFrame();
  EXPECT_EQ(frame.code(), close_code::kGoingAway);
  polite.Send(ClientClose(close_code::kGoingAway));
  EXPECT_TRUE(polite.AtEnd());
  std::move(reply).Send(HttpResponse::Text(200, "in time"));
  const auto answer = busy.ReadAnswer();
  EXPECT_EQ(answer.body, "in time");
  EXPECT_EQ(answer.headers.at("connection"), "close");
  EXPECT_EQ(rude.ReadFrame().code(), close_code::kGoingAway);  // and never answers
  EXPECT_TRUE(done.get_future().get());
  EXPECT_EQ(server.server->connections(), 0u);
}

TEST(ServerShutdown, WithNothingOpenIsDoneAtOnce) {
  TestServer server(AddHelloRoutes, {}, 2);
  std::promise<void> done;
  server.server->Shutdown(std::chrono::hours(1), [&] { done.set_value(); });
  done.get_future().wait();
}

TEST(ServerShutdown, MayStopTheShardsFromWithin) {
  Shards shards(2);
  Router router;
  AddHelloRoutes(router);
  auto server = std::move(*Server::Listen(shards, router, {ListenAddress{}}, {}));
  shards.at(0).Post([&] { server->Shutdown(milliseconds(10), [&] { shards.Stop(); }); });
  shards.RunFirstHere();
}

TEST(ServerEnd, TellsSessionsThatAreLeft) {
  struct Session final : WebSocketSession {
    explicit Session(int* ends) : ended(ends) {}
    void OnOpen(std::shared_ptr<WebSocket> opened) override { socket = std::move(opened); }
    void OnText(std::string_view /*message*/) override {}
    void OnBinary(std::string_view /*message*/) override {}
    void OnClosed(const Closing& /*closing*/) override { ++*ended; }
    int* ended;
    std::shared_ptr<WebSocket> socket;
  };
  int ended = 0;
  for (const bool while_running : {true, false}) {
    TestServer server([&](Router& router) {
      router.AddWebSocket("/x", {}, [&](const HttpRequest&) -> Result<std::unique_ptr<WebSocketSession>> {
        return std::make_unique<Session>(&ended);
      });
    });
    TestClient client(server.port());
    EXPECT_EQ(client.Upgrade("/x").status, 101);
    if (while_running) server.server.reset();
    server.shards.Stop();
    server.server.reset();
  }
  EXPECT_EQ(ended, 2);
}

TEST(Operations, TellHowTheServerIs) {
  Metrics metrics;
  bool ready = false;
  Shards shards(1);
  Router router;
  AddHelloRoutes(router);
  AddOperations(router, metrics, [&]() -> Result<void> {
    if (ready) return {};
    return Fail(ErrorCode::kBusy, "the journal is being read");
  });
  auto server = std::move(*Server::Listen(shards, router, {ListenAddress{}}, {}, &metrics));
  shards.Start();
  TestClient client(server->port());
  EXPECT_EQ(client.Request("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n").body, "ok\n");
  const auto not_ready = client.Request("GET /readyz HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(not_ready.status, 503);
  EXPECT_EQ(not_ready.headers.at("retry-after"), "1");
  EXPECT_THAT(not_ready.body, HasSubstr("the journal is being read"));
  ready = true;
  EXPECT_EQ(client.Request("GET /readyz HTTP/1.1\r\nHost: x\r\n\r\n").status, 200);
  TestClient socket(server->port());
  socket.Upgrade("/echo");
  socket.Send(ClientFrame(0x81, "hi"));
  socket.ReadFrame();
  const auto text = client.Request("GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(text.headers.at("content-type"), "text/plain; version=0.0.4; charset=utf-8");
  EXPECT_THAT(text.body, HasSubstr("openseat_connections_open 2\n"));
  EXPECT_THAT(text.body, HasSubstr("openseat_websockets_open 1\n"));
  EXPECT_THAT(text.body, HasSubstr("openseat_websocket_messages_total{direction=\"in\"} 1\n"));
  EXPECT_THAT(text.body, HasSubstr("openseat_websocket_messages_total{direction=\"out\"} 1\n"));
  EXPECT_THAT(text.body, HasSubstr("openseat_websocket_bytes_total{direction=\"in\"} 8\n"));
  EXPECT_THAT(text.body, HasSubstr("openseat_http_responses_total{class=\"5xx\"} 1\n"));
  EXPECT_THAT(text.body, HasSubstr("openseat_http_responses_total{class=\"2xx\"} 2\n"));
  shards.Stop();
  server.reset();
}

}  // namespace
}  // namespace openseat::net
