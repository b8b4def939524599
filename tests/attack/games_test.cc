// Uploads of games by strangers and by programs: who may not, what is too much, and scripts that take all the steps
// that they get.
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "attack/attack.h"

namespace openseat::tests {
namespace {

using ::testing::HasSubstr;

class GamesAttack : public OwnedAttack {
 protected:
  static std::string FilesOf(const std::string& text, const std::string& name = "game.js") {
    return json::Write(json::Object{{"files", json::Array{json::Object{{"name", name}, {"text", text}}}}});
  }
};

// Each choice uses most of the steps of a call.
constexpr std::string_view kSlow = R"(
const spin = () => { for (let i = 0; i < 300000; ++i); };
export const info = { id: 'slow', title: 'Slow', description: 'Slow', rules: 'Wait.', seats: { min: 2, max: 2 }, actions: { wait: 'Wait' } };
export const setup = () => ({ turn: 0, left: 1000 });
export const awaited = (state) => [state.turn];
export const actions = () => [{ name: 'wait' }];
export const apply = (state) => { spin(); return { state: { turn: 1 - state.turn, left: state.left - 1 } }; };
export const observe = (state) => ({ left: state.left });
export const outcome = (state) => (state.left === 0 ? { winners: [], reason: 'waited' } : null);
)";

TEST_F(GamesAttack, StrangersUploadNothing) {
  Start();
  const std::string body = FilesOf(std::string(kSlow));
  const std::string from_elsewhere(kElsewhere);
  for (const char* line : {"POST /api/v1/games", "POST /api/v1/games/check", "GET /api/v1/games",
                           "GET /api/v1/games/slow/source", "DELETE /api/v1/games/slow"}) {
    EXPECT_EQ(Ask(line, from_elsewhere, body).status, 401) << line;
    EXPECT_EQ(Ask(line, "Origin: http://evil.example\r\n", body).status, 403) << line;
  }
  EXPECT_EQ(Ask("GET /api/v1/games", from_elsewhere + "Authorization: Bearer " + std::string(kToken) + "\r\n").status,
            200);
  ExpectUnnoticed();
}

TEST_F(GamesAttack, BodiesThatAreNoGames) {
  Start();
  const auto refused = [this](const std::string& body) { return Ask("POST /api/v1/games", {}, body).status; };
  EXPECT_EQ(refused("{"), 400);
  EXPECT_EQ(refused("{}"), 400);
  EXPECT_EQ(refused(R"({"files":[]})"), 400);
  EXPECT_EQ(refused(R"({"files":[7]})"), 400);
  EXPECT_EQ(refused(R"({"files":[{"name":"a.js","text":7}]})"), 400);
  EXPECT_EQ(refused(R"({"files":[{"name":"a.js","text":""},{"name":"a.js","text":""}]})"), 400);
  EXPECT_EQ(refused(R"({"files":[{"name":"a.js","text":""}],"games":0})"), 400);
  EXPECT_EQ(refused(R"({"files":[{"name":"a.js","text":""}],"games":1e9})"), 400);
  for (const char* name : {"", "a", "../a.js", "/a.js", "b/../a.js", "b//a.js", ".a.js", "a\\b.js", "a\n.js"}) {
    EXPECT_EQ(refused(FilesOf("", name)), 400) << name;
  }
  EXPECT_EQ(refused(FilesOf(std::string(300'000, ' '))), 422) << "beyond the size of a script";
  EXPECT_NE(refused(FilesOf(std::string(3'000'000, ' '))), 201);
  std::string deep;
  for (int i = 0; i < 100'000; ++i) deep += "[";
  EXPECT_EQ(refused(FilesOf("export const info = " + deep)), 422);
  EXPECT_EQ(refused(FilesOf("let a: " + deep, "a.ts")), 422);
  EXPECT_EQ(refused(FilesOf("while (true);")), 422);
  ExpectUnnoticed();
}

TEST_F(GamesAttack, ManyChecksOfSlowGamesAtOnce) {
  Start();
  const std::string body = FilesOf(std::string(kSlow));
  std::vector<std::unique_ptr<net::TestClient>> clients;
  for (int i = 0; i < 12; ++i) {
    clients.push_back(std::make_unique<net::TestClient>(server().port()));
    clients.back()->Send("POST /api/v1/games/check HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: " +
                         std::to_string(body.size()) + "\r\n\r\n" + body);
  }
  while (server().Metric("openseat_game_checks_open") < 5) {
  }
  const net::TestClient::Answer refused = Ask("POST /api/v1/games/check", {}, body);
  EXPECT_EQ(refused.status, 429) << refused.body;
  EXPECT_THAT(refused.body, HasSubstr("checks of games wait already"));
  ExpectUnnoticed(100);
  ExpectNoStall();
}

// What came before a fork is played again, which takes as long as it took.
TEST_F(GamesAttack, ForksOfALongSlowMatch) {
  std::string slow(kSlow);
  const auto change = [&slow](std::string_view from, std::string_view to) {
    slow.replace(slow.find(from), from.size(), to);
  };
  change("300000", "100000");
  change("left: 1000", "left: 60");
  const std::string folder = data_dir() + "/scripts";
  std::filesystem::create_directory(folder);
  std::ofstream(folder + "/slow.js") << slow;
  Start({}, {"--games", folder});
  const json::Value random = json::Object{{"agent", json::Object{{"kind", "random"}}}};
  const json::Array seats{random, random};
  const auto end_of = [this](const json::Value& made) {
    const std::string id(json::TextOf(made, "match-id"));
    EXPECT_FALSE(id.empty()) << json::Write(made);
    WaitUntilDone(id);
    return id;
  };
  const std::string id = end_of(server().Post("/api/v1/matches", json::Object{{"game", "slow"}, {"seats", seats}}));
  std::vector<json::Value> forks;
  for (int i = 0; i < 2; ++i) {
    const std::string body = json::Write(json::Object{{"decision", 58}, {"seats", seats}});
    forks.push_back(*json::Parse(Ask("POST /api/v1/tables/" + id + "/fork", {}, body).body));
  }
  for (const json::Value& fork : forks) end_of(fork);
  ExpectUnnoticed(100);
  ExpectNoStall();
}

}  // namespace
}  // namespace openseat::tests
