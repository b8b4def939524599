// What sessions keep for their clients: messages that wait, tables that wait for their games.
#include <algorithm>
#include <chrono>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "attack/attack.h"
#include "attack/attackers.h"

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

TEST_F(Attack, ThousandsOfTablesLoseTheirGamesAtOnce) {
  // The tables are also removed while the neighbor plays on.
  Start("[neuro]\nkeep = 2\n");
  const std::size_t tables = Scaled(8'000);
  auto swarm = std::make_unique<Swarm>(server(), tables);
  EXPECT_EQ(std::set<std::string>(swarm->ids().begin(), swarm->ids().end()).size(), tables);
  const auto dropped = std::chrono::steady_clock::now();
  swarm.reset();
  std::size_t trips = 0;
  while (std::chrono::steady_clock::now() < dropped + std::chrono::seconds(5)) neighbor().WaitForTrips(++trips);
  ExpectUnnoticed(trips);
  const auto is_swarms = [](const json::Value& table) {
    return std::string_view(table.at("game").as_string()).starts_with("Swarm");
  };
  EXPECT_EQ(std::ranges::count_if(Tables(), is_swarms), 0) << "the waiting tables are gone";
}

// A narrator who tells a story of the greatest length to a random player.
class LongStory {
 public:
  explicit LongStory(RealServer& server) : narrator_(server) {
    const json::Value made = server.Post(
        "/api/v1/matches",
        *json::Parse(R"({"game":"narrative","options":{"turns":200},"seats":[{},{"agent":{"kind":"random"}}]})"));
    match_ = json::Object{{"game", "narrative"}, {"match-id", made.at("match-id")}};
    json::Object join = match_;
    join["player-name"] = "Narrator";
    Ask("join-match", join);
  }

  const json::Object& match() const { return match_; }
  // Tells one turn.
  void Tell() {
    const json::Object action{{"match-id", match_.at("match-id")}, {"action", "narrate"}, {"data", LongNarration()}};
    for (;;) {
      const json::Value answer = Ask("game-action", action);
      if (!answer.is_object() || answer.as_object().contains("result")) return;
      // The player has not chosen yet.
      ASSERT_EQ(answer.at("error").at("code").to_number<int>(), -50100) << json::Write(answer);
    }
  }

 private:
  json::Value Ask(std::string_view operation, const json::Object& params) {
    json::Value message = narrator_.Ask(operation, params);
    while (message.is_object() && message.at("type") != json::Value("response")) message = narrator_.Next();
    return message;
  }

  WireClient narrator_;
  json::Object match_;
};

// With each turn, each spectator was sent the whole story in one turn of the loop.
TEST_F(Attack, SpectatorsOfALongStory) {
  Start();
  LongStory story(server());
  for (int turn = 0; turn < 14; ++turn) story.Tell();
  std::vector<std::unique_ptr<WireClient>> spectators;
  for (int i = 0; i < 200; ++i) {
    spectators.push_back(std::make_unique<WireClient>(server()));
    json::Object watch = story.match();
    watch["spectator-name"] = nullptr;
    EXPECT_TRUE(spectators.back()->Ask("spectate-match", watch).as_object().contains("result"));
  }
  for (std::size_t turn = 0; turn < Scaled(10); ++turn) story.Tell();
  ExpectUnnoticed();
  ExpectNoStall();
}

// A force is kept for as long as its game does not say what became of it.
TEST_F(Attack, LargeForcesAtManyTables) {
  Start("[limits.loopback]\nmax_table_bytes_per_address = 33554432\n");
  const json::Value force = json::Object{
      {"query", "?"}, {"state", std::string(3'900'000, 'x')}, {"action_names", json::Array{json::Value("go")}}};
  std::vector<std::unique_ptr<WireGame>> games;
  for (std::size_t k = 0; k < Scaled(40); ++k) {
    games.push_back(std::make_unique<WireGame>(server(), "Attacker " + std::to_string(k)));
    games.back()->Register("go", nullptr);
    games.back()->Send("actions/force", force);
  }
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
  const json::Value context = json::Object{{"message", std::string(2'000'000, 'x')}, {"silent", true}};
  std::vector<std::unique_ptr<WireGame>> games;
  for (std::size_t k = 0; k < Scaled(40); ++k) {
    games.push_back(std::make_unique<WireGame>(server(), "Attacker " + std::to_string(k)));
    games.back()->Register("go", nullptr);
    games.back()->Force("go");
    ASSERT_TRUE(games.back()->NextAction().is_object());
    for (int i = 0; i < 4; ++i) games.back()->Send("context", context);
  }
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
