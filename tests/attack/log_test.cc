// A log that nobody reads, and SIGHUP.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <string>
#include <thread>
#include <vector>

#include "attack/attack.h"

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
    // Each message before any game is known is a line of the log.
    for (std::size_t i = 0; i < 40; ++i) {
      WireClient client(server, "/");
      for (int k = 0; k < 100; ++k) client.raw().Send(net::ClientFrame(0x81, "this is not JSON at all"));
      client.raw().Send(net::ClientFrame(0x89, "done?"));
      EXPECT_EQ(client.raw().ReadFrame().opcode, 10) << i;
    }
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
}

}  // namespace
}  // namespace openseat::tests
