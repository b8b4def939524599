// A log that nobody reads, and SIGHUP.
#include <fcntl.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "attack/attack.h"
#include "net/test_certificate.h"
#include "net/test_tls_client.h"

namespace openseat::tests {
namespace {

using ::testing::HasSubstr;

// Standard error is a pipe of 64 KiB with a reader that does not read.
TEST_F(Attack, ALogThatNobodyReads) {
  const std::string fifo = data_dir() + "/fifo";
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  const int reader = ::open(fifo.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  ASSERT_GE(reader, 0);
  {
    RealServer server(data_dir(), {"--shards", "1"}, fifo);
    // Of each connection, 50 messages before any game is known are lines of the log; a megabyte of them waits.
    std::string messages;
    for (int k = 0; k < 50; ++k) messages += net::ClientFrame(0x81, "this is not JSON at all");
    messages += net::ClientFrame(0x89, "done?");
    double lost = 0;
    for (std::size_t i = 0; i < 2000 && lost == 0; ++i) {
      WireClient client(server, "/");
      client.raw().Send(messages);
      EXPECT_EQ(client.raw().ReadFrame().opcode, 10) << i;
      if (i % 20 == 0) lost = server.Metric("openseat_log_lines_lost_total");
    }
    EXPECT_GT(lost, 0);
    EXPECT_EQ(server.Get("/api/v1/tables").at("tables").as_array().size(), 0u);
    // The server stops although nobody reads.
    server.Signal(SIGTERM);
    EXPECT_EQ(server.Wait(), 0);
  }
  ::close(reader);
}

TEST_F(Attack, AHangupReadsTheSettingsAnew) {
  const std::string file = data_dir() + "/reload.toml";
  WriteTextFile(file, "[log]\nlevel = \"error\"\n");
  const std::string log = data_dir() + "/log";
  RealServer server(data_dir(), {"--config", file}, log);
  const auto warn = [&] {
    WireClient client(server, "/");
    client.raw().Send(net::ClientFrame(0x81, "this is not JSON at all") + net::ClientFrame(0x89, "done?"));
    EXPECT_EQ(client.raw().ReadFrame().opcode, 10);
  };
  warn();
  WriteTextFile(file, "[log]\nlevel = \"info\"\n");
  server.Signal(SIGHUP);
  while (server.Log().find("SIGHUP") == std::string::npos) std::this_thread::yield();
  EXPECT_THAT(server.Log(), ::testing::Not(HasSubstr("JSON"))) << "the level was error";
  warn();
  while (server.Log().find("JSON") == std::string::npos) std::this_thread::yield();
  WriteTextFile(file, "[log]\nlevel = \"loud\"\n");
  server.Signal(SIGHUP);
  while (server.Log().find("nothing is changed") == std::string::npos) std::this_thread::yield();
  EXPECT_EQ(server.Get("/api/v1/tables").at("tables").as_array().size(), 0u) << "and it still serves";
  server.Stop();
  const std::string audit = ReadTextFile(data_dir() + "/audit.log");
  EXPECT_THAT(audit,
              HasSubstr(R"("what":"SIGHUP: certificates and the log's level were read again","from":"signal"})"));
  EXPECT_THAT(audit, HasSubstr(R"("what":"SIGHUP: nothing is changed","from":"signal"})"));
}

// The certificate that a new connection is shown, in DER; "" if there is no connection.
std::string ShownCertificate(const RealServer& server) {
  net::OpenSslClient client(server.port());
  if (!client.Connect()) return "";
  X509* const certificate = SSL_get1_peer_certificate(client.ssl());
  std::string der(static_cast<std::size_t>(std::max(i2d_X509(certificate, nullptr), 0)), '\0');
  auto* out = reinterpret_cast<unsigned char*>(der.data());
  i2d_X509(certificate, &out);
  X509_free(certificate);
  return der;
}

TEST_F(Attack, AHangupShowsNewConnectionsTheNewCertificate) {
  std::optional<net::TestCertificate> certificate(std::in_place, "DNS:localhost");
  const std::string path = certificate->certificate();
  const std::string file = data_dir() + "/tls.toml";
  WriteTextFile(file, "[log]\nlevel = \"info\"\n");
  RealServer server(data_dir(), {"--config", file, "--certificate", path, "--key", certificate->key()},
                    data_dir() + "/log");
  const std::string first = ShownCertificate(server);
  ASSERT_NE(first, "");
  certificate.emplace("DNS:localhost");  // another one in the same files
  EXPECT_EQ(ShownCertificate(server), first) << "nobody has asked for it yet";
  server.Signal(SIGHUP);
  while (server.Log().find("were read again") == std::string::npos) std::this_thread::yield();
  const std::string second = ShownCertificate(server);
  EXPECT_NE(second, "");
  EXPECT_NE(second, first);
  WriteTextFile(path, "no certificate");
  server.Signal(SIGHUP);
  while (server.Log().find("nothing is changed") == std::string::npos) std::this_thread::yield();
  EXPECT_EQ(ShownCertificate(server), second);
  server.Stop();
}

}  // namespace
}  // namespace openseat::tests
