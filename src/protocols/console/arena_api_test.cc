#include "protocols/console/arena_api.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "arena/game_line.h"
#include "arena/run_spec.h"
#include "base/secure_random.h"
#include "net/test_client.h"
#include "net/test_server.h"

namespace openseat::console {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr const char* kOldRun = "20251122-010300000-rps-aaaaaa";

class ArenaApiTest : public ::testing::Test {
 public:
  ArenaApiTest() {
    WriteRun(dir_ + "/arena/night", 100);
    WriteRun(dir_ + "/elsewhere", 200);
    WriteText(dir_ + "/arena/" + kOldRun + ".json",
              R"({"format": "openseat-run", "version": 1, "id": ")" + std::string(kOldRun) +
                  R"(", "started": "2025-11-22T01:03:00.000Z", "game": "rps", "title": "RPS", "games": 7, "wanted": 9,)"
                  R"("seats": [{"agent": "llm:it", "wins": 4}, {"agent": "random", "wins": 3}], "models": {}})");
  }
  ~ArenaApiTest() override { fs::remove_all(dir_); }

 protected:
  json::Value Get(const std::string& path, int status = 200) {
    net::TestClient client(server_.port());
    const auto answer = client.Request("GET /api/v1/arena" + path + " HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");
    EXPECT_EQ(answer.status, status) << answer.body;
    const Result<json::Value> body = json::Parse(answer.body);
    EXPECT_TRUE(body.has_value()) << answer.body;
    return body ? *body : json::Value();
  }
  std::string Text(const std::string& path, int status = 200) { return json::Write(Get(path, status)); }

  static void WriteText(const std::string& path, const std::string& text, std::ios::openmode mode = std::ios::trunc) {
    fs::create_directories(fs::path(path).parent_path());
    std::ofstream(path, std::ios::binary | mode) << text;
  }
  static std::string Game(std::uint64_t number, std::vector<SeatIndex> winners) {
    arena::GameLine line;
    line.game = number;
    line.pair = number / 2;
    line.game_id = "tictactoe";
    line.seats =
        number % 2 == 0 ? std::vector<std::string>{"llm:it", "random"} : std::vector<std::string>{"random", "llm:it"};
    line.result = winners.empty() ? arena::GameResult::kDraw : arena::GameResult::kWin;
    line.winners = std::move(winners);
    return json::Write(ToJson(line)) + "\n";
  }
  // Three games; the first has three decisions, one of which is too long, and a journal.
  static void WriteRun(const std::string& folder, int second) {
    arena::RunSpec spec;
    spec.command = "tournament";
    spec.games = {{.id = "tictactoe", .title = "Tic-Tac-Toe", .options = {}}};
    spec.agents = {"llm:it", "random"};
    spec.format = "round-robin";
    spec.parts = {{.started = Time(std::chrono::seconds(1795309380 + second)), .seconds = 2.5, .spent = {}}};
    spec.summary = json::Object{{"games", 3}};
    WriteText(folder + "/run.json", json::Write(ToJson(spec)));
    WriteText(folder + "/games.jsonl", Game(0, {0}) + Game(1, {}) + Game(2, {0}) + R"({"game":3,"pair":)");
    const std::string long_text(RunReaderLimit() + 1, 'x');
    WriteText(folder + "/decisions.jsonl",
              R"({"game":0,"decision":0,"seat":0,"answers":[{"text":"I take the corner"}]})"
              "\n"
              R"({"game":1,"decision":0,"seat":0})"
              "\n"
              R"({"game":0,"decision":1,"observation":")" +
                  long_text +
                  "\"}\n"
                  R"({"game":0,"decision":2,"seat":1})"
                  "\n");
    WriteText(folder + "/replays.jsonl",
              R"({"game":0,"table":"calm-otter","game_id":"tictactoe","events":[)"
              R"({"seq":1,"time":1,"kind":"opened","payload":"{\"game\":\"tictactoe\",\"kind\":\"hosted\"}"},)"
              R"({"seq":2,"time":2,"kind":"note","payload":"{\"text\":\"hello\"}"}]})"
              "\n");
  }
  static constexpr std::uint64_t RunReaderLimit() { return arena::RunReader::kMaxDecisionBytes; }

  const std::string dir_ = ::testing::TempDir() + "arena_api_test." + SecureToken(8);
  ArenaApi api_{dir_, {dir_ + "/elsewhere"}, [](std::string_view) { return nullptr; }};
  net::TestServer server_{[this](net::Router& router) { api_.AddRoutes(router); }};
};

TEST_F(ArenaApiTest, ListsRunsOfAllFoldersNewestFirst) {
  const json::Value all = Get("");
  const json::Array& runs = all.at("runs").as_array();
  ASSERT_EQ(runs.size(), 3U);
  EXPECT_EQ(json::TextOf(runs[0], "id"), "elsewhere");
  EXPECT_EQ(
      json::Write(runs[1]),
      R"({"id":"night","kind":"folder","command":"tournament","started":"2026-11-22T01:04:40.000Z","seconds":2.5,)"
      R"("ended":true,"games":3,"played":[{"id":"tictactoe","title":"Tic-Tac-Toe"}],"agents":["llm:it","random"]})");
  EXPECT_THAT(json::Write(runs[2]), AllOf(HasSubstr(R"("kind":"file")"), HasSubstr(R"("games":7,"wanted":9)"),
                                          HasSubstr(R"("agents":["llm:it","random"])")));
  EXPECT_EQ(json::Write(all.at("unreadable")), "[]");
  // Page by page.
  const json::Value first = Get("?limit=2");
  ASSERT_EQ(first.at("runs").as_array().size(), 2U);
  std::string cursor(json::TextOf(first, "next"));
  cursor.replace(cursor.find(' '), 1, "%20");
  const json::Value rest = Get("?limit=2&cursor=" + cursor);
  ASSERT_EQ(rest.at("runs").as_array().size(), 1U);
  EXPECT_FALSE(rest.as_object().contains("next"));
}

TEST_F(ArenaApiTest, AListFollowsTheFolders) {
  EXPECT_EQ(Get("").at("runs").as_array()[1].at("games"), 3);
  WriteText(dir_ + "/arena/night/games.jsonl", Game(0, {0}) + Game(1, {1}));
  EXPECT_EQ(Get("").at("runs").as_array()[1].at("games"), 2);
  fs::remove_all(dir_ + "/arena/night");
  EXPECT_EQ(Get("").at("runs").as_array().size(), 2U);
  WriteText(dir_ + "/arena/odd/run.json", "[]");
  WriteRun(dir_ + "/arena/elsewhere", 0);
  WriteRun(dir_ + "/arena/a b", 0);
  const std::string unreadable = json::Write(Get("").at("unreadable"));
  EXPECT_THAT(unreadable, HasSubstr("odd/run.json: it is not a run"));
  EXPECT_THAT(unreadable, HasSubstr("is shown under the same name"));
  EXPECT_THAT(unreadable, HasSubstr("a b: the name of a run's folder has"));
}

TEST_F(ArenaApiTest, ShowsARun) {
  const json::Value run = Get("/night");
  EXPECT_EQ(json::TextOf(run.at("run"), "command"), "tournament");
  EXPECT_FALSE(run.at("run").as_object().contains("summary"));
  EXPECT_THAT(json::Write(run.at("counts")), HasSubstr(R"("games":3,"void":0,"forfeits":0,"half_pairs":1)"));
  const json::Value old = Get("/" + std::string(kOldRun));
  EXPECT_EQ(json::TextOf(old, "kind"), "file");
  EXPECT_EQ(old.at("record").at("wanted"), 9);
  EXPECT_THAT(Text("/" + std::string(kOldRun) + "/games", 404), HasSubstr("it has only sums"));
}

TEST_F(ArenaApiTest, RatesARun) {
  const json::Value rated = Get("/night/standings");
  ASSERT_EQ(rated.at("agents").as_array().size(), 2U);
  EXPECT_EQ(json::TextOf(rated.at("agents").as_array()[0], "agent"), "llm:it");
  EXPECT_EQ(rated.at("agents").as_array()[0].at("wins"), 2);
  EXPECT_EQ(rated.at("pairs").as_array()[0].at("games"), 3);
  EXPECT_EQ(json::Write(rated), Text("/night/standings"));
  EXPECT_EQ(json::Write(Get("/night/standings?anchor=random").at("agents").as_array()[1].at("rating")), "1500");
  EXPECT_THAT(Text("/night/standings?anchor=nobody", 400), HasSubstr("has no game that counts"));
  // A new game changes the ratings.
  WriteText(dir_ + "/arena/night/games.jsonl", Game(0, {0}));
  EXPECT_EQ(Get("/night/standings").at("pairs").as_array()[0].at("games"), 1);
}

TEST_F(ArenaApiTest, ListsGames) {
  EXPECT_EQ(Get("/night/games").at("total"), 3);
  const json::Value won = Get("/night/games?agent=llm:it&result=win&limit=1");
  EXPECT_EQ(won.at("total"), 2);
  EXPECT_EQ(won.at("games").as_array()[0].at("game"), 0);
  const json::Value next = Get("/night/games?agent=llm:it&result=win&cursor=" + std::string(json::TextOf(won, "next")));
  ASSERT_EQ(next.at("games").as_array().size(), 1U);
  EXPECT_EQ(next.at("games").as_array()[0].at("game"), 2);
  EXPECT_THAT(Text("/night/games?result=lost", 400), HasSubstr("result must be one of"));
  EXPECT_THAT(Text("/night/games?limit=0", 400), HasSubstr("limit must be a whole number"));
}

TEST_F(ArenaApiTest, ShowsAGameDownToItsDecisions) {
  const json::Value game = Get("/night/games/0");
  EXPECT_EQ(game.at("game").at("winners").as_array().size(), 1U);
  EXPECT_EQ(game.at("pair").as_array()[0].at("game"), 1);
  EXPECT_EQ(game.at("decisions"), 3);
  EXPECT_EQ(game.at("offered"), false);
  const json::Value decisions = Get("/night/games/0/decisions?limit=2");
  ASSERT_EQ(decisions.at("decisions").as_array().size(), 2U);
  EXPECT_THAT(json::Write(decisions.at("decisions").as_array()[0]), HasSubstr("I take the corner"));
  EXPECT_THAT(json::Write(decisions.at("decisions").as_array()[1]),
              HasSubstr(R"({"game":0,"decision":1,"omitted":4194)"));
  EXPECT_EQ(json::TextOf(decisions, "next"), "2");
  EXPECT_EQ(Text("/night/games/0/decisions?cursor=2"), R"({"decisions":[{"game":0,"decision":2,"seat":1}]})");
  EXPECT_EQ(Text("/night/games/2/decisions"), R"({"decisions":[]})");
  EXPECT_THAT(Text("/night/games/0/decisions?cursor=x", 400), HasSubstr("cursor must be that of a list of decisions"));
  // Game 3 was not complete when its line was cut off.
  for (const char* number : {"3", "-1", "x", "18446744073709551616"}) {
    EXPECT_THAT(Text(std::string("/night/games/") + number, 404), HasSubstr("has no game"));
  }
}

TEST_F(ArenaApiTest, ShowsAReplayLikeATranscript) {
  const json::Value all = Get("/night/games/0/transcript?viewer=all");
  EXPECT_EQ(json::TextOf(all, "table"), "calm-otter");
  ASSERT_EQ(all.at("events").as_array().size(), 2U);
  EXPECT_EQ(json::TextOf(all.at("events").as_array()[1].at("payload"), "text"), "hello");
  EXPECT_EQ(Get("/night/games/0/transcript?viewer=all&after=1").at("events").as_array().size(), 1U);
  EXPECT_THAT(Text("/night/games/0/transcript", 501), HasSubstr("is not offered here"));
  EXPECT_THAT(Text("/night/games/1/transcript?viewer=all", 404), HasSubstr("no replay of game 1"));
}

TEST_F(ArenaApiTest, SaysWhatIsWrong) {
  for (const char* path : {"/none", "/..%2Farena", "/..", "/.hidden", "/none/games", "/none/standings"}) {
    EXPECT_THAT(Text(path, 404), HasSubstr("not-found")) << path;
  }
  WriteText(dir_ + "/arena/night/games.jsonl", "{\"game\":0,\"pair\":0}\n");
  EXPECT_THAT(Text("/night/standings", 500), HasSubstr("games.jsonl:1: "));
  WriteText(dir_ + "/arena/night/decisions.jsonl", "nonsense\n");
  EXPECT_THAT(Text("/night/games/0", 500), HasSubstr("games.jsonl:1: "));
  EXPECT_EQ(Get("/elsewhere/games").at("total"), 3);
}

}  // namespace
}  // namespace openseat::console
