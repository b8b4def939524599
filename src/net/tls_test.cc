#include "net/tls.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/ssl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <future>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "net/test_certificate.h"
#include "net/test_client.h"
#include "net/test_sealed_records.h"
#include "net/test_server.h"
#include "net/test_tls_client.h"
#include "net/websocket_client.h"

namespace openseat::net {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

// Sends one message of a given size when it opens, and closes when it is back.
class OnceSession final : public WebSocketSession {
 public:
  OnceSession(std::size_t size, std::promise<std::string>& ended) : size_(size), ended_(ended) {}
  void OnOpen(std::shared_ptr<WebSocket> socket) override {
    socket_ = std::move(socket);
    socket_->SendText(std::string(size_, 's'));
  }
  void OnText(std::string_view message) override {
    heard_ = message.size();
    socket_->Close(close_code::kNormal, "");
  }
  void OnBinary(std::string_view /*message*/) override {}
  void OnClosed(const Closing& closing) override {
    ended_.set_value("closed " + std::to_string(closing.code) + " after " + std::to_string(heard_));
  }

 private:
  const std::size_t size_;
  std::promise<std::string>& ended_;
  std::shared_ptr<WebSocket> socket_;
  std::size_t heard_ = 0;
};

std::string Call(TestServer& server, const std::string& host, std::size_t size = 5) {
  std::promise<std::string> ended;
  Shard& shard = server.shards.at(0);
  shard.Post([&] {
    ConnectWebSocket(shard, "wss://" + host + ":" + std::to_string(server.port()) + "/echo", {},
                     std::make_unique<OnceSession>(size, ended),
                     [&](const Error& error) { ended.set_value("failed: " + error.message); });
  });
  return ended.get_future().get();
}

void AddEchoRoute(Router& router) {
  router.AddWebSocket("/echo", {}, EchoFactory());
}

// Whose guard refuses each path but one for another reason.
void AddGuardedRoutes(Router& router) {
  AddEchoRoute(router);
  for (const char* path : {"/free", "/secret", "/closed", "/busy"}) {
    router.Add(Method::kGet, path, {},
               [](const HttpRequest&, HttpReply reply) { std::move(reply).Send(HttpResponse::Text(200, "")); });
  }
  router.SetGuard([](const HttpRequest& request) -> Result<void> {
    if (request.path == "/secret") return Fail(ErrorCode::kUnauthorized, "a token is missing");
    if (request.path == "/closed") return Fail(ErrorCode::kDenied, "not for you");
    if (request.path == "/busy") return Fail(ErrorCode::kBusy, "later");
    return {};
  });
}

class TlsTest : public ::testing::Test {
 protected:
  void TearDown() override { unsetenv("SSL_CERT_FILE"); }
  static void Trust(const TestCertificate& certificate) {
    setenv("SSL_CERT_FILE", certificate.certificate().c_str(), 1);
  }
};

TEST_F(TlsTest, CarriesMessagesBothWays) {
  const TestCertificate certificate("DNS:localhost,IP:127.0.0.1");
  Trust(certificate);
  TestServer server(AddEchoRoute, {}, 1, certificate.Address());
  EXPECT_EQ(Call(server, "localhost"), "closed 1000 after 5");
  EXPECT_EQ(Call(server, "127.0.0.1", 3'000'000), "closed 1000 after 3000000");
}

TEST_F(TlsTest, NewConnectionsGetNewCertificates) {
  std::optional<TestCertificate> certificate(std::in_place, "DNS:localhost");
  TestServer server(AddEchoRoute, {}, 1, certificate->Address());
  const ListenAddress address = certificate->Address();
  certificate.emplace("DNS:localhost");  // another one under the same names
  Trust(*certificate);
  EXPECT_THAT(Call(server, "localhost"), StartsWith("failed: no secure connection"));
  const auto use = [&](const ListenAddress& with) {
    Result<void> used;
    server.On(0, [&] { used = server.server->UseCertificates({with}); });
    return used ? "" : used.error().message;
  };
  EXPECT_EQ(use(address), "");
  EXPECT_EQ(Call(server, "localhost"), "closed 1000 after 5");
  // An unusable certificate changes nothing.
  ListenAddress missing = address;
  missing.key_file += ".none";
  EXPECT_THAT(use(missing), HasSubstr("cannot read the private key"));
  EXPECT_THAT(use(ListenAddress()), HasSubstr("restart"));
  EXPECT_EQ(Call(server, "localhost"), "closed 1000 after 5");
}

TEST_F(TlsTest, AClientTrustsOnlyKnownAuthorities) {
  const TestCertificate certificate("DNS:localhost");
  TestServer server(AddEchoRoute, {}, 1, certificate.Address());
  EXPECT_THAT(Call(server, "localhost"), ::testing::AllOf(StartsWith("failed: no secure connection to localhost:"),
                                                          HasSubstr("self-signed certificate")));
}

TEST_F(TlsTest, AClientWantsTheRightName) {
  const TestCertificate certificate("DNS:elsewhere.example");
  Trust(certificate);
  TestServer server(AddEchoRoute, {}, 1, certificate.Address());
  EXPECT_THAT(Call(server, "localhost"), HasSubstr("hostname mismatch"));
  EXPECT_THAT(Call(server, "127.0.0.1"), HasSubstr("IP address mismatch"));
}

TEST_F(TlsTest, AClientSaysWhenTheServerHasNoTls) {
  TestServer server(AddEchoRoute);
  EXPECT_THAT(Call(server, "localhost"), HasSubstr("wrong version number"));
}

TEST_F(TlsTest, APlainClientIsTurnedAway) {
  const TestCertificate certificate("DNS:localhost");
  TestServer server(AddEchoRoute, {}, 1, certificate.Address());
  TestClient client(server.port());
  client.Send("GET /echo HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(client.ReadAnswer().status, 0);
}

TEST_F(TlsTest, ARequestSaysWhetherItsClientUsesTls) {
  const TestCertificate certificate("DNS:localhost");
  TestServer server(
      [](Router& router) {
        router.Add(Method::kGet, "/", {}, [](const HttpRequest& request, HttpReply reply) {
          std::move(reply).Send(HttpResponse::Text(200, request.https ? "it does" : "unknown"));
        });
      },
      {}, 1, certificate.Address());
  const auto ask = [&](const std::string& headers) {
    OpenSslClient client(server.port());
    EXPECT_TRUE(client.Connect());
    return client.Ask("GET / HTTP/1.1\r\nHost: localhost\r\n" + headers + "\r\n");
  };
  EXPECT_THAT(ask(""), HasSubstr("it does"));
  EXPECT_THAT(ask("Via: 1.1 proxy\r\n"), HasSubstr("unknown")) << "only the proxy used TLS for certain";
}

TEST_F(TlsTest, OldVersionsAndWeakCiphersAreRefused) {
  const TestCertificate certificate("DNS:localhost");
  TestServer server(AddEchoRoute, {}, 1, certificate.Address());
  const auto connects = [&](int version, const char* ciphers) {
    OpenSslClient client(server.port());
    SSL_CTX_set_security_level(client.context(), 0);
    SSL_CTX_set_min_proto_version(client.context(), version);
    SSL_CTX_set_max_proto_version(client.context(), version);
    EXPECT_EQ(SSL_CTX_set_cipher_list(client.context(), ciphers), 1) << ciphers;
    return client.Connect();
  };
  EXPECT_TRUE(connects(TLS1_3_VERSION, "ALL"));
  EXPECT_TRUE(connects(TLS1_2_VERSION, "ECDHE-ECDSA-AES128-GCM-SHA256"));
  EXPECT_TRUE(connects(TLS1_2_VERSION, "ECDHE-ECDSA-CHACHA20-POLY1305"));
  EXPECT_FALSE(connects(TLS1_2_VERSION, "ECDHE-ECDSA-AES128-SHA256")) << "encrypts without authenticating";
  EXPECT_FALSE(connects(TLS1_2_VERSION, "ECDHE-ECDSA-AES128-SHA"));
  EXPECT_FALSE(connects(TLS1_2_VERSION, "DHE-RSA-AES128-GCM-SHA256"));
  EXPECT_FALSE(connects(TLS1_1_VERSION, "ALL:@SECLEVEL=0"));
}

constexpr const char* kRequest = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";
constexpr const char* kUpgrade =
    "GET /echo HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
    "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n";

bool HasMetric(const TestServer& server, const std::string& line) {
  return server.metrics.Text().find(line + "\n") != std::string::npos;
}

TEST_F(TlsTest, RecordsWithoutDataEndAConnection) {
  const TestCertificate certificate("DNS:localhost");
  TestServer server(AddEchoRoute, {}, 1, certificate.Address());
  OpenSslClient client(server.port());
  ASSERT_TRUE(client.Connect());
  EXPECT_THAT(client.Ask(kRequest), StartsWith("HTTP/1.1 404"));
  for (int i = 0; i < 3; ++i) {
    client.SendKeyUpdates(TlsRecords::kMostWithoutData - 1, kRequest);
    EXPECT_THAT(client.Read(), StartsWith("HTTP/1.1 404"));
  }
  client.SendKeyUpdates(TlsRecords::kMostWithoutData + 1, kRequest);
  EXPECT_EQ(client.Read(), "");

  OpenSslClient tab(server.port());
  ASSERT_TRUE(tab.Connect());
  EXPECT_THAT(tab.Ask(kUpgrade), StartsWith("HTTP/1.1 101"));
  tab.SendKeyUpdates(TlsRecords::kMostWithoutData - 1, ClientFrame(0x81, "hi"));
  EXPECT_EQ(tab.Read(), "\x81\x02hi");
  tab.SendKeyUpdates(TlsRecords::kMostWithoutData + 1, ClientFrame(0x81, "hi"));
  EXPECT_EQ(tab.Read(), "");
  EXPECT_TRUE(HasMetric(server, "openseat_tls_excess_total 2"));
}

TEST_F(TlsTest, APartOfAMessageEndsAConnection) {
  const TestCertificate certificate("DNS:localhost");
  TestServer server(AddEchoRoute, {}, 1, certificate.Address());
  const std::string key_update("\x18\0\0\1\0", 5);
  for (const std::string first : {kRequest, kUpgrade}) {
    OpenSslClient client(server.port());
    SealedRecords records(client.context());
    ASSERT_TRUE(client.Connect());
    client.SendAsItIs(records.Seal(SealedRecords::kHandshake, key_update));
    records.ChangeKey();
    client.SendAsItIs(records.Seal(SealedRecords::kData, first));
    EXPECT_THAT(client.Read(), StartsWith("HTTP/1.1 "));
    client.SendAsItIs(records.Seal(SealedRecords::kHandshake, key_update.substr(0, 4)));
    EXPECT_EQ(client.Read(), "");
  }
  EXPECT_TRUE(HasMetric(server, "openseat_tls_excess_total 2"));
}

TEST_F(TlsTest, RecordsWithoutDataAreMessages) {
  const TestCertificate certificate("DNS:localhost");
  BudgetLimits limits;
  limits.loopback.messages = {.per_second = 0.001, .burst = 10};
  TestServer server(AddEchoRoute, {}, 1, certificate.Address(), limits);
  OpenSslClient client(server.port());
  // The connection itself counts as ten, but of the address.
  ASSERT_TRUE(client.Connect());
  client.SendKeyUpdates(5, kRequest);
  EXPECT_THAT(client.Read(), StartsWith("HTTP/1.1 404"));
  client.SendKeyUpdates(5, kRequest);
  EXPECT_EQ(client.Read(), "");
  EXPECT_TRUE(HasMetric(server, "openseat_refused_total{budget=\"messages_per_second\"} 1"));
}

TEST_F(TlsTest, ARenegotiationEndsAConnection) {
  const TestCertificate certificate("DNS:localhost");
  TestServer server(AddEchoRoute, {}, 1, certificate.Address());
  OpenSslClient client(server.port());
  SSL_CTX_set_max_proto_version(client.context(), TLS1_2_VERSION);
  ASSERT_TRUE(client.Connect());
  EXPECT_THAT(client.Ask(kRequest), StartsWith("HTTP/1.1 404"));
  ASSERT_EQ(SSL_renegotiate(client.ssl()), 1);
  EXPECT_NE(SSL_do_handshake(client.ssl()), 1);
  EXPECT_TRUE(HasMetric(server, "openseat_tls_excess_total 1"));
}

// A record with the beginning of a ClientHello of this size: all of it, or so much of it.
std::string BegunHello(std::size_t size, std::size_t sent) {
  const auto number = [](std::size_t value, int bytes) {
    std::string out;
    for (int i = bytes - 1; i >= 0; --i) out.push_back(static_cast<char>(value >> (8 * i)));
    return out;
  };
  return "\x16\x03\x01" + number(sent, 2) + "\x01" + number(size, 3) + std::string(sent - 4, 'a');
}

TEST_F(TlsTest, ALongHelloEndsAConnection) {
  const TestCertificate certificate("DNS:localhost");
  TestServer server(AddEchoRoute, {}, 1, certificate.Address());
  TestClient client(server.port());
  client.Send(BegunHello(131'000, 8));
  EXPECT_TRUE(client.AtEnd());
  EXPECT_TRUE(HasMetric(server, "openseat_tls_excess_total 1"));
}

TEST_F(TlsTest, AHandshakeCountsFromTheAcceptToItsEnd) {
  const TestCertificate certificate("DNS:localhost");
  TestServer server(AddEchoRoute, {}, 1, certificate.Address());
  TestClient silent(server.port());
  while (server.budget.held(Holding::kHandshakeBytes) < TlsStream::kHandshakeBytes) std::this_thread::yield();
  silent.Send(BegunHello(16'000, 400).substr(0, 9));
  while (server.budget.held(Holding::kHandshakeBytes) == TlsStream::kHandshakeBytes) std::this_thread::yield();
  EXPECT_EQ(server.budget.held(Holding::kHandshakeBytes), TlsStream::kHandshakeBytes + 9) << "what has come";
  OpenSslClient client(server.port());
  ASSERT_TRUE(client.Connect());
  EXPECT_THAT(client.Ask(kRequest), StartsWith("HTTP/1.1 404"));
  EXPECT_EQ(server.budget.held(Holding::kHandshakeBytes), TlsStream::kHandshakeBytes + 9) << "that of the other";
  silent.EndSending();
  while (server.budget.held(Holding::kHandshakeBytes) > 0) std::this_thread::yield();
}

TEST_F(TlsTest, AnAddressHasALimitOnHandshakes) {
  const TestCertificate certificate("DNS:localhost");
  BudgetLimits limits;
  limits.loopback.max_unfinished_bytes_per_address = 2 * TlsStream::kHandshakeBytes - 1;
  TestServer server(AddEchoRoute, {}, 1, certificate.Address(), limits);
  {
    TestClient first(server.port());
    while (server.budget.held(Holding::kHandshakeBytes) == 0) std::this_thread::yield();
    TestClient second(server.port());
    EXPECT_TRUE(second.AtEnd());
    EXPECT_TRUE(HasMetric(server, "openseat_refused_total{budget=\"max_unfinished_bytes_per_address\"} 1"));
  }
  while (server.budget.held(Holding::kHandshakeBytes) > 0) std::this_thread::yield();
  OpenSslClient client(server.port());
  ASSERT_TRUE(client.Connect());
  EXPECT_THAT(client.Ask(kRequest), StartsWith("HTTP/1.1 404"));
}

TEST_F(TlsTest, UnfinishedBytesOfOthersPreventNoHandshake) {
  const TestCertificate certificate("DNS:localhost");
  BudgetLimits limits;
  limits.max_unfinished_bytes = 10'000;
  TestServer server(AddEchoRoute, {}, 1, certificate.Address(), limits);
  const std::shared_ptr<Payer> other = server.budget.PayerOf("192.0.2.1", Instant());
  const auto strangers = other->Hold(Holding::kUnfinishedBytes, 7'500);
  ASSERT_TRUE(strangers);
  EXPECT_FALSE(other->Hold(Holding::kUnfinishedBytes)) << "the rest is for others";
  std::vector<Lease> ours;
  while (auto lease = server.budget.OwnPayer()->Hold(Holding::kUnfinishedBytes, 25)) ours.push_back(std::move(*lease));
  ASSERT_EQ(ours.size(), 100u);
  OpenSslClient client(server.port());
  ASSERT_TRUE(client.Connect());
  EXPECT_THAT(client.Ask(kRequest), StartsWith("HTTP/1.1 404"));
}

TEST_F(TlsTest, BrowsersAreToldToComeOverTls) {
  const TestCertificate certificate("DNS:localhost");
  ServerLimits limits;
  limits.header_timeout = std::chrono::seconds(2);
  limits.max_header_bytes = 300;
  TestServer server(AddGuardedRoutes, limits, 1, certificate.Address());
  const std::string host = "Host: localhost\r\n";
  const std::string upgrade = "GET /echo HTTP/1.1\r\n" + host + "Connection: Upgrade\r\nUpgrade: websocket\r\n" +
                              "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";
  for (const auto& [request, status] :
       {std::pair("GET / HTTP/1.1\r\n" + host + "\r\n", "404"),
        std::pair(upgrade + "Sec-WebSocket-Version: 13\r\n\r\n", "101"),
        std::pair(upgrade + "Sec-WebSocket-Version: 12\r\n\r\n", "426"),
        std::pair("GET /echo HTTP/1.1\r\n" + host + "\r\n", "426"), std::pair(std::string("nonsense\r\n\r\n"), "400"),
        std::pair("GET /free HTTP/1.1\r\n" + host + "\r\n", "200"),
        std::pair("GET /secret HTTP/1.1\r\n" + host + "\r\n", "401"),
        std::pair("GET /closed HTTP/1.1\r\n" + host + "\r\n", "403"),
        std::pair("POST /free HTTP/1.1\r\n" + host + "\r\n", "405"),
        std::pair("GET /free HTTP/1.1\r\n" + host + "A", "408"),
        std::pair("POST /free HTTP/1.1\r\n" + host + "Content-Length: 99999999\r\n\r\n", "413"),
        std::pair("GET /" + std::string(400, 'a') + " HTTP/1.1\r\n" + host + "\r\n", "414"),
        std::pair("GET /busy HTTP/1.1\r\n" + host + "\r\n", "429"),
        std::pair("GET / HTTP/1.1\r\n" + host + "A: " + std::string(400, 'a') + "\r\n\r\n", "431")}) {
    OpenSslClient client(server.port());
    ASSERT_TRUE(client.Connect());
    const std::string answer = client.Ask(request);
    EXPECT_THAT(answer, StartsWith("HTTP/1.1 " + std::string(status)));
    EXPECT_THAT(answer, HasSubstr("\r\nStrict-Transport-Security: max-age=31536000\r\n")) << status;
  }
  TestServer plain(AddEchoRoute);
  TestClient other(plain.port());
  EXPECT_FALSE(
      other.Request("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n").headers.contains("strict-transport-security"));
  TestClient socket(plain.port());
  EXPECT_FALSE(socket.Upgrade("/echo").headers.contains("strict-transport-security"));
}

TEST_F(TlsTest, SaysWhichFileCannotBeRead) {
  const TestCertificate certificate("DNS:localhost");
  auto made = TlsContext::ForServer(certificate.certificate(), certificate.certificate());
  ASSERT_FALSE(made.has_value());
  EXPECT_THAT(made.error().message,
              HasSubstr("cannot read the private key " + certificate.certificate() + ": expected PEM"));
  made = TlsContext::ForServer("/does/not/exist", certificate.key());
  ASSERT_FALSE(made.has_value());
  EXPECT_THAT(made.error().message,
              StartsWith("cannot read the certificate /does/not/exist: No such file or directory"));
  EXPECT_EQ(made.error().path, "/does/not/exist");
}

TEST_F(TlsTest, SaysWhenTheKeyIsThatOfAnotherCertificate) {
  std::optional<TestCertificate> certificate(std::in_place, "DNS:localhost");
  const std::string other = ::testing::TempDir() + "openseat-other-key-" + std::to_string(getpid()) + ".pem";
  std::filesystem::copy_file(certificate->key(), other);
  certificate.emplace("DNS:localhost");
  const auto made = TlsContext::ForServer(certificate->certificate(), other);
  std::filesystem::remove(other);
  ASSERT_FALSE(made.has_value());
  EXPECT_EQ(made.error().message, "the private key does not belong to the certificate");
  EXPECT_EQ(made.error().path, other);
}

}  // namespace
}  // namespace openseat::net
