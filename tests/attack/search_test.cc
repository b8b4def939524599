// Agents that search take all the time that they are given: others do not wait for them, and they get no more threads.
#include <filesystem>
#include <string>
#include <vector>

#include "attack/attack.h"

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
  const json::Object bot{{"agent", json::Object{{"kind", "search"}, {"ms", 600'000}, {"threads", 4}}}};
  std::vector<std::string> matches;
  for (std::size_t i = 0; i < Scaled(40); ++i) {
    const json::Value made =
        server().Post("/api/v1/matches", json::Object{{"game", "connectm"}, {"seats", json::Array{bot, bot}}});
    matches.emplace_back(made.at("match-id").as_string());
  }
  neighbor().WaitForTrips(50);
  EXPECT_EQ(ThreadsOf(server()), threads);
  // What waits for a thread is forgotten when its match ends, and what runs stops: a small search gets its turn at
  // once.
  for (const std::string& match : matches) {
    server().Post("/api/v1/tables/" + match + "/control", json::Object{{"command", "forfeit"}, {"seat", 0}});
  }
  const json::Object quick{{"agent", json::Object{{"kind", "search"}, {"iterations", 20}}}};
  const json::Value last =
      server().Post("/api/v1/matches", json::Object{{"game", "tictactoe"}, {"seats", json::Array{quick, quick}}});
  WaitUntilDone(std::string(last.at("match-id").as_string()));
  ExpectUnnoticed(100);
  ExpectNoStall();
}

}  // namespace
}  // namespace openseat::tests
