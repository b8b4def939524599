// What strangers may cost a server: connections, rates, unfinished and unread bytes, memory.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "net/memory_guard.h"
#include "net/operations.h"
#include "net/server_core.h"
#include "net/test_client.h"
#include "net/test_server.h"

namespace openseat::net {
namespace {

using std::chrono::milliseconds;

using ::testing::HasSubstr;

constexpr const char* kGetHome = "GET /hello HTTP/1.1\r\nHost: x\r\n\r\n";
constexpr const char* kProxied = "GET /hello HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 203.0.113.9, 192.0.2.7\r\n\r\n";

void AddPaidRoutes(Router& router) {
  router.Add(Method::kGet, "/hello", {},
             [](const HttpRequest&, HttpReply reply) { std::move(reply).Send(HttpResponse::Text(200, "hello")); });
  router.Add(Method::kPost, "/hello", {}, [](const HttpRequest& request, HttpReply reply) {
    std::move(reply).Send(HttpResponse::Text(200, std::to_string(request.body.size())));
  });
  router.Add(Method::kGet, "/secret", {},
             [](const HttpRequest&, HttpReply reply) { std::move(reply).Send(HttpResponse::Text(200, "secret")); });
  router.Add(Method::kPost, "/secret", {},
             [](const HttpRequest&, HttpReply reply) { std::move(reply).Send(HttpResponse::Text(200, "secret")); });
  router.AddWebSocket("/echo", {}, EchoFactory());
  router.SetGuard([](const HttpRequest& request) -> Result<void> {
    if (request.path == "/secret") return Fail(ErrorCode::kDenied, "not for you");
    return {};
  });
}

std::string PostHead(const std::string& path, std::size_t length, const std::string& more_headers = "") {
  return "POST " + path + " HTTP/1.1\r\nHost: x\r\n" + more_headers + "Content-Length: " + std::to_string(length) +
         "\r\n\r\n";
}

double TimesRefused(const TestServer& server, Limit limit) {
  const std::string label = "openseat_refused_total{budget=\"" + std::string(SettingOf(limit)) + "\"} ";
  const std::string text = server.metrics.Text();
  const std::size_t at = text.find(label);
  return at == std::string::npos ? -1 : std::stod(text.substr(at + label.size()));
}

BudgetLimits WithLoopback(const std::function<void(PeerLimits&)>& set) {
  BudgetLimits limits;
  set(limits.loopback);
  return limits;
}

TEST(ServerBudget, ConnectionsOverTheLimitAreClosed) {
  BudgetLimits limits;
  limits.max_connections = 2;
  TestServer server(AddPaidRoutes, {}, 1, {}, limits);
  auto first = std::make_unique<TestClient>(server.port());
  TestClient second(server.port());
  EXPECT_EQ(first->Request(kGetHome).status, 200);
  EXPECT_EQ(second.Request(kGetHome).status, 200);
  TestClient third(server.port());
  EXPECT_EQ(third.ReadAnswer().status, 503);
  EXPECT_TRUE(third.AtEnd());
  EXPECT_EQ(server.server->connections(), 2u);
  EXPECT_EQ(TimesRefused(server, Limit::kConnections), 1);
  first->EndSending();
  EXPECT_TRUE(first->AtEnd());
  TestClient fourth(server.port());
  EXPECT_EQ(fourth.Request(kGetHome).status, 200);
}

TEST(ServerBudget, IdleConnectionsOfWhoHasManyAreClosedWhereTheyAreScarce) {
  BudgetLimits limits;
  limits.max_connections = 8;
  limits.loopback.max_connections_per_address = 32;
  ServerLimits times;
  times.keep_alive_timeout = milliseconds(3'200);
  times.close_timeout = milliseconds(40);  // looks every 5 ms
  std::promise<HttpReply> kept;
  TestServer server(
      [&kept](Router& router) {
        AddPaidRoutes(router);
        router.Add(Method::kGet, "/slow", {},
                   [&kept](const HttpRequest&, HttpReply reply) { kept.set_value(std::move(reply)); });
      },
      times, 1, {}, limits);
  TestClient busy(server.port());
  busy.Send("GET /slow HTTP/1.1\r\nHost: x\r\n\r\n");
  HttpReply reply = kept.get_future().get();
  std::vector<std::unique_ptr<TestClient>> idle;
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < 5; ++i) {
    idle.push_back(std::make_unique<TestClient>(server.port()));
    EXPECT_EQ(idle.back()->Request(kGetHome).status, 200);
  }
  TestClient seventh(server.port());
  for (const auto& client : idle) EXPECT_TRUE(client->AtEnd());
  EXPECT_LT(std::chrono::steady_clock::now() - start, milliseconds(2'500)) << "not after the usual time";
  std::move(reply).Send(HttpResponse::Text(200, "slow"));
  EXPECT_EQ(busy.ReadAnswer().body, "slow") << "it was not idle";
}

TEST(ServerBudget, StrangersLeaveConnectionsToThisMachine) {
  const Router router;
  BudgetLimits limits;
  limits.max_connections = 1'024;
  Budget budget(limits);
  const auto core = std::make_shared<ServerCore>(router, ServerLimits(), nullptr, &budget);
  std::vector<Admission> admitted;
  const auto admit = [&](const std::string& peer) {
    auto admission = core->Admit(peer, Instant(), false);
    if (admission) admitted.push_back(std::move(*admission));
    return admission.has_value();
  };
  for (int i = 0; i < 20 * 128; ++i) admit("192.0.2." + std::to_string(i / 128));
  EXPECT_LE(admitted.size(), 1'024u - 128u);
  EXPECT_TRUE(admit("198.51.100.3")) << "a newcomer";
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(admit("127.0.0.1"));
}

TEST(ServerBudget, AnAddressHasItsOwnConnections) {
  const Router router;
  BudgetLimits limits;
  limits.others.max_connections_per_address = 2;
  Budget budget(limits);
  const auto core = std::make_shared<ServerCore>(router, ServerLimits(), nullptr, &budget);
  std::optional<Admission> first = *core->Admit("192.0.2.1", Instant(), false);
  const auto second = core->Admit("192.0.2.1", Instant(), false);
  EXPECT_FALSE(core->Admit("192.0.2.1", Instant(), false));
  EXPECT_TRUE(core->Admit("192.0.2.2", Instant(), false));
  first.reset();
  EXPECT_TRUE(core->Admit("192.0.2.1", Instant(), false));
  std::vector<Admission> local;
  for (int i = 0; i < 5; ++i) local.push_back(*core->Admit("127.0.0.1", Instant(), false));
  EXPECT_EQ(core->open(), 6u);
}

// Otherwise connections that ask for nothing would cost nothing.
TEST(ServerBudget, NewConnectionsAreMessagesOfTheirAddress) {
  const Router router;
  BudgetLimits limits;
  limits.others.messages_of_address = {.per_second = 1, .burst = 20};
  Metrics metrics;
  Budget budget(limits, &metrics);
  const auto core = std::make_shared<ServerCore>(router, ServerLimits(), nullptr, &budget);
  const auto admits = [&](const char* peer, bool tls, int seconds = 0) {
    return core->Admit(peer, Instant(std::chrono::seconds(seconds)), tls).has_value();
  };
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(admits("192.0.2.1", false));
  EXPECT_TRUE(admits("192.0.2.1", true)) << "ten more";
  EXPECT_FALSE(admits("192.0.2.1", false));
  EXPECT_FALSE(admits("192.0.2.1", true));
  EXPECT_THAT(metrics.Text(), HasSubstr("openseat_refused_total{budget=\"messages_per_second_per_address\"} 2"));
  EXPECT_TRUE(admits("192.0.2.2", true));
  EXPECT_TRUE(admits("192.0.2.1", false, 5));
  EXPECT_FALSE(admits("192.0.2.1", true, 5));
  EXPECT_TRUE(admits("192.0.2.1", true, 15));
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(admits("127.0.0.1", true)) << "this machine has no limit";
}

TEST(ServerBudget, AProxyElsewhereHasTheConnectionsOfMany) {
  Router router;
  const std::vector<std::string> proxies{"10.0.0.5"};
  router.SetTrust({.proxies = *Proxies::Parse(proxies)});
  BudgetLimits limits;
  limits.others.max_connections_per_address = 2;
  Budget budget(limits);
  const auto core = std::make_shared<ServerCore>(router, ServerLimits(), nullptr, &budget);
  std::vector<Admission> of_proxy;
  for (int i = 0; i < 5; ++i) of_proxy.push_back(*core->Admit("10.0.0.5", Instant(), false));
  EXPECT_EQ(budget.held(Holding::kConnections), 5u);
}

TEST(ServerBudget, AProxiedAddressThatIsTwoIsOneOfMany) {
  BudgetLimits limits;
  limits.others.messages_of_address = {.per_second = 0.01, .burst = 2};
  TestServer server(AddPaidRoutes, {}, 1, {}, limits);
  TestClient proxy(server.port());
  // A client that sends the header that its proxy does not set does not get a new budget for each lie.
  const auto lie = [&](int number) {
    return proxy
        .Request("GET /hello HTTP/1.1\r\nHost: x\r\nX-Real-IP: 198.51.100.1\r\nX-Forwarded-For: 192.0.2." +
                 std::to_string(number) + "\r\n\r\n")
        .status;
  };
  EXPECT_EQ(lie(1), 200);
  EXPECT_EQ(lie(2), 200);
  EXPECT_EQ(lie(3), 429);
}

TEST(ServerBudget, RequestsThatComeTooFastAre429) {
  TestServer server(AddPaidRoutes, {}, 1, {},
                    WithLoopback([](PeerLimits& limits) { limits.messages = {.per_second = 0.5, .burst = 3}; }));
  TestClient client(server.port());
  for (int i = 0; i < 3; ++i) EXPECT_EQ(client.Request(kGetHome).status, 200);
  const auto answer = client.Request(kGetHome);
  EXPECT_EQ(answer.status, 429);
  EXPECT_EQ(answer.headers.at("retry-after"), "2");
  EXPECT_THAT(answer.body, HasSubstr("messages_per_second"));
  EXPECT_EQ(TimesRefused(server, Limit::kMessages), 1);
  TestClient other(server.port());
  EXPECT_EQ(other.Request(kGetHome).status, 200) << "another connection has its own";
}

TEST(ServerBudget, WhoAProxyAsksForIsAStranger) {
  BudgetLimits limits;
  limits.others.messages_of_address = {.per_second = 0.01, .burst = 2};
  limits.others.messages = {.per_second = 0.01, .burst = 1};
  limits.others.max_connections_per_address = 1;
  TestServer server(AddPaidRoutes, {}, 1, {}, limits);
  TestClient proxy(server.port());
  // The proxy's connection belongs to no single client: only the address counts.
  EXPECT_EQ(proxy.Request(kProxied).status, 200);
  EXPECT_EQ(proxy.Request(kProxied).status, 200);
  EXPECT_EQ(proxy.Request(kProxied).status, 429);
  EXPECT_EQ(proxy.Request(kGetHome).status, 200) << "this machine's own";
  // An address that falsely claims to be this machine's is not.
  EXPECT_EQ(proxy.Request("GET /hello HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 127.0.0.1\r\n\r\n").status, 200);
  EXPECT_EQ(proxy.Request("GET /hello HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: ::1\r\n\r\n").status, 200);
  EXPECT_EQ(proxy.Request("GET /hello HTTP/1.1\r\nHost: x\r\nVia: 1.1 x\r\n\r\n").status, 429);
  const char* other = "X-Forwarded-For: 192.0.2.8\r\n";
  TestClient socket(server.port());
  EXPECT_EQ(socket.Upgrade("/echo", other).status, 101);
  TestClient again(server.port());
  EXPECT_EQ(again.Upgrade("/echo", other).status, 429) << "one connection of that address is open";
}

TEST(ServerBudget, MessagesThatComeTooFastCloseTheConnection) {
  TestServer server(AddPaidRoutes, {}, 1, {},
                    WithLoopback([](PeerLimits& limits) { limits.messages = {.per_second = 0.5, .burst = 4}; }));
  TestClient client(server.port());
  ASSERT_EQ(client.Upgrade("/echo").status, 101);
  std::string flood;
  for (int i = 0; i < 10; ++i) flood += ClientFrame(0x81, "hi");
  client.Send(flood);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(client.ReadFrame().payload, "hi");
  const TestClient::Frame close = client.ReadFrame();
  EXPECT_EQ(close.code(), 1008);
  EXPECT_THAT(close.payload, HasSubstr("messages_per_second"));
  EXPECT_EQ(TimesRefused(server, Limit::kMessages), 1);
}

TEST(ServerBudget, PingsAreMessages) {
  TestServer server(AddPaidRoutes, {}, 1, {},
                    WithLoopback([](PeerLimits& limits) { limits.messages = {.per_second = 0.5, .burst = 2}; }));
  TestClient client(server.port());
  ASSERT_EQ(client.Upgrade("/echo").status, 101);
  client.Send(ClientFrame(0x89, "a") + ClientFrame(0x89, "b") + ClientFrame(0x89, "c"));
  EXPECT_EQ(client.ReadFrame().opcode, 10);
  EXPECT_EQ(client.ReadFrame().opcode, 10);
  EXPECT_EQ(client.ReadFrame().code(), 1008);
}

TEST(ServerBudget, BytesThatComeTooFastEndIt) {
  TestServer server(AddPaidRoutes, {}, 1, {},
                    WithLoopback([](PeerLimits& limits) { limits.bytes = {.per_second = 1, .burst = 10'000}; }));
  TestClient socket(server.port());
  ASSERT_EQ(socket.Upgrade("/echo").status, 101);
  socket.Send(ClientFrame(0x81, std::string(9'000, 'x')));
  EXPECT_EQ(socket.ReadFrame().payload.size(), 9'000u);
  socket.Send(ClientFrame(0x81, std::string(9'000, 'x')));
  const TestClient::Frame close = socket.ReadFrame();
  EXPECT_EQ(close.code(), 1008);
  EXPECT_THAT(close.payload, HasSubstr("bytes_per_second"));
  TestClient client(server.port());
  EXPECT_EQ(client.Request(PostHead("/hello", 9'000) + std::string(9'000, 'x')).body, "9000");
  const auto answer = client.Request(PostHead("/hello", 9'000) + std::string(9'000, 'x'));
  EXPECT_EQ(answer.status, 429);
  EXPECT_THAT(answer.body, HasSubstr("bytes_per_second"));
}

// Which address a request comes from is only known once its head has been read.
TEST(ServerBudget, BytesThatAProxyPassesOnAreThoseOfItsClient) {
  BudgetLimits limits;
  limits.others.bytes_of_address = {.per_second = 1, .burst = 100'000};
  TestServer server(AddPaidRoutes, {}, 1, {}, limits);
  const std::string body(60'000, 'x');
  const auto head = [](int client, std::size_t length, const std::string& more_headers = "") {
    return PostHead("/hello", length, "X-Forwarded-For: 192.0.2." + std::to_string(client) + "\r\n" + more_headers);
  };
  TestClient proxy(server.port());
  EXPECT_EQ(proxy.Request(head(1, 60'000) + body).body, "60000");
  EXPECT_EQ(proxy.Request(head(2, 60'000) + body).body, "60000") << "another client over the same connection";
  const auto answer = proxy.Request(head(1, 60'000) + body);
  EXPECT_EQ(answer.status, 429);
  EXPECT_THAT(answer.body, HasSubstr("bytes_per_second_per_address"));
  EXPECT_EQ(answer.headers.count("retry-after"), 1u);
  EXPECT_EQ(TimesRefused(server, Limit::kBytesOfAddress), 1);

  TestClient slow(server.port());
  slow.Send(head(3, 200'000));
  for (int i = 0; i < 3; ++i) slow.Send(body);
  EXPECT_EQ(slow.ReadAnswer().status, 429) << "while the body comes";

  TestClient heads(server.port());
  const std::string padded = head(4, 0, "X-Padding: " + std::string(10'000, 'x') + "\r\n");
  for (int i = 0; i < 9; ++i) EXPECT_EQ(heads.Request(padded).status, 200) << i;
  EXPECT_EQ(heads.Request(padded).status, 429);
  EXPECT_EQ(heads.Request(head(5, 0)).status, 200) << "the connection goes on";

  TestClient socket(server.port());
  const std::string message = ClientFrame(0x81, body);
  const std::string upgrade =
      "GET /echo HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
      "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nX-Forwarded-For: 192.0.2.6\r\n\r\n";
  EXPECT_EQ(socket.Request(upgrade + message).status, 101);
  EXPECT_EQ(socket.ReadFrame().payload.size(), 60'000u) << "which came with the head";
  socket.Send(message);
  EXPECT_EQ(socket.ReadFrame().code(), 1008);

  TestClient own(server.port());
  EXPECT_EQ(own.Request(PostHead("/hello", 200'000) + std::string(200'000, 'x')).body, "200000");
}

TEST(ServerBudget, BytesThatAreNotUsedCount) {
  const auto limits =
      WithLoopback([](PeerLimits& peer) { peer.bytes_of_address = {.per_second = 1, .burst = 20'000}; });
  const std::string line = "GET /hello HTTP/1.1\r\n";
  const std::string host = "Host: x\r\n";
  const std::string padding = "X-Padding: " + std::string(9'000, 'x') + "\r\n";
  {
    TestServer server(AddPaidRoutes, {}, 1, {}, limits);
    TestClient wrong(server.port());
    EXPECT_EQ(wrong.Request(line + padding + "\r\n").status, 400) << "no Host";
    TestClient gone(server.port());
    gone.Send(line + host + padding);
    gone.EndSending();
    EXPECT_TRUE(gone.AtEnd());
    TestClient right(server.port());
    const auto answer = right.Request(line + host + padding + "\r\n");
    EXPECT_EQ(answer.status, 429);
    EXPECT_THAT(answer.body, HasSubstr("bytes_per_second_per_address"));
  }
  // What is used counts once, whether the connection goes on or not.
  TestServer server(AddPaidRoutes, {}, 1, {}, limits);
  for (const int status : {200, 200, 429}) {
    TestClient client(server.port());
    EXPECT_EQ(client.Request(line + host + "Connection: close\r\n" + padding + "\r\n").status, status);
  }
}

TEST(ServerBudget, BlankLinesBeforeARequestEnd) {
  TestServer server(AddPaidRoutes);
  TestClient client(server.port());
  EXPECT_EQ(client.Request("\r\n\r\n" + std::string(kGetHome)).status, 200);
  std::string blank;
  for (int i = 0; i < 20'000; ++i) blank += "\r\n";
  EXPECT_EQ(client.Request(blank).status, 431);
}

TEST(ServerBudget, BytesAfterARefusalCount) {
  ServerLimits server_limits;
  server_limits.close_timeout = std::chrono::minutes(10);
  TestServer server(AddPaidRoutes, server_limits, 1, {}, WithLoopback([](PeerLimits& limits) {
                      limits.bytes_of_address = {.per_second = 1, .burst = 100'000};
                    }));
  TestClient refused(server.port());
  EXPECT_EQ(refused.Request("nonsense\r\n\r\n").status, 400);
  refused.Send(std::string(60'000, 'x'));
  refused.Send(std::string(60'000, 'x'));
  while (TimesRefused(server, Limit::kBytesOfAddress) == 0) std::this_thread::yield();
  TestClient other(server.port());
  EXPECT_EQ(other.Request(PostHead("/hello", 60'000) + std::string(60'000, 'x')).status, 429);
  EXPECT_EQ(::send(refused.descriptor(), "x", 1, MSG_NOSIGNAL), 1) << "kept, so that its answer is not lost to a reset";
}

// If the body is not going to be used, none of it is read.
TEST(ServerBudget, RoutingAndTheGuardComeBeforeTheBody) {
  TestServer server(AddPaidRoutes);
  for (const auto& [path, status] : {std::pair("/nothing", 404), std::pair("/secret", 403), std::pair("/echo", 405)}) {
    TestClient client(server.port());
    const auto answer = client.Request(PostHead(path, 8'000'000) + "the first bytes");
    EXPECT_EQ(answer.status, status) << path;
    EXPECT_EQ(answer.headers.at("connection"), "close");
  }
  TestClient large(server.port());
  EXPECT_EQ(large.Request(PostHead("/hello", 9'000'000)).status, 413);
  // A client that waits to be asked for it is not asked.
  TestClient asks(server.port());
  EXPECT_EQ(asks.Request(PostHead("/nothing", 5, "Expect: 100-continue\r\n")).status, 404);
  // A body that is there at once does not end the connection.
  TestClient whole(server.port());
  EXPECT_EQ(whole.Request(PostHead("/nothing", 5) + "hello").status, 404);
  EXPECT_EQ(whole.Request(PostHead("/hello", 5) + "hello").body, "5");
  EXPECT_EQ(server.budget.held(Holding::kUnfinishedBytes), 0u);
}

TEST(ServerBudget, UnfinishedBodiesAreCountedTogether) {
  BudgetLimits limits;
  limits.max_unfinished_bytes = 300'000;
  TestServer server(AddPaidRoutes, {}, 1, {}, limits);
  std::vector<std::unique_ptr<TestClient>> clients;
  int refused = 0;
  for (int i = 0; i < 8; ++i) {
    TestClient& client = *clients.emplace_back(std::make_unique<TestClient>(server.port()));
    client.Send(PostHead("/hello", 100'000) + std::string(60'000, 'x'));
    // It was read when the next one is answered: they are on one shard.
    TestClient after(server.port());
    EXPECT_EQ(after.Request(kGetHome).status, 200);
    EXPECT_LE(server.budget.held(Holding::kUnfinishedBytes), 300'000u);
    refused = static_cast<int>(TimesRefused(server, Limit::kUnfinishedBytes));
  }
  EXPECT_GT(refused, 0);
  const auto answer = clients.back()->ReadAnswer();
  EXPECT_EQ(answer.status, 429);
  EXPECT_THAT(answer.body, HasSubstr("max_unfinished_bytes"));
  clients.front()->Send(std::string(40'000, 'x'));
  EXPECT_EQ(clients.front()->ReadAnswer().body, "100000") << "who was there before goes on";
  EXPECT_GT(server.budget.held(Holding::kUnfinishedBytes), 0u);
  clients.clear();
  while (server.server->connections() > 0) std::this_thread::yield();
  EXPECT_EQ(server.budget.held(Holding::kUnfinishedBytes), 0u);
}

TEST(ServerBudget, UnfinishedMessagesAreCountedTogether) {
  TestServer server(AddPaidRoutes, {}, 1, {},
                    WithLoopback([](PeerLimits& limits) { limits.max_unfinished_bytes_per_address = 150'000; }));
  TestClient first(server.port());
  ASSERT_EQ(first.Upgrade("/echo").status, 101);
  first.Send(ClientFrame(0x01, std::string(60'000, 'x')));
  TestClient after(server.port());
  // The message is read in pieces, between which others have their turn.
  for (int i = 0; i < 1000 && server.budget.held(Holding::kUnfinishedBytes) < 60'000u; ++i) {
    EXPECT_EQ(after.Request(kGetHome).status, 200);
  }
  EXPECT_GE(server.budget.held(Holding::kUnfinishedBytes), 60'000u);
  TestClient second(server.port());
  ASSERT_EQ(second.Upgrade("/echo").status, 101);
  second.Send(ClientFrame(0x01, std::string(120'000, 'x')));
  const TestClient::Frame close = second.ReadFrame();
  EXPECT_EQ(close.code(), 1013);
  EXPECT_THAT(close.payload, HasSubstr("max_unfinished_bytes_per_address"));
  first.Send(ClientFrame(0x80, "y"));
  EXPECT_EQ(first.ReadFrame().payload.size(), 60'001u);
  EXPECT_EQ(after.Request(kGetHome).status, 200);
  EXPECT_EQ(server.budget.held(Holding::kUnfinishedBytes), 0u);
}

// Sockets take some of an answer that nobody reads; this is more than they do.
constexpr std::size_t kLarge = 24u << 20;

void AddLargeRoute(Router& router) {
  AddPaidRoutes(router);
  router.Add(Method::kGet, "/large", {}, [](const HttpRequest&, HttpReply reply) {
    std::move(reply).Send(HttpResponse::Text(200, std::string(kLarge, 'x')));
  });
}

std::string GetLarge(const std::string& more_headers = "") {
  return "GET /large HTTP/1.1\r\nHost: x\r\n" + more_headers + "\r\n";
}

void WaitForUnread(const TestServer& server, std::uint64_t bytes) {
  while (server.budget.unread() < bytes) std::this_thread::yield();
}

TEST(ServerBudget, WhoDoesNotReadGetsNothingLargeAnymore) {
  BudgetLimits limits;
  limits.loopback.max_unread_bytes_per_address = 1u << 20;
  limits.others.max_unread_bytes_per_address = 1u << 20;
  TestServer server(AddLargeRoute, {}, 1, {}, limits);
  for (const std::string& from : {std::string(), std::string("X-Forwarded-For: 192.0.2.7\r\n")}) {
    TestClient reader(server.port());
    reader.Send(GetLarge(from));
    WaitForUnread(server, (1u << 20) + 1);
    TestClient second(server.port());
    const auto answer = second.Request(GetLarge(from));
    EXPECT_EQ(answer.status, 429) << from;
    EXPECT_EQ(answer.headers.count("retry-after"), 1u);
    EXPECT_THAT(answer.body, HasSubstr("max_unread_bytes_per_address"));
    EXPECT_EQ(second.Request("GET /hello HTTP/1.1\r\nHost: x\r\n" + from + "\r\n").status, 200) << "not much";
    EXPECT_EQ(second.Request(GetLarge("X-Forwarded-For: 192.0.2.8\r\n")).body.size(), kLarge) << "another address";
    EXPECT_EQ(reader.ReadAnswer().body.size(), kLarge) << "what was begun is sent";
    while (server.budget.unread() > 0) std::this_thread::yield();
    EXPECT_EQ(second.Request(GetLarge(from)).body.size(), kLarge) << from;
  }
  EXPECT_EQ(TimesRefused(server, Limit::kUnreadBytesOfAddress), 2);
}

// A page is there anyway, what was written for those who ask is not.
TEST(ServerBudget, ASharedBodyCountsAsUnreadWhereOnlyItsReadersKeepIt) {
  TestServer server(
      [](Router& router) {
        AddLargeRoute(router);
        for (const bool counts : {false, true}) {
          router.Add(Method::kGet, counts ? "/shared" : "/page", {}, [counts](const HttpRequest&, HttpReply reply) {
            HttpResponse response = HttpResponse::Text(200, "");
            response.shared_body = std::make_shared<const std::string>(kLarge, 'x');
            response.shared_counts = counts;
            std::move(reply).Send(std::move(response));
          });
        }
      },
      {}, 1, {}, WithLoopback([](PeerLimits& limits) { limits.max_unread_bytes_per_address = 1u << 20; }));
  TestClient of_page(server.port());
  of_page.Send("GET /page HTTP/1.1\r\nHost: x\r\n\r\n");
  TestClient reader(server.port());
  reader.Send("GET /shared HTTP/1.1\r\nHost: x\r\n\r\n");
  WaitForUnread(server, (1u << 20) + 1);
  EXPECT_LT(server.budget.unread(), kLarge) << "the page does not count";
  TestClient second(server.port());
  EXPECT_EQ(second.Request("GET /shared HTTP/1.1\r\nHost: x\r\n\r\n").status, 429);
  EXPECT_EQ(reader.ReadAnswer().body.size(), kLarge);
  while (server.budget.unread() > 0) std::this_thread::yield();
  EXPECT_EQ(second.Request("GET /shared HTTP/1.1\r\nHost: x\r\n\r\n").body.size(), kLarge);
  EXPECT_EQ(of_page.ReadAnswer().body.size(), kLarge);
}

// Otherwise a client would repeat what was done.
TEST(ServerBudget, WhoDoesNotReadIsRefusedBeforeSomethingIsDone) {
  std::vector<HttpReply> waiting;  // used by the shard
  std::atomic<int> done = 0;
  TestServer server(
      [&](Router& router) {
        AddLargeRoute(router);
        router.Add(Method::kPost, "/large", {}, [&](const HttpRequest&, HttpReply reply) {
          waiting.push_back(std::move(reply));
          ++done;
        });
      },
      {}, 1, {}, WithLoopback([](PeerLimits& limits) { limits.max_unread_bytes_per_address = 1u << 20; }));
  TestClient early(server.port());
  early.Send(PostHead("/large", 0));
  while (done.load() == 0) std::this_thread::yield();
  TestClient reader(server.port());
  reader.Send(GetLarge());
  WaitForUnread(server, (1u << 20) + 1);
  server.On(0, [&] {
    for (HttpReply& reply : waiting) std::move(reply).Send(HttpResponse::Text(200, std::string(100'000, 'x')));
    waiting.clear();
  });
  EXPECT_EQ(early.ReadAnswer().body.size(), 100'000u);
  for (const std::size_t length : {0u, 5u}) {
    TestClient late(server.port());
    const auto answer = late.Request(PostHead("/large", length));
    EXPECT_EQ(answer.status, 429) << length;
    EXPECT_EQ(answer.headers.count("retry-after"), 1u);
    EXPECT_THAT(answer.body, HasSubstr("max_unread_bytes_per_address"));
  }
  EXPECT_EQ(done.load(), 1);
  TestClient page(server.port());
  EXPECT_EQ(page.Request("OPTIONS /large HTTP/1.1\r\nHost: x\r\n\r\n").status, 204) << "nothing is done";
}

TEST(ServerBudget, TheRefusalOfALargeAnswerHasTheFormOfItsPath) {
  TestServer server(
      [](Router& router) {
        AddLargeRoute(router);
        router.SetErrors("/lar", [](int status, std::string_view) { return HttpResponse::Text(status, "own words"); });
      },
      {}, 1, {}, WithLoopback([](PeerLimits& limits) { limits.max_unread_bytes_per_address = 1u << 20; }));
  TestClient reader(server.port());
  reader.Send(GetLarge());
  WaitForUnread(server, (1u << 20) + 1);
  TestClient second(server.port());
  const auto answer = second.Request(GetLarge());
  EXPECT_EQ(answer.status, 429);
  EXPECT_EQ(answer.headers.count("retry-after"), 1u);
  EXPECT_EQ(answer.body, "own words");
}

TEST(ServerBudget, WebSocketsOfAnAddressThatDoesNotReadAreDropped) {
  BudgetLimits limits;
  limits.loopback.max_unread_bytes_per_address = 1u << 20;
  ServerLimits server_limits;
  server_limits.max_outbox_bytes = 100u << 20;
  TestServer server(AddLargeRoute, server_limits, 1, {}, limits);
  TestClient small(server.port());
  ASSERT_EQ(small.Upgrade("/echo").status, 101);
  TestClient reader(server.port());
  reader.Send(GetLarge());
  WaitForUnread(server, (1u << 20) + 1);
  TestClient socket(server.port());
  ASSERT_EQ(socket.Upgrade("/echo").status, 101);
  const std::string message = ClientFrame(0x81, std::string(1u << 20, 'x'));
  for (std::size_t sent = 0; sent < kLarge; sent += 1u << 20) socket.Send(message);
  // The messages are read in pieces, between which others have their turn.
  for (int i = 0; i < 1000 && TimesRefused(server, Limit::kUnreadBytesOfAddress) == 0; ++i) {
    small.Send(ClientFrame(0x81, "hi"));
    EXPECT_EQ(small.ReadFrame().payload, "hi");
  }
  int frames = 0;
  while (socket.ReadFrame().opcode == 1) ++frames;
  EXPECT_LT(frames, 24);
}

TEST(ServerBudget, AMessageHasADeadline) {
  TestServer server(AddPaidRoutes, {}, 1, {},
                    WithLoopback([](PeerLimits& limits) { limits.message_timeout = milliseconds(20); }));
  TestClient client(server.port());
  ASSERT_EQ(client.Upgrade("/echo").status, 101);
  client.Send(ClientFrame(0x81, "whole"));
  EXPECT_EQ(client.ReadFrame().payload, "whole");
  client.Send(ClientFrame(0x81, "cut short").substr(0, 8));
  const TestClient::Frame close = client.ReadFrame();
  EXPECT_EQ(close.code(), 1008);
  EXPECT_THAT(close.payload, HasSubstr("message_timeout"));
  EXPECT_EQ(TimesRefused(server, Limit::kMessageTime), 1);
}

TEST(ServerBudget, WithoutMemoryWhatComesAnewIsRefused) {
  std::atomic<std::uint64_t> resident = 1'000'001;  // outlives the server
  BudgetLimits limits;
  limits.max_memory = 1'000'000;
  TestServer server(
      [](Router& router) {
        AddPaidRoutes(router);
        static Metrics none;
        AddOperations(router, none, [] { return Result<void>(); });
      },
      {}, 1, {}, limits);
  TestClient old(server.port());
  TestClient old_socket(server.port());
  EXPECT_EQ(old.Request(kGetHome).status, 200);
  ASSERT_EQ(old_socket.Upgrade("/echo").status, 101);
  server.budget.MeasureWith([&resident] { return resident.load(); });
  server.budget.Measure();
  EXPECT_EQ(old.Request(kGetHome).status, 200) << "who was there goes on";
  old_socket.Send(ClientFrame(0x81, "hi"));
  EXPECT_EQ(old_socket.ReadFrame().payload, "hi");
  TestClient fresh(server.port());
  const auto answer = fresh.Request(kGetHome);
  EXPECT_EQ(answer.status, 503);
  EXPECT_EQ(answer.headers.count("retry-after"), 1u);
  EXPECT_THAT(answer.body, HasSubstr("max_memory"));
  TestClient health(server.port());
  EXPECT_EQ(health.Request("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n").status, 200);
  TestClient socket(server.port());
  EXPECT_EQ(socket.Upgrade("/echo").status, 503);
  const auto body = old.Request(PostHead("/hello", 100) + "the first bytes");
  EXPECT_EQ(body.status, 503) << "nor is a body taken";
  old_socket.Send(ClientFrame(0x01, "a little, "));
  old_socket.Send(ClientFrame(0x80, "in two pieces"));
  EXPECT_EQ(old_socket.ReadFrame().payload, "a little, in two pieces");
  old_socket.Send(ClientFrame(0x01, std::string(10'000, 'x')));
  const TestClient::Frame close = old_socket.ReadFrame();
  EXPECT_EQ(close.code(), 1013);
  EXPECT_THAT(close.payload, HasSubstr("max_memory"));
  resident = 0;
  server.budget.Measure();
  TestClient later(server.port());
  EXPECT_EQ(later.Request(kGetHome).status, 200);
}

}  // namespace
}  // namespace openseat::net
