// Not an attack: checks that the yardsticks of the other tests work.
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <thread>
#include <vector>

#include "attack/attack.h"

namespace openseat::tests {
namespace {

TEST_F(Attack, NobodyAttacks) {
  Start();
  WireGame game(server(), "Solitaire");
  game.Register("go", nullptr);
  for (std::size_t i = 0; i < Scaled(200); ++i) {
    game.Force("go");
    const json::Value action = game.NextAction();
    ASSERT_TRUE(action.is_object());
    EXPECT_EQ(action.at("name"), json::Value("go"));
    game.Accept(action);
  }
  neighbor().WaitForTrips(20);
  const Neighbor::Report report = neighbor().Stop();
  for (const Trip kind : {Trip::kHealth, Trip::kNeuro, Trip::kChimera}) {
    const Trips& trips = report.of(kind);
    EXPECT_GE(trips.count, 20u);
    EXPECT_GT(trips.p50.count(), 0);
    EXPECT_GE(trips.p99, trips.p50);
    EXPECT_GE(trips.longest, trips.p99);
  }
  EXPECT_GT(server().ResidentBytes(), 1u << 20);
  EXPECT_GE(server().PeakResidentBytes(), server().ResidentBytes());
  EXPECT_GT(server().JournalBytes(), 1u << 10);
  EXPECT_GT(server().Metric("openseat_connections_accepted_total"), 5);
  EXPECT_GT(server().Metric(R"(openseat_websocket_messages_total{direction="in"})"), 200);
  EXPECT_EQ(server().Metric("openseat_nothing"), 0);
  EXPECT_EQ(server().Log(), "") << "there is nothing to warn about";
}

// Two threads that share a core: each waits for half of the time.
TEST(Watch, SeesThreadsThatWaitForACore) {
  if (!std::filesystem::exists("/proc/self/schedstat")) GTEST_SKIP() << "this kernel does not count it";
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  ASSERT_EQ(sched_getaffinity(0, sizeof allowed, &allowed), 0);
  int core = 0;
  while (!CPU_ISSET(core, &allowed)) ++core;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(core, &one);
  Watch watch(getpid());
  std::vector<std::jthread> threads;
  for (int i = 0; i < 2; ++i) {
    threads.emplace_back([&one] {
      pthread_setaffinity_np(pthread_self(), sizeof one, &one);
      const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(600);
      while (std::chrono::steady_clock::now() < end) {
      }
    });
  }
  threads.clear();
  const Watch::Report report = watch.Read();
  EXPECT_GE(report.times, 4u);
  EXPECT_GT(report.longest, std::chrono::milliseconds(50));
}

}  // namespace
}  // namespace openseat::tests
