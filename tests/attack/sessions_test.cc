// What sessions keep for their clients: messages that wait, tables that wait for their games.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "attack/attack.h"
#include "attack/attackers.h"
#include "attack/attacks_of_games.h"

namespace openseat::tests {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

// The id of the table that a game gets when it connects at `path`.
std::string TableAt(const RealServer& server, const std::string& path, const std::string& game) {
  WireClient client(server, path);
  client.raw().Send(StartupFrame(game));
  const json::Value answer = client.Next();
  if (!answer.is_object()) return "no answer";
  return answer.at("data").at("session").at("sessionId").as_string().c_str();
}

// How many tables are dropped at once; tests/soak/attacks.sh wants 40,000.
std::size_t TablesToDrop(std::size_t short_form) {
  const char* tables = std::getenv("OPENSEAT_ATTACK_TABLES");
  return tables == nullptr ? short_form : std::stoul(tables);
}

TEST_F(Attack, ThousandsOfTablesLoseTheirGamesAtOnce) {
  // The tables are also removed while the neighbor plays on.
  StartAlone("[neuro]\nkeep = 2\n");
  const std::size_t tables = TablesToDrop(Scaled(8'000));
  auto swarm = std::make_unique<Swarm>(server(), tables);
  EXPECT_EQ(std::set<std::string>(swarm->ids().begin(), swarm->ids().end()).size(), tables);
  BeginNeighbor();
  neighbor().WaitForTrips(20);
  const std::size_t turns_before = LongTurns();
  const auto dropped = std::chrono::steady_clock::now();
  swarm.reset();
  std::size_t trips = 20;
  while (std::chrono::steady_clock::now() < dropped + std::chrono::seconds(5)) neighbor().WaitForTrips(++trips);
  std::printf("%zu tables dropped at once:\n", tables);
  const Neighbor::Report report = neighbor().Stop();
  std::printf("turns of a loop over 50 ms: %zu\n", LongTurns() - turns_before);
  if (kMeasured) {
    EXPECT_LT(report.p99(), std::chrono::milliseconds(100) + report.late.longest);
    EXPECT_LT(report.longest(), kLongest + report.late.longest);
  }
  ExpectNoStall();
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  const auto is_swarms = [](const json::Value& table) {
    return std::string_view(table.at("game").as_string()).starts_with("Swarm");
  };
  std::ptrdiff_t left = 0;
  do {
    left = std::ranges::count_if(Tables(), is_swarms);
  } while (left > 0 && std::chrono::steady_clock::now() < deadline);
  EXPECT_EQ(left, 0) << "the waiting tables are gone";
}

// With each turn, each spectator was sent the whole story in one turn of the loop.
TEST_F(Attack, SpectatorsOfALongStory) {
  Start();
  const SpectatorsSaw saw = WatchALongStory(server(), 200, Scaled(10));
  EXPECT_EQ(saw.spectators, 200u);
  EXPECT_EQ(saw.turns, 14 + Scaled(10));
  ExpectUnnoticed();
  ExpectNoStall();
}

// A force is kept for as long as its game does not say what became of it.
TEST_F(Attack, LargeForcesAtManyTables) {
  Start("[limits.loopback]\nmax_table_bytes_per_address = 33554432\n");
  std::vector<std::unique_ptr<WireGame>> games = SendLargeForces(server(), "Attacker", Scaled(40));
  const std::string last = "Attacker " + std::to_string(games.size() - 1);
  WaitForDiagnostic(last, "perf/force/too_much");
  EXPECT_GT(server().Metric(R"(openseat_refused_total{budget="max_table_bytes_per_address"})"), 0);
  games.clear();
  ExpectUnnoticed();
  ExpectMemoryBelow(250u << 20);
}

// They wait until the game says what became of an action.
TEST_F(Attack, ContextsThatWaitAtManyTables) {
  Start("[limits.loopback]\nmax_waiting_bytes_per_address = 33554432\n");
  std::vector<std::unique_ptr<WireGame>> games = SendContextsThatWait(server(), "Attacker", Scaled(40));
  ASSERT_EQ(games.size(), Scaled(40)) << "each got its action";
  const std::string last = "Attacker " + std::to_string(games.size() - 1);
  EXPECT_THAT(WaitForDiagnostic(last, "max_waiting_bytes_per_address"), HasSubstr("context was left out"));
  games.clear();
  ExpectUnnoticed();
  ExpectMemoryBelow(250u << 20);
}

TEST_F(Attack, EmptyFramesToABusyChimeraSession) {
  Start("[limits.loopback]\nmax_waiting_items = 1000\n");
  for (std::size_t round = 0; round < Scaled(10); ++round) {
    const net::TestClient::Frame end = FloodWithEmptyFrames(server(), "/chimera", CreateMatchFrame(), 1'000'000);
    ASSERT_EQ(end.opcode, 8);
    EXPECT_EQ(end.code(), 1008);
    EXPECT_THAT(end.payload.substr(2), StartsWith("the limit max_waiting_items is reached: "));
  }
  ExpectUnnoticed();
  EXPECT_GE(server().Metric(R"(openseat_refused_total{budget="max_waiting_items"})"), 10);
  ExpectMemoryBelow(200u << 20);
}

TEST_F(Attack, EmptyFramesToANeuroSessionThatAsksForItsTable) {
  Start("[limits.loopback]\nmax_waiting_items = 1000\n");
  for (std::size_t round = 0; round < Scaled(10); ++round) {
    const net::TestClient::Frame end = FloodWithEmptyFrames(server(), "/", StartupFrame("Flood"), 1'000'000);
    ASSERT_EQ(end.opcode, 8);
    EXPECT_EQ(end.code(), 1008);
    EXPECT_THAT(end.payload.substr(2), StartsWith("the limit max_waiting_items is reached: "));
  }
  ExpectUnnoticed();
  EXPECT_GE(server().Metric(R"(openseat_refused_total{budget="max_waiting_items"})"), 10);
  ExpectMemoryBelow(200u << 20);
}

TEST_F(Attack, WhoNamesAGameDoesNotGetItsTable) {
  StartAlone();
  const std::string mine = TableAt(server(), "/?token=secret", "Solitaire");
  while (server().Get("/api/v1/tables/" + mine).at("status") != json::Value("waiting")) {
  }
  EXPECT_NE(TableAt(server(), "/", "Solitaire"), mine);
  EXPECT_NE(TableAt(server(), "/?token=guess", "Solitaire"), mine);
  EXPECT_EQ(TableAt(server(), "/?token=secret", "Solitaire"), mine);
}

TEST_F(Attack, ActionsWithoutEnd) {
  Start("[limits.loopback]\nmax_actions = 1000\n");
  WireGame game(server(), "Hoarder");
  RegisterActions(game, 30'000);
  ForceOneOf(game, 30'000);
  const json::Value one = game.NextAction();
  ASSERT_TRUE(one.is_object());
  game.Accept(one);
  UnregisterActions(game, 30'000);
  game.Register("go", nullptr);
  game.Force("go");
  const json::Value action = game.NextAction();
  ASSERT_TRUE(action.is_object());
  EXPECT_EQ(action.at("name"), json::Value("go"));
  ExpectUnnoticed();
  EXPECT_GE(server().Metric(R"(openseat_refused_total{budget="max_actions"})"), 3);
}

}  // namespace
}  // namespace openseat::tests
