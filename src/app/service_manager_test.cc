#include "app/service_manager.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>

#include "testing/fake_scheduler.h"

namespace openseat::app {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;
using Variables = std::map<std::string, std::string>;

constexpr Duration kWatchdog = std::chrono::seconds(30);

Result<ServiceEnvironment> Read(const Variables& variables) {
  return ReadServiceEnvironment(
      [&](const std::string& name) {
        const auto found = variables.find(name);
        return found == variables.end() ? std::nullopt : std::optional(found->second);
      },
      4711);
}

TEST(ServiceEnvironment, IsEmptyWithoutAManager) {
  EXPECT_EQ(Read({})->socket, "");
  EXPECT_EQ(Read({{"NOTIFY_SOCKET", ""}, {"WATCHDOG_USEC", "x"}})->watchdog, Duration(0));
}

TEST(ServiceEnvironment, HasTheSocketAndTheWatchdog) {
  const auto read = Read({{"NOTIFY_SOCKET", "/run/systemd/notify"}, {"WATCHDOG_USEC", "30000000"}});
  EXPECT_EQ(read->socket, "/run/systemd/notify");
  EXPECT_EQ(read->watchdog, kWatchdog);
}

TEST(ServiceEnvironment, LeavesAloneAWatchdogOfAnotherProcess) {
  Variables variables{{"NOTIFY_SOCKET", "@abstract"}, {"WATCHDOG_USEC", "30000000"}, {"WATCHDOG_PID", "4711"}};
  EXPECT_EQ(Read(variables)->watchdog, kWatchdog);
  variables["WATCHDOG_PID"] = "4712";
  EXPECT_EQ(Read(variables)->watchdog, Duration(0));
}

TEST(ServiceEnvironment, SaysWhatIsWrong) {
  EXPECT_THAT(Read({{"NOTIFY_SOCKET", "vsock:2:1"}}).error().message, HasSubstr("absolute path or @NAME"));
  EXPECT_THAT(Read({{"NOTIFY_SOCKET", "/" + std::string(200, 'x')}}).error().message, HasSubstr("at most 107 bytes"));
  for (const char* wrong : {"0", "-1", "1s", "99999999999999999999"}) {
    EXPECT_THAT(Read({{"NOTIFY_SOCKET", "/n"}, {"WATCHDOG_USEC", wrong}}).error().message, HasSubstr("microseconds"))
        << wrong;
  }
}

class ServiceManagerTest : public ::testing::Test {
 protected:
  void SetUp() override {
    dir_ = (std::filesystem::temp_directory_path() / "openseat-service-XXXXXX").string();
    ASSERT_NE(mkdtemp(dir_.data()), nullptr);
    Listen(dir_ + "/notify");
  }
  void TearDown() override {
    close(socket_);
    std::filesystem::remove_all(dir_);
  }

  void Listen(const std::string& name) {
    if (socket_ >= 0) close(socket_);
    name_ = name;
    socket_ = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, name.data(), name.size());
    if (name[0] == '@') address.sun_path[0] = '\0';
    const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size());
    ASSERT_EQ(bind(socket_, reinterpret_cast<const sockaddr*>(&address), length), 0);
  }
  // The messages since the last call, one per datagram.
  std::vector<std::string> Heard() const {
    std::vector<std::string> heard;
    char buffer[512];
    for (;;) {
      const auto size = recv(socket_, buffer, sizeof buffer, 0);
      if (size < 0) return heard;
      heard.emplace_back(buffer, static_cast<std::size_t>(size));
    }
  }
  ServiceManager Manager(Duration watchdog) { return {{name_, watchdog}, {&first_, &second_}}; }
  // Runs both loops for `by`.
  void Pass(Duration by) {
    for (const Duration end = by; by > Duration(0); by -= end / 10) {
      second_.Run();
      first_.Advance(end / 10);
      second_.Run();
      first_.Run();
    }
  }

  std::string dir_;
  std::string name_;
  int socket_ = -1;
  testing::FakeScheduler first_;
  testing::FakeScheduler second_;
};

TEST_F(ServiceManagerTest, TellsWhatTheServerDoes) {
  ServiceManager manager = Manager(Duration(0));
  EXPECT_THAT(Heard(), IsEmpty());
  manager.Starting(std::chrono::minutes(1));
  manager.Ready();
  manager.Reloading();
  manager.Ready();
  manager.Stopping();
  EXPECT_THAT(Heard(), ElementsAre("EXTEND_TIMEOUT_USEC=60000000", "READY=1",
                                   StartsWith("RELOADING=1\nMONOTONIC_USEC=1000000000"), "READY=1", "STOPPING=1"));
  Pass(kWatchdog);
  EXPECT_THAT(Heard(), IsEmpty()) << "nobody watches";
}

TEST_F(ServiceManagerTest, ReachesAnAbstractSocket) {
  Listen("@" + dir_);
  Manager(Duration(0)).Ready();
  EXPECT_THAT(Heard(), ElementsAre("READY=1"));
}

TEST_F(ServiceManagerTest, KeepsTheWatchdogQuietEveryHalfOfItsTime) {
  ServiceManager manager = Manager(kWatchdog);
  Pass(kWatchdog);
  EXPECT_THAT(Heard(), IsEmpty()) << "before the server is ready";
  manager.Ready();
  manager.Ready();
  Pass(std::chrono::seconds(1));
  EXPECT_THAT(Heard(), ElementsAre("READY=1", "READY=1", "WATCHDOG=1"));
  Pass(kWatchdog / 2);
  EXPECT_THAT(Heard(), ElementsAre("WATCHDOG=1"));
  Pass(kWatchdog / 2);
  EXPECT_THAT(Heard(), ElementsAre("WATCHDOG=1"));
}

TEST_F(ServiceManagerTest, IsSilentWhileALoopIsStuck) {
  ServiceManager manager = Manager(kWatchdog);
  manager.Ready();
  Pass(std::chrono::seconds(1));
  Heard();
  first_.Advance(10 * kWatchdog);
  EXPECT_THAT(Heard(), IsEmpty()) << "the second loop does not turn";
  Pass(std::chrono::seconds(1));
  EXPECT_THAT(Heard(), ElementsAre("WATCHDOG=1"));
}

TEST_F(ServiceManagerTest, DoesWithoutAManager) {
  ServiceManager manager({}, {&first_});
  manager.Ready();
  manager.Stopping();
  close(socket_);
  socket_ = -1;
  ServiceManager unheard = Manager(kWatchdog);
  unheard.Ready();
  Pass(kWatchdog);
  unheard.Stopping();
}

}  // namespace
}  // namespace openseat::app
