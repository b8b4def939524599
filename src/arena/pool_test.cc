#include "arena/pool.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "base/secure_random.h"

namespace openseat::arena {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class PoolTest : public ::testing::Test {
 public:
  PoolTest() {
    PutRun("monday", "a", "b");
    PutRun("tuesday", "b", "c");
  }
  ~PoolTest() override { fs::remove_all(dir_); }

 protected:
  void PutRun(const std::string& name, const std::string& first, const std::string& second) const {
    fs::create_directories(dir_ / name);
    std::ofstream file(dir_ / name / "games.jsonl");
    for (int game = 0; game < 4; ++game) {
      file << R"({"game": )" << game << R"(, "pair": )" << game / 2 << R"(, "seats": [")" << first << R"(", ")"
           << second << R"("], "result": "win", "winners": [)" << (game == 3 ? 1 : 0) << "]}\n";
    }
  }
  void PutPool(const std::string& text) const { std::ofstream(File()) << text; }
  std::string File() const { return (dir_ / "pool.json").string(); }

  const fs::path dir_ = fs::path(::testing::TempDir()) / ("pool_test." + SecureToken(8));
};

TEST_F(PoolTest, WhatIsWrittenIsRead) {
  EXPECT_THAT(ReadPool(File())->runs, IsEmpty());
  const Pool pool{
      .runs = {PoolName(File(), (dir_ / "monday").string()), PoolName(File(), (dir_ / "tuesday/").string())}};
  EXPECT_THAT(pool.runs, ElementsAre("monday", "tuesday"));
  const auto runs = ReadPoolGames(File(), pool);
  ASSERT_TRUE(runs.has_value()) << runs.error().message;
  StandingsOptions options;
  options.resamples = 100;
  const Result<Standings> standings = MakeStandings(*runs, options);
  ASSERT_TRUE(standings.has_value());
  EXPECT_EQ(standings->all.agents.size(), 3U);
  PutPool(json::Write(ToJson(pool, *standings)));
  const Result<Pool> read = ReadPool(File());
  ASSERT_TRUE(read.has_value()) << read.error().message;
  EXPECT_EQ(read->runs, pool.runs);
}

TEST_F(PoolTest, FoldersElsewhereAreNamedInFull) {
  EXPECT_EQ(PoolName("/pools/all.json", "/pools/runs/one"), "runs/one");
  EXPECT_EQ(PoolName("/pools/all.json", "/pools/../runs/one/"), "/runs/one");
  const auto runs = ReadPoolGames("/elsewhere/pool.json", {.runs = {(dir_ / "monday").string()}});
  ASSERT_TRUE(runs.has_value()) << runs.error().message;
  EXPECT_EQ(runs->front().size(), 4U);
}

GameLine LineOfPool(std::uint64_t pair, const std::string& game, std::vector<std::string> seats) {
  GameLine line;
  line.pair = pair;
  line.game_id = game;
  line.seats = std::move(seats);
  line.result = GameResult::kWin;
  line.winners = {1};
  return line;
}

TEST_F(PoolTest, EarlierGamesCountInASchedule) {
  ScheduleSpec spec;
  spec.agents = {"new", "b"};
  spec.games = {{.id = "chess"}};
  spec.until_interval = 100;
  std::vector<std::vector<GameLine>> runs = {
      {LineOfPool(0, "chess", {"a", "b"}), LineOfPool(0, "chess", {"b", "a"}), LineOfPool(1, "go", {"new", "b"}),
       LineOfPool(2, "chess", {"new", "new"})},
      {LineOfPool(0, "chess", {"b", "c"})}};
  runs[1].push_back(LineOfPool(1, "chess", {"new", "c"}));
  runs[1].back().result = GameResult::kVoid;
  ScheduleSpec pooled = spec;
  AddEarlier(runs, pooled);
  EXPECT_THAT(pooled.agents, ElementsAre("new", "b", "a", "c"));
  EXPECT_THAT(pooled.games[0].agents, ElementsAre(0, 1));
  EXPECT_THAT(pooled.newcomers, ElementsAre(0));
  const auto game = [](const std::vector<std::uint32_t>& agents, std::uint64_t cluster) {
    return AllOf(Field(&RatedGame::agents, agents), Field(&RatedGame::cluster, cluster),
                 Field(&RatedGame::winners, SeatSet{1}));
  };
  EXPECT_THAT(pooled.earlier, ElementsAre(game({2, 1}, 0), game({1, 2}, 0), game({1, 3}, 1)));
  // Those that are only rated do not play.
  Result<Schedule> schedule = Schedule::Make(pooled);
  ASSERT_TRUE(schedule.has_value()) << schedule.error().message;
  for (const PlannedGame& planned : schedule->Next({})) {
    EXPECT_THAT(planned.agents, ::testing::UnorderedElementsAre(0, 1));
  }
  // Whom the pool knows, it may know better.
  spec.agents = {"c", "b"};
  AddEarlier(runs, spec);
  EXPECT_THAT(spec.newcomers, ElementsAre(0, 1));
  // An empty pool changes nothing.
  spec.earlier.clear();
  spec.newcomers.clear();
  AddEarlier({}, spec);
  EXPECT_THAT(spec.newcomers, IsEmpty());
}

TEST_F(PoolTest, SaysWhatIsWrong) {
  const auto message = [&](const std::string& text) {
    PutPool(text);
    const Result<Pool> pool = ReadPool(File());
    return pool ? "" : pool.error().message;
  };
  EXPECT_THAT(message("{"), HasSubstr("pool.json: line 1"));
  EXPECT_THAT(message("[]"), HasSubstr("a pool has the \"format\" \"openseat-pool\""));
  EXPECT_THAT(message(R"({"format": "openseat-pool", "version": 2})"), HasSubstr("pools of version 1, not 2"));
  EXPECT_THAT(message(R"({"format": "openseat-pool", "version": 1})"), HasSubstr("\"runs\" is an array"));
  EXPECT_THAT(message(R"({"format": "openseat-pool", "version": 1, "runs": [7]})"),
              HasSubstr("1 to 4096 bytes, not 7"));
  EXPECT_THAT(message(R"({"format": "openseat-pool", "version": 1, "runs": ["a", "a"]})"),
              HasSubstr("in the pool twice"));
  // Ratings of many agents are larger than what a message may be.
  PutPool(R"({"format": "openseat-pool", "version": 1, "runs": ["a"], "ratings": ")" + std::string(20u << 20, 'x') +
          "\"}");
  EXPECT_THAT(ReadPool(File())->runs, ElementsAre("a"));
  fs::resize_file(File(), (64u << 20) + 1);
  EXPECT_THAT(ReadPool(File()).error().message, HasSubstr("has more than 67108864 bytes"));
  const auto missing = ReadPoolGames(File(), {.runs = {"gone"}});
  ASSERT_FALSE(missing.has_value());
  EXPECT_THAT(missing.error().message, HasSubstr("gone/games.jsonl"));
}

}  // namespace
}  // namespace openseat::arena
