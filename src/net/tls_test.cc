#include "net/tls.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <future>
#include <optional>
#include <string>

#include "net/test_certificate.h"
#include "net/test_client.h"
#include "net/test_server.h"
#include "net/websocket_client.h"

namespace openseat::net {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

// Sends one message of a size when it opens and closes when it is back.
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
  // What cannot be used changes nothing.
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

TEST_F(TlsTest, SaysWhichFileCannotBeRead) {
  const TestCertificate certificate("DNS:localhost");
  auto made = TlsContext::ForServer(certificate.certificate(), certificate.certificate());
  ASSERT_FALSE(made.has_value());
  EXPECT_THAT(made.error().message, StartsWith("cannot read the private key: "));
  made = TlsContext::ForServer("/does/not/exist", certificate.key());
  ASSERT_FALSE(made.has_value());
  EXPECT_THAT(made.error().message, StartsWith("cannot read the certificate: "));
  EXPECT_EQ(made.error().path, "/does/not/exist");
}

}  // namespace
}  // namespace openseat::net
