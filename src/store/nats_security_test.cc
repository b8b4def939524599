// A NATS server that wants TLS and credentials, and what a node says that comes without them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nats/nats.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <string>
#include <string_view>
#include <thread>

#include "base/check.h"
#include "store/nats_test_credentials.h"
#include "store/registry_test_support.h"
#include "testing/fake_scheduler.h"

namespace openseat::store {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

bool RunsOpenssl(const std::string& arguments) {
  return std::system(("openssl " + arguments + " >/dev/null 2>&1").c_str()) == 0;
}

class NatsSecurityTest : public ::testing::Test {
 protected:
  void SetUp() override {
#ifdef __SANITIZE_THREAD__
    GTEST_SKIP() << "libnats 3.4.1 reads and writes a TLS connection on two threads (docs/cluster.md)";
#endif
    if (!NatsTestServer::installed()) GTEST_SKIP() << NatsTestServer::kMissing;
    if (!RunsOpenssl("version")) GTEST_SKIP() << "openssl is not installed: apt-get install openssl";
    MakeCertificate("server");
    MakeCertificate("client");
    MakeCertificate("other");
  }
  std::string Path(const std::string& name) const { return directory_.File(name.c_str()); }
  // A certificate for this machine that is its own authority, and its key.
  void MakeCertificate(const std::string& name) {
    ASSERT_TRUE(RunsOpenssl(
        "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=" + name +
        " -addext subjectAltName=IP:127.0.0.1 -keyout " + Path(name + ".key") + " -out " + Path(name + ".pem")));
  }
  std::string WriteFile(const std::string& name, const std::string& text) {
    std::ofstream(Path(name)) << text;
    return Path(name);
  }
  // As `nsc` writes them.
  std::string WriteCredentials(const std::string& name, const std::string& seed) {
    return WriteFile(name, "-----BEGIN NATS USER JWT-----\n" + std::string(kTestUser) +
                               "\n------END NATS USER JWT------\n\n-----BEGIN USER NKEY SEED-----\n" + seed +
                               "\n------END USER NKEY SEED------\n");
  }
  std::string Tls(const std::string& more = {}) {
    return "tls {\n  cert_file: \"" + Path("server.pem") + "\"\n  key_file: \"" + Path("server.key") + "\"\n" + more +
           "}\n";
  }
  static std::string Accounts() {
    return std::string("operator: ") + kTestOperator + "\nsystem_account: " + kTestSystemAccount +
           "\nresolver: MEMORY\nresolver_preload: {\n  " + kTestSystemAccount + ": " + kTestSystemAccountText + "\n  " +
           kTestAccount + ": " + kTestAccountText + "\n}\n";
  }
  // Both ports on this server, with what they write and read again.
  void ExpectWorks(const NatsLinkOptions& link) {
    const std::string cluster = NatsTestServer::NewCluster();
    NatsRegistryOptions registry;
    registry.log.link = link;
    registry.log.cluster = cluster;
    const auto opened = MustOpenNatsRegistry(registry, clock_);
    const auto made = AskRegistry<Account>(
        scheduler_, [&](auto& scheduler, auto done) { opened->CreateAccount("Alex", scheduler, std::move(done)); });
    EXPECT_TRUE(made) << made.error().message;
    NatsJournalOptions options;
    options.link = link;
    options.cluster = cluster;
    options.shards = 1;
    options.settle_timeout = std::chrono::minutes(2);
    const auto journal = NatsJournal::Open(options);
    ASSERT_TRUE(journal) << journal.error().message;
    ASSERT_TRUE((*journal)->ClaimAll());
    EXPECT_EQ(AppendNow(**journal, "a", 0, {MakeEvent(EventKind::kOpened, "1")}), Seq{1});
    EXPECT_EQ((*journal)->Read(TableId("a"), 0, 10)->size(), 1u);
  }
  // Neither port opens; both say the same, which is returned.
  std::string Refused(const NatsLinkOptions& link, ErrorCode code) {
    NatsRegistryOptions registry;
    registry.log.link = link;
    NatsJournalOptions journal;
    journal.link = link;
    const auto first = NatsRegistry::Open(registry, clock_);
    const auto second = NatsJournal::Open(journal);
    EXPECT_FALSE(first);
    EXPECT_FALSE(second);
    if (first || second) return "it opens";
    EXPECT_EQ(first.error().code, code) << first.error().message;
    EXPECT_EQ(first.error().message, second.error().message);
    return first.error().message;
  }

  const TemporaryDirectory directory_;
  openseat::testing::FakeClock clock_;
  MailboxScheduler scheduler_;
};

TEST_F(NatsSecurityTest, CredentialsAndTlsByFiles) {
  const NatsTestServer server(Tls() + Accounts());
  ASSERT_THAT(server.url(), HasSubstr("tls://"));
  const NatsLinkOptions good{.servers = server.url(),
                             .name = "test",
                             .credentials = WriteCredentials("user.creds", kTestUserSeed),
                             .ca = Path("server.pem")};
  ExpectWorks(good);

  NatsLinkOptions link = good;
  link.credentials = WriteCredentials("stranger.creds", kTestStrangerSeed);
  EXPECT_EQ(Refused(link, ErrorCode::kDenied),
            "NATS at " + server.url() + " refuses these credentials, or this user and password");
  link.credentials = "";
  EXPECT_THAT(Refused(link, ErrorCode::kDenied), HasSubstr("refuses these credentials"));
  link.credentials = Path("none.creds");
  EXPECT_EQ(Refused(link, ErrorCode::kInvalid),
            "cannot use " + link.credentials + " as the credentials for NATS: it cannot be read");

  link = good;
  link.ca = Path("other.pem");
  EXPECT_THAT(Refused(link, ErrorCode::kDenied),
              AllOf(HasSubstr("no TLS with NATS at " + server.url()), HasSubstr("certificate")));
  link.ca = "";  // nobody whom this machine trusts signed it
  EXPECT_THAT(Refused(link, ErrorCode::kDenied), HasSubstr("no TLS with NATS at "));
  link.ca = WriteFile("text.pem", "no certificate");
  EXPECT_THAT(Refused(link, ErrorCode::kInvalid), HasSubstr("text.pem as the certificates of authorities for NATS"));
}

// Says what a NATS server says first, and then what the test wants.
class FakeServer {
 public:
  // `settings`: more members of what it says first, of the connection with this number. `serve`: what follows.
  FakeServer(const std::string& scheme, std::function<std::string(int)> settings, std::function<void(int)> serve)
      : listener_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    OPENSEAT_CHECK(bind(listener_, reinterpret_cast<sockaddr*>(&address), size) == 0, "a port is free");
    OPENSEAT_CHECK(listen(listener_, 8) == 0, "it can be listened to");
    getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size);
    url_ = scheme + "://127.0.0.1:" + std::to_string(ntohs(address.sin_port));
    thread_ = std::thread([this, settings = std::move(settings), serve = std::move(serve)] {
      for (int one = 0; (one = accept(listener_, nullptr, nullptr)) >= 0; close(one)) {
        Say(one, R"(INFO {"server_id":"a","version":"2.9.10","headers":true,"max_payload":1048576,)" +
                     settings(connections_++) + "}\r\n");
        serve(one);
      }
    });
  }
  ~FakeServer() {
    shutdown(listener_, SHUT_RDWR);
    thread_.join();
    close(listener_);
  }
  static void Say(int to, const std::string& text) { send(to, text.data(), text.size(), MSG_NOSIGNAL); }
  const std::string& url() const { return url_; }
  int connections() const { return connections_; }

 private:
  const int listener_;
  std::string url_;
  std::atomic<int> connections_ = 0;
  std::thread thread_;
};

TEST_F(NatsSecurityTest, AHandshakeThatIsCutIsNoRefusal) {
  const FakeServer server(
      "tls", [](int) { return R"("tls_required":true)"; },
      [](int one) {
        char hello[4096];
        recv(one, hello, sizeof(hello), 0);
      });
  EXPECT_THAT(Refused({.servers = server.url(), .name = "test", .ca = Path("server.pem")}, ErrorCode::kIo),
              AllOf(HasSubstr("no TLS with NATS at " + server.url() + ": "), Not(HasSubstr("certificate"))));
}

TEST_F(NatsSecurityTest, ASignatureThatTheLibraryLeavesOutIsNoRefusal) {
  // Signed by the user, the first nonce gives 64 bytes of which the first is 0.
  const FakeServer server(
      "nats",
      [](int connection) {
        return R"("auth_required":true,"nonce":")" + std::string(connection == 0 ? "nonce407" : "nonce0") + "\"";
      },
      [](int one) {
        std::string said;
        char some[4096];
        for (ssize_t got = 0; (got = recv(one, some, sizeof(some), 0)) > 0;) {
          said.append(some, static_cast<std::size_t>(got));
          if (said.find("PING\r\n") == std::string::npos) continue;
          const bool is_signed = said.find(R"("sig":")") != std::string::npos;
          FakeServer::Say(one, is_signed ? "PONG\r\n" : "-ERR 'Authorization Violation'\r\n");
          if (!is_signed) return;
          said.clear();
        }
      });
  const auto link = NatsLink::Connect(
      {.servers = server.url(), .name = "test", .credentials = WriteCredentials("user.creds", kTestUserSeed)},
      [](std::string_view, const NatsLink::Answer&) {});
  EXPECT_TRUE(link) << link.error().message;
  // Later versions send that signature, too.
  const bool leaves_out = nats_GetVersionNumber() < 0x030800;
  EXPECT_EQ(server.connections(), leaves_out ? 2 : 1);
}

TEST_F(NatsSecurityTest, AUserAndAPasswordAreInNoMessage) {
  const NatsTestServer server(Tls() + "authorization { user: openseat, password: \"good-word\" }\n");
  const std::string address = server.url().substr(server.url().find("://") + 3);
  NatsLinkOptions link{.servers = "tls://openseat:good-word@" + address, .name = "test", .ca = Path("server.pem")};
  ExpectWorks(link);
  link.servers = "tls://openseat:bad-word@" + address;
  EXPECT_THAT(Refused(link, ErrorCode::kDenied), AllOf(HasSubstr("user and password"), Not(HasSubstr("bad-word"))));
}

TEST_F(NatsSecurityTest, AServerMayAskForACertificate) {
  const NatsTestServer server(Tls("  ca_file: \"" + Path("client.pem") + "\"\n  verify: true\n"));
  NatsLinkOptions link{.servers = server.url(),
                       .name = "test",
                       .ca = Path("server.pem"),
                       .certificate = Path("client.pem"),
                       .key = Path("client.key")};
  ExpectWorks(link);
  link.key = Path("other.key");
  EXPECT_THAT(Refused(link, ErrorCode::kInvalid), HasSubstr("client.pem as the certificate for NATS"));
  const NatsLinkOptions without{.servers = server.url(), .name = "test", .ca = Path("server.pem")};
  EXPECT_FALSE(NatsRegistry::Open({.log = {.link = without}}, clock_));
}

}  // namespace
}  // namespace openseat::store
