#include "protocols/console/arena_games.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "base/json_members.h"

namespace openseat::console {
namespace {

using arena::GameLine;
using arena::GameResult;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

GameLine Line(std::uint64_t number, std::vector<std::string> seats, GameResult result,
              std::vector<SeatIndex> winners = {}) {
  GameLine line;
  line.game = number;
  line.pair = number / 2;
  line.game_id = number < 4 ? "tictactoe" : "rps";
  line.seats = std::move(seats);
  line.result = result;
  line.winners = std::move(winners);
  line.turns = 5 + number;
  line.by_seat.resize(line.seats.size());
  for (arena::SeatFigures& seat : line.by_seat) seat.cost = 0;
  return line;
}

// Two pairs of a and b, one of them with a void game; a's win against c by a forfeit; a game of b against itself.
std::vector<GameLine> Games() {
  std::vector<GameLine> games{Line(0, {"a", "b"}, GameResult::kWin, {0}), Line(1, {"b", "a"}, GameResult::kWin, {0}),
                              Line(2, {"a", "b"}, GameResult::kDraw),     Line(3, {"b", "a"}, GameResult::kVoid),
                              Line(4, {"a", "c"}, GameResult::kWin, {0}), Line(5, {"b", "b"}, GameResult::kWin, {1})};
  games[3].cause = "b: HTTP 500";
  games[3].code = "provider";
  games[3].culprit = 0;
  games[4].forfeit = true;
  games[4].cause = "c: no valid answer";
  games[4].code = "schema";
  games[4].culprit = 1;
  games[4].by_seat[1].illegal = 3;
  games[1].by_seat[1].cost = 0.25;
  games[1].by_seat[1].decisions = 2;
  games[1].by_seat[1].latency_ms = 100;
  games[2].by_seat[0].cost = 0.5;
  games[2].by_seat[0].decisions = 4;
  games[2].by_seat[0].latency_ms = 120;
  return games;
}

net::HttpRequest Asked(std::vector<std::pair<std::string, std::string>> query) {
  net::HttpRequest request;
  request.query = std::move(query);
  return request;
}

std::vector<std::uint64_t> Found(std::vector<std::pair<std::string, std::string>> query, const net::Page& page = {}) {
  const Result<GameQuery> parsed = GameQueryOf(Asked(std::move(query)));
  EXPECT_TRUE(parsed.has_value()) << (parsed ? "" : parsed.error().message);
  if (!parsed) return {};
  const Result<json::Object> found = FindGames(Games(), *parsed, page);
  EXPECT_TRUE(found.has_value()) << (found ? "" : found.error().message);
  std::vector<std::uint64_t> numbers;
  if (!found) return numbers;
  for (const json::Value& game : found->at("games").as_array()) {
    numbers.push_back(json::WholeOf(game.as_object(), "game").value_or(99));
  }
  return numbers;
}

TEST(ArenaGamesTest, FindsWhatAFigureCounts) {
  EXPECT_THAT(Found({}), ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_THAT(Found({{"agent", "a"}}), ElementsAre(0, 1, 2, 3, 4));
  EXPECT_THAT(Found({{"agent", "a"}, {"opponent", "b"}}), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(Found({{"agent", "b"}, {"opponent", "b"}}), ElementsAre(5));
  EXPECT_THAT(Found({{"agent", "a"}, {"result", "win"}}), ElementsAre(0, 4));
  EXPECT_THAT(Found({{"agent", "a"}, {"result", "loss"}}), ElementsAre(1));
  EXPECT_THAT(Found({{"agent", "b"}, {"result", "draw"}}), ElementsAre(2));
  EXPECT_THAT(Found({{"result", "win"}}), ElementsAre(0, 1, 4, 5));
  EXPECT_THAT(Found({{"result", "void"}}), ElementsAre(3));
  EXPECT_THAT(Found({{"agent", "c"}, {"result", "forfeit"}}), ElementsAre(4));
  EXPECT_THAT(Found({{"agent", "a"}, {"result", "forfeit"}}), IsEmpty());
  EXPECT_THAT(Found({{"game_id", "rps"}, {"agent", ""}}), ElementsAre(4, 5));
  EXPECT_THAT(Found({{"code", "provider"}}), ElementsAre(3));
  EXPECT_THAT(Found({{"culprit", "c"}, {"result", "forfeit"}}), ElementsAre(4));
  EXPECT_THAT(Found({{"culprit", "a"}}), IsEmpty());
  EXPECT_THAT(Found({{"agent", "c"}, {"with", "illegal"}}), ElementsAre(4));
  EXPECT_THAT(Found({{"agent", "a"}, {"with", "illegal"}}), IsEmpty());
}

TEST(ArenaGamesTest, PagesKeepTheirPlaceInEveryOrder) {
  EXPECT_THAT(Found({{"agent", "a"}, {"sort", "cost"}}), ElementsAre(2, 1, 0, 3, 4));
  EXPECT_THAT(Found({{"agent", "a"}, {"sort", "latency"}}), ElementsAre(1, 2, 0, 3, 4));
  EXPECT_THAT(Found({{"sort", "turns"}}), ElementsAre(5, 4, 3, 2, 1, 0));
  for (const char* sort : {"game", "cost", "turns"}) {
    GameQuery query;
    query.sort = sort;
    std::vector<std::uint64_t> paged;
    net::Page page{.limit = 4};
    for (int i = 0; i < 2; ++i) {
      const Result<json::Object> found = FindGames(Games(), query, page);
      ASSERT_TRUE(found.has_value());
      EXPECT_EQ(found->at("total"), 6);
      EXPECT_EQ(found->contains("next"), i == 0);
      for (const json::Value& game : found->at("games").as_array()) {
        paged.push_back(*json::WholeOf(game.as_object(), "game"));
      }
      page.cursor = std::string(json::TextOf(*found, "next"));
    }
    EXPECT_EQ(paged, Found({{"sort", sort}}));
  }
  const Result<json::Object> other = FindGames(Games(), {}, {.limit = 4, .cursor = "cost:1"});
  ASSERT_FALSE(other.has_value());
  EXPECT_EQ(other.error().path, "cursor");
}

TEST(ArenaGamesTest, SaysWhichWordsItKnows) {
  const auto message = [](std::vector<std::pair<std::string, std::string>> query) {
    const Result<GameQuery> parsed = GameQueryOf(Asked(std::move(query)));
    return parsed ? std::string("none") : parsed.error().message;
  };
  EXPECT_EQ(message({{"result", "lost"}}), "result must be one of win, draw, loss, forfeit, void; got \"lost\"");
  EXPECT_THAT(message({{"with", "tokens"}}), HasSubstr("with must be one of illegal, repaired, asked_again"));
  EXPECT_THAT(message({{"sort", "elo"}}), HasSubstr("sort must be one of game, cost"));
  EXPECT_THAT(message({{"opponent", "a"}}), HasSubstr("opponent needs an agent"));
  EXPECT_THAT(message({{"result", "loss"}}), HasSubstr("result=loss needs an agent"));
}

TEST(ArenaGamesTest, CountsHowGamesEnded) {
  EXPECT_EQ(json::Write(CountGames(Games(), false)),
            R"({"games":5,"void":1,"forfeits":1,"half_pairs":1,"causes":[)"
            R"({"code":"schema","void":false,"games":1,"example":"c: no valid answer","culprit":"c"},)"
            R"({"code":"provider","void":true,"games":1,"example":"b: HTTP 500","culprit":"b"}],"more_causes":false})");
  EXPECT_EQ(CountGames(Games(), true).at("half_pairs"), 0);
}

}  // namespace
}  // namespace openseat::console
