#include "net/tls.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <future>
#include <string>

#include "net/test_client.h"
#include "net/test_server.h"
#include "net/websocket_client.h"

namespace openseat::net {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

// A self-signed certificate for `name` ("DNS:localhost,IP:127.0.0.1") and its key, in files that go with the object.
class TestCertificate {
 public:
  explicit TestCertificate(const std::string& name)
      : folder_(std::filesystem::temp_directory_path() / ("openseat-tls-" + std::to_string(getpid()))) {
    std::filesystem::create_directories(folder_);
    EVP_PKEY* key = EVP_EC_gen("P-256");
    X509* certificate = X509_new();
    X509_set_version(certificate, 2);
    ASN1_INTEGER_set(X509_get_serialNumber(certificate), 1);
    X509_gmtime_adj(X509_getm_notBefore(certificate), -60);
    X509_gmtime_adj(X509_getm_notAfter(certificate), 3600);
    X509_set_pubkey(certificate, key);
    X509_NAME* subject = X509_get_subject_name(certificate);
    X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC, reinterpret_cast<const unsigned char*>("test"), -1, -1, 0);
    X509_set_issuer_name(certificate, subject);
    X509_EXTENSION* names = X509V3_EXT_conf_nid(nullptr, nullptr, NID_subject_alt_name, name.c_str());
    X509_add_ext(certificate, names, -1);
    X509_EXTENSION_free(names);
    X509_sign(certificate, key, EVP_sha256());
    Write(this->certificate(), [&](std::FILE* file) { PEM_write_X509(file, certificate); });
    Write(this->key(),
          [&](std::FILE* file) { PEM_write_PrivateKey(file, key, nullptr, nullptr, 0, nullptr, nullptr); });
    X509_free(certificate);
    EVP_PKEY_free(key);
  }
  ~TestCertificate() { std::filesystem::remove_all(folder_); }
  TestCertificate(const TestCertificate&) = delete;
  TestCertificate& operator=(const TestCertificate&) = delete;

  std::string certificate() const { return folder_ / "certificate.pem"; }
  std::string key() const { return folder_ / "key.pem"; }
  ListenAddress Address() const {
    ListenAddress address;
    address.certificate_file = certificate();
    address.key_file = key();
    return address;
  }

 private:
  static void Write(const std::string& path, const std::function<void(std::FILE*)>& write) {
    std::FILE* file = std::fopen(path.c_str(), "w");
    write(file);
    std::fclose(file);
  }

  const std::filesystem::path folder_;
};

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
  void OnClosed(std::uint16_t code, std::string_view /*reason*/) override {
    ended_.set_value("closed " + std::to_string(code) + " after " + std::to_string(heard_));
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

void AddRoutes(Router& router) {
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
  TestServer server(AddRoutes, {}, 1, certificate.Address());
  EXPECT_EQ(Call(server, "localhost"), "closed 1000 after 5");
  EXPECT_EQ(Call(server, "127.0.0.1", 3'000'000), "closed 1000 after 3000000");
}

TEST_F(TlsTest, AClientTrustsOnlyKnownAuthorities) {
  const TestCertificate certificate("DNS:localhost");
  TestServer server(AddRoutes, {}, 1, certificate.Address());
  EXPECT_THAT(Call(server, "localhost"), ::testing::AllOf(StartsWith("failed: no secure connection to localhost:"),
                                                          HasSubstr("self-signed certificate")));
}

TEST_F(TlsTest, AClientWantsTheRightName) {
  const TestCertificate certificate("DNS:elsewhere.example");
  Trust(certificate);
  TestServer server(AddRoutes, {}, 1, certificate.Address());
  EXPECT_THAT(Call(server, "localhost"), HasSubstr("hostname mismatch"));
  EXPECT_THAT(Call(server, "127.0.0.1"), HasSubstr("IP address mismatch"));
}

TEST_F(TlsTest, AClientSaysWhenTheServerHasNoTls) {
  TestServer server(AddRoutes);
  EXPECT_THAT(Call(server, "localhost"), HasSubstr("wrong version number"));
}

TEST_F(TlsTest, APlainClientIsTurnedAway) {
  const TestCertificate certificate("DNS:localhost");
  TestServer server(AddRoutes, {}, 1, certificate.Address());
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
