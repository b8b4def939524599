// All attackers at once, next to all kinds of honest players: a Chimera match, Neuro games, a story, a game of
// Netrunner through webhooks. OPENSEAT_ATTACK_SECONDS selects the long form (tests/soak/attacks.sh), which puts the
// server on one core, everything else on another, and its data on disk.
#include <fcntl.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "attack/attack.h"
#include "attack/attacks_on_models.h"
#include "attack/horde.h"
#include "net/test_client.h"

namespace openseat::tests {
namespace {

constexpr std::uint64_t kMaxMemory = kMeasured ? 1'000'000'000 : 16'000'000'000;
constexpr const char* kCommits = "openseat_journal_commit_seconds";

// The duration of the long form; 0: the short form.
int LongSeconds() {
  const char* seconds = std::getenv("OPENSEAT_ATTACK_SECONDS");
  return seconds == nullptr ? 0 : std::atoi(seconds);
}

// The cores on which this process may run.
std::vector<int> Cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::vector<int> cores;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return cores;
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    if (CPU_ISSET(core, &set)) cores.push_back(core);
  }
  return cores;
}

// Restricts the calling thread, and the threads and programs that it starts from now on, to this core.
void RunOn(int core) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(core, &set);
  EXPECT_EQ(sched_setaffinity(0, sizeof set, &set), 0);
}

// The slowest of a histogram's observations: "0.05 s or less".
std::string Slowest(RealServer& server, const std::string& histogram) {
  for (const char* bound : {"0.005", "0.01", "0.025", "0.05", "0.1", "0.25", "0.5", "1", "2.5", "5"}) {
    const RealServer::Observed observed = server.Observations(histogram, bound);
    if (observed.within == observed.all) return std::string(bound) + " s or less";
  }
  return "more than 5 s";
}

// Gives all threads of the process the lowest priority.
void StepBack(pid_t pid) {
  for (const auto& task : std::filesystem::directory_iterator("/proc/" + std::to_string(pid) + "/task")) {
    const auto thread = static_cast<id_t>(std::stoul(task.path().filename().string()));
    EXPECT_EQ(setpriority(PRIO_PROCESS, thread, 19), 0);
  }
}

class AllAtOnce : public Attack {
 protected:
  AllAtOnce() : Attack(LongSeconds() > 0 ? TemporaryDirectory::On::kDisk : TemporaryDirectory::On::kMemory) {}

  // How long all kinds of honest players wait, measured for this time.
  Neighbor::Report Play(std::chrono::seconds length) {
    Neighbor neighbor(server(), Neighbor::Who::kAll);
    std::mutex mutex;
    std::condition_variable never;
    std::unique_lock lock(mutex);
    const auto end = std::chrono::steady_clock::now() + length;
    while (never.wait_until(lock, end) != std::cv_status::timeout) {
    }
    neighbor.WaitForTrips(20);
    return neighbor.Stop();
  }

  // Waits until each attacker has read an answer; returns those that have not. The rounds of many take longer than the
  // short form: there, the first answer counts, whatever becomes of the round. No measurement: far longer than any
  // attacker takes, and less than ctest's limit.
  static std::string WaitUntilAnswered(const Horde& horde) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(kMeasured ? 2 : 15);
    while (!horde.Unanswered().empty() && std::chrono::steady_clock::now() < deadline) {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    return horde.Unanswered();
  }
};

TEST_F(AllAtOnce, LeaveTheNeighborsPlaying) {
  const int seconds = LongSeconds();
  const std::vector<int> cores = Cores();
  const bool apart = seconds > 0 && cores.size() > 1;
  // The log is a pipe that nobody reads.
  const std::string log = data_dir() + "/fifo";
  ASSERT_EQ(::mkfifo(log.c_str(), 0600), 0);
  const int reader = ::open(log.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  ASSERT_GE(reader, 0);
  if (apart) RunOn(cores[0]);
  const std::string games = data_dir() + "/scripts";
  WriteGamesForHorde(games);
  ModelStandIn model;
  StartUnwatched(ConfigForHorde(model) +
                     "[limits]\nmax_matches_per_address = 2000\nmax_memory = " + std::to_string(kMaxMemory) +
                     "\n[neuro]\nkeep = 2\n[match]\nlinger = 5\n[journal]\nkeep = 5\nmax_bytes = 2000000000\n"
                     "[narrative]\nnarrator = \"storyteller\"\nturns_per_minute = 100000\nburst = 1000\n",
                 {"--games", games, "--voice", "loop", "--record-voice", "--shards", apart ? "1" : "2"}, log);
  if (apart) RunOn(cores[1]);
  const TemporaryDirectory relays_data(TemporaryDirectory::On::kMemory);
  const RealServer relay(relays_data.path(),
                         {"relay", "--upstream", "ws://127.0.0.1:" + std::to_string(server().port()), "--open-games",
                          "--repair", "names,schemas"},
                         relays_data.path() + "/log");
  StepBack(relay.pid());
  std::vector<std::string> keys;
  for (std::size_t i = 0; i < kKeysForHorde; ++i) keys.push_back(NewKey("attacker " + std::to_string(i)));
  Horde horde({server(), relay, keys});
  model.Serve();

  std::printf("undisturbed%s:\n", apart ? ", the server on one core and everything else on another" : "");
  const Neighbor::Report before = Play(std::chrono::seconds(seconds > 0 ? std::max(seconds / 10, 5) : 1));
  std::printf("the slowest commit took %s\nattacked:\n", Slowest(server(), kCommits).c_str());
  std::fflush(stdout);
  const std::size_t turns_before = LongTurns();
  horde.Begin();
  const Neighbor::Report report = Play(std::chrono::seconds(seconds > 0 ? seconds : 4));
  if (seconds == 0) {
    EXPECT_EQ(WaitUntilAnswered(horde), "") << "the server neither answered nor refused these attackers";
  }
  std::printf("the slowest commit took %s, the longest turn of a loop %s; %.0f refusals for memory\n",
              Slowest(server(), kCommits).c_str(), Slowest(server(), "openseat_loop_stall_seconds").c_str(),
              server().Metric(R"(openseat_refused_total{budget="max_memory"})"));
  const RealServer::Observed worked = server().Observations(kStallsOfCpu, "0.05");
  std::printf("turns of a loop over 50 ms: %zu, of which %zu attacked; worked: %.0f; the longest for %s\n", LongTurns(),
              LongTurns() - turns_before, worked.all - worked.within, Slowest(server(), kStallsOfCpu).c_str());
  // A single attack gets 0.05 s. All together, they also slow down the memory that a turn uses.
  ExpectNoWorkOver("0.1");
  std::printf("memory: %.0f MB at most, of %.0f\nrounds, and what was answered or refused: %s\n",
              static_cast<double>(server().PeakResidentBytes()) / 1e6, static_cast<double>(kMaxMemory) / 1e6,
              horde.Text().c_str());
  ExpectMemoryBelow(kMaxMemory);
  EXPECT_EQ(server().Status("/readyz"), 200)
      << net::TestClient(server().port()).Request("GET /readyz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n").body;
  if (seconds > 0) {
    EXPECT_EQ(horde.Missing(), "") << "the server neither answered nor refused these attackers";
    for (std::size_t kind = 0; kind < report.trips.size(); ++kind) {
      const Trips& trips = report.trips[kind];
      EXPECT_GT(trips.count, 0u);
      EXPECT_LT(trips.p99, kUnnoticed) << trips.Text() << "; undisturbed: " << before.trips[kind].Text();
    }
  } else if (kMeasured) {
    // Here attackers, server and neighbors share all cores.
    EXPECT_LT(report.longest(), 10 * kLongest);
  }
  ::close(reader);
}

}  // namespace
}  // namespace openseat::tests
