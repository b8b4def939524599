// What sessions keep for their clients: messages that wait, tables that wait for their games.
#include <algorithm>
#include <chrono>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "attack/attack.h"

namespace openseat::tests {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr std::size_t kGamesOfAConnection = 64;

std::string Startup(const std::string& game) {
  return net::ClientFrame(0x81, json::Write(json::Object{{"command", "startup"}, {"game", game}}));
}

// The id of the table that a game gets which connects at `path`.
std::string TableOf(const RealServer& server, const std::string& path, const std::string& game) {
  WireClient client(server, path);
  client.raw().Send(Startup(game));
  const json::Value answer = client.Next();
  if (!answer.is_object()) return "no answer";
  return answer.at("data").at("session").at("sessionId").as_string().c_str();
}

// Sends `first` and so many empty frames at once, and reads to the end of the connection: the close frame.
net::TestClient::Frame Flood(const RealServer& server, std::string_view path, const std::string& first,
                             std::size_t empty_frames) {
  WireClient client(server, path);
  std::string bytes = first;
  const std::string empty = net::ClientFrame(0x81, "");
  for (std::size_t i = 0; i < empty_frames; ++i) bytes += empty;
  client.raw().Send(bytes);
  for (;;) {
    net::TestClient::Frame frame = client.raw().ReadFrame();
    if (frame.opcode == 8 || frame.opcode == -1) return frame;
  }
}

TEST_F(Attack, ThousandsOfTablesLoseTheirGamesAtOnce) {
  // The tables go while the neighbor plays on, too.
  Start("[neuro]\nkeep = 2\n");
  const std::size_t connections = Scaled(8'000) / kGamesOfAConnection;
  std::vector<std::unique_ptr<WireClient>> swarm;
  std::set<std::string> ids;
  for (std::size_t i = 0; i < connections; ++i) {
    swarm.push_back(std::make_unique<WireClient>(server(), "/"));
    std::string frames;
    for (std::size_t game = 0; game < kGamesOfAConnection; ++game) {
      frames += Startup("Swarm " + std::to_string(i) + " " + std::to_string(game));
    }
    swarm.back()->raw().Send(frames);
    for (std::size_t game = 0; game < kGamesOfAConnection; ++game) {
      const json::Value answer = swarm.back()->Next();
      ASSERT_TRUE(answer.is_object());
      ids.insert(answer.at("data").at("session").at("sessionId").as_string().c_str());
    }
  }
  EXPECT_EQ(ids.size(), connections * kGamesOfAConnection);
  const auto dropped = std::chrono::steady_clock::now();
  swarm.clear();
  std::size_t trips = 0;
  while (std::chrono::steady_clock::now() < dropped + std::chrono::seconds(5)) neighbor().WaitForTrips(++trips);
  const Neighbor::Report report = neighbor().Stop();
  EXPECT_LT(report.longest(), std::chrono::milliseconds(700));
  const json::Value list = server().Get("/api/v1/tables");
  const auto is_swarms = [](const json::Value& table) {
    return std::string_view(table.at("game").as_string()).starts_with("Swarm");
  };
  EXPECT_EQ(std::ranges::count_if(list.at("tables").as_array(), is_swarms), 0) << "those that waited are gone";
}

TEST_F(Attack, EmptyFramesToABusyChimeraSession) {
  Start("[limits.loopback]\nmax_waiting_items = 1000\n");
  const std::string create = net::ClientFrame(
      0x81,
      R"({"type":"request","id":1,"operation":"create-match","params":{"game":"tictactoe","player-name":"Eve"}})");
  for (std::size_t round = 0; round < Scaled(10); ++round) {
    const net::TestClient::Frame end = Flood(server(), "/chimera", create, 1'000'000);
    ASSERT_EQ(end.opcode, 8);
    EXPECT_EQ(end.code(), 1008);
    EXPECT_THAT(end.payload.substr(2), StartsWith("the limit max_waiting_items is reached: "));
  }
  neighbor().WaitForTrips(50);
  EXPECT_LT(neighbor().Stop().longest(), std::chrono::milliseconds(700));
  EXPECT_GE(server().Metric(R"(openseat_refused_total{budget="max_waiting_items"})"), 10);
  EXPECT_LT(server().PeakResidentBytes(), 200u << 20);
}

TEST_F(Attack, EmptyFramesToANeuroSessionThatAsksForItsTable) {
  Start("[limits.loopback]\nmax_waiting_items = 1000\n");
  for (std::size_t round = 0; round < Scaled(10); ++round) {
    const net::TestClient::Frame end = Flood(server(), "/", Startup("Flood"), 1'000'000);
    ASSERT_EQ(end.opcode, 8);
    EXPECT_EQ(end.code(), 1008);
    EXPECT_THAT(end.payload.substr(2), StartsWith("the limit max_waiting_items is reached: "));
  }
  neighbor().WaitForTrips(50);
  EXPECT_LT(neighbor().Stop().longest(), std::chrono::milliseconds(700));
  EXPECT_GE(server().Metric(R"(openseat_refused_total{budget="max_waiting_items"})"), 10);
  EXPECT_LT(server().PeakResidentBytes(), 200u << 20);
}

TEST_F(Attack, WhoNamesAGameDoesNotGetItsTable) {
  StartAlone();
  const std::string mine = TableOf(server(), "/?token=secret", "Solitaire");
  while (server().Get("/api/v1/tables/" + mine).at("status") != json::Value("waiting")) {
  }
  EXPECT_NE(TableOf(server(), "/", "Solitaire"), mine);
  EXPECT_NE(TableOf(server(), "/?token=guess", "Solitaire"), mine);
  EXPECT_EQ(TableOf(server(), "/?token=secret", "Solitaire"), mine);
}

TEST_F(Attack, ActionsWithoutEnd) {
  Start("[limits.loopback]\nmax_actions = 1000\n");
  WireGame game(server(), "Hoarder");
  json::Array actions;
  for (int i = 0; i < 30'000; ++i) {
    actions.push_back(json::Object{{"name", "a" + std::to_string(i)}, {"description", "Does something."}});
  }
  game.Send("actions/register", json::Object{{"actions", std::move(actions)}});
  json::Array names;
  for (int i = 0; i < 30'000; ++i) names.push_back(json::Value("a" + std::to_string(i)));
  game.Send("actions/force", json::Object{{"query", "?"}, {"action_names", names}});
  const json::Value one = game.NextAction();
  ASSERT_TRUE(one.is_object());
  game.Accept(one);
  game.Send("actions/unregister", json::Object{{"action_names", std::move(names)}});
  game.Register("go", nullptr);
  game.Force("go");
  const json::Value action = game.NextAction();
  ASSERT_TRUE(action.is_object());
  EXPECT_EQ(action.at("name"), json::Value("go"));
  neighbor().WaitForTrips(50);
  EXPECT_LT(neighbor().Stop().longest(), std::chrono::milliseconds(700));
  EXPECT_GE(server().Metric(R"(openseat_refused_total{budget="max_actions"})"), 3);
}

}  // namespace
}  // namespace openseat::tests
