// Agents that search take all the time that they are given: others do not wait for them, and they get no more threads.
#include <filesystem>
#include <string>
#include <vector>

#include "attack/attack.h"
#include "attack/attacks_by_requests.h"

namespace openseat::tests {
namespace {

// How many threads the server has.
std::size_t ThreadsOf(const RealServer& server) {
  const std::filesystem::directory_iterator tasks("/proc/" + std::to_string(server.pid()) + "/task");
  return static_cast<std::size_t>(std::distance(begin(tasks), end(tasks)));
}

TEST_F(Attack, AServerFullOfSearches) {
  Start("[server]\nsearch_threads = 2\n");
  const std::size_t threads = ThreadsOf(server());
  const std::vector<std::string> matches = FillWithSearches(server(), Scaled(40));
  ASSERT_EQ(matches.size(), Scaled(40));
  neighbor().WaitForTrips(50);
  EXPECT_EQ(ThreadsOf(server()), threads);
  // What waits for a thread is forgotten when its match ends, and what runs stops: a small search gets its turn at
  // once.
  EndSearches(server(), matches);
  const json::Object quick{{"agent", json::Object{{"kind", "search"}, {"iterations", 20}}}};
  const json::Value last =
      server().Post("/api/v1/matches", json::Object{{"game", "tictactoe"}, {"seats", json::Array{quick, quick}}});
  WaitUntilDone(std::string(last.at("match-id").as_string()));
  ExpectUnnoticed(100);
  ExpectNoStall();
}

}  // namespace
}  // namespace openseat::tests
