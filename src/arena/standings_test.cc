#include "arena/standings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "arena/standings_output.h"
#include "base/json_document.h"
#include "schema/schema.h"

namespace openseat::arena {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

using Lines = std::vector<GameLine>;

constexpr int kDrawn = -1;

// A game won by a seat, or drawn.
GameLine Played(Lines& lines, const std::string& game_id, std::vector<std::string> seats, int winner) {
  GameLine line;
  line.game = lines.size();
  line.pair = lines.size() / 2;
  line.game_id = game_id;
  line.seats = std::move(seats);
  line.result = winner == kDrawn ? GameResult::kDraw : GameResult::kWin;
  if (winner != kDrawn) line.winners = {static_cast<SeatIndex>(winner)};
  lines.push_back(line);
  return line;
}

SeatFigures FiguresOf(std::uint64_t decisions, std::uint64_t illegal, double cost, double latency_ms) {
  SeatFigures figures;
  figures.decisions = decisions;
  figures.illegal = illegal;
  figures.cost = cost;
  figures.latency_ms = latency_ms;
  return figures;
}

// a beats b in 3 of 4 games, b beats c in 5 of 6, of which the last is drawn.
Lines SmallRun() {
  Lines lines;
  for (const int winner : {0, 0, 0, 1}) Played(lines, "chess", {"a", "b"}, winner);
  for (const int winner : {0, 0, 0, 0, 1, kDrawn}) Played(lines, "go", {"b", "c"}, winner);
  return lines;
}

Standings Make(const std::vector<Lines>& runs, StandingsOptions options = {}) {
  options.resamples = 50;
  Result<Standings> made = MakeStandings(runs, options);
  EXPECT_TRUE(made.has_value()) << made.error().message;
  return std::move(*made);
}

std::vector<std::string> NamesOf(const StandingsTable& table) {
  std::vector<std::string> names;
  for (const AgentStanding& agent : table.agents) names.push_back(agent.agent);
  return names;
}

TEST(StandingsTest, RatesOverAllGamesAndForEach) {
  const Standings standings = Make({SmallRun()});
  EXPECT_THAT(NamesOf(standings.all), ElementsAre("a", "b", "c"));
  const AgentStanding& b = standings.all.agents[1];
  EXPECT_EQ(b.games, 10U);
  EXPECT_EQ(b.wins, 5U);
  EXPECT_EQ(b.draws, 1U);
  EXPECT_EQ(b.losses, 4U);
  ASSERT_EQ(standings.games.size(), 2U);
  EXPECT_EQ(standings.games[0].game_id, "chess");
  EXPECT_THAT(NamesOf(standings.games[0].table), ElementsAre("a", "b"));
  EXPECT_THAT(NamesOf(standings.games[1].table), ElementsAre("b", "c"));
  double sum = 0;
  for (const AgentStanding& agent : standings.all.agents) {
    sum += agent.rating->rating;
    EXPECT_LT(agent.rating->low, agent.rating->rating);
    EXPECT_GT(agent.rating->high, agent.rating->rating);
  }
  EXPECT_NEAR(sum / 3, 1500, 1e-9);
}

TEST(StandingsTest, SaysHowFarItIs) {
  std::vector<double> shares;
  StandingsOptions options;
  options.on_progress = [&shares](double share) { shares.push_back(share); };
  Make({SmallRun()}, options);
  EXPECT_EQ(shares.size(), 3U * 50);
  EXPECT_TRUE(std::ranges::is_sorted(shares));
  EXPECT_NEAR(shares.front(), 1 / 150.0, 1e-9);
  EXPECT_NEAR(shares.back(), 1, 1e-9);
}

TEST(StandingsTest, PairsAreSeenFromTheHigherAgent) {
  const StandingsTable table = Make({SmallRun()}).all;
  ASSERT_EQ(table.pairs.size(), 3U);
  EXPECT_EQ(table.pairs[0].score.wins, 3);
  EXPECT_EQ(table.pairs[0].score.losses, 1);
  EXPECT_EQ(table.pairs[1].score.games(), 0);
  EXPECT_EQ(table.pairs[2].score.wins, 4);
  EXPECT_EQ(table.pairs[2].score.losses, 1);
  EXPECT_EQ(table.pairs[2].score.draws, 1);
  for (const PairStanding& pair : table.pairs) {
    EXPECT_LT(pair.first, pair.second);
    EXPECT_GT(pair.difference.rating, 0);
    EXPECT_GT(pair.difference.superiority, 0.5);
  }
  EXPECT_NEAR(table.pairs[1].difference.rating, table.pairs[0].difference.rating + table.pairs[2].difference.rating,
              1e-9);
}

TEST(StandingsTest, VoidGamesAreOutsideEveryRate) {
  Lines lines = SmallRun();
  const json::Object without = ToJson(Make({lines}));
  GameLine line = Played(lines, "chess", {"a", "b"}, 1);
  lines.back().result = GameResult::kVoid;
  lines.back().winners.clear();
  lines.back().by_seat = {FiguresOf(5, 5, 1.0, 7), SeatFigures{}};
  Standings with = Make({lines});
  EXPECT_EQ(with.all.agents[0].voids, 1U);
  EXPECT_EQ(with.all.agents[0].games, 4U);
  for (StandingsTable* table : {&with.all, &with.games[0].table}) {
    for (AgentStanding& agent : table->agents) agent.voids = 0;
  }
  EXPECT_TRUE(json::Equal(ToJson(with), without));
}

TEST(StandingsTest, AnAgentWithoutAGameThatCountsHasNoRating) {
  Lines lines = SmallRun();
  Played(lines, "chess", {"d", "a"}, 0);
  lines.back().result = GameResult::kVoid;
  lines.back().winners.clear();
  Played(lines, "chess", {"self", "self"}, 0);
  const Standings standings = Make({lines});
  EXPECT_THAT(NamesOf(standings.all), ElementsAre("a", "b", "c", "d", "self"));
  EXPECT_FALSE(standings.all.agents[3].rating.has_value());
  EXPECT_EQ(standings.all.agents[3].voids, 1U);
  EXPECT_FALSE(standings.all.agents[4].rating.has_value());
  EXPECT_EQ(standings.all.agents[4].wins, 1U);
  EXPECT_EQ(standings.all.agents[4].losses, 1U);
  const json::Object out = ToJson(standings);
  EXPECT_THAT(json::Write(out.at("agents").at(3)), HasSubstr("\"rank\":null,\"rating\":null,\"low\":null"));
}

TEST(StandingsTest, RunsAreCombined) {
  const Standings once = Make({SmallRun()});
  const Standings twice = Make({SmallRun(), SmallRun()});
  EXPECT_EQ(twice.all.agents[0].games, 2 * once.all.agents[0].games);
  // Pair 0 of one run is not pair 0 of the other: twice the pairs make the errors smaller.
  EXPECT_LT(twice.all.agents[1].rating->error, 0.85 * once.all.agents[1].rating->error);
}

TEST(StandingsTest, FiguresAreSums) {
  Lines lines = SmallRun();
  for (GameLine& line : lines) {
    SeatFigures known = FiguresOf(4, 1, 0.25, 40);
    known.tokens.input = 100;
    line.by_seat = {known, SeatFigures{}};
  }
  lines[3].forfeit = true;  // b won, so a forfeited
  const StandingsTable table = Make({lines}).all;
  EXPECT_EQ(table.agents[0].figures.illegal, 4U);
  EXPECT_EQ(table.agents[0].figures.tokens.input, 400U);
  EXPECT_EQ(table.agents[0].figures.cost, 1.0);
  EXPECT_EQ(table.agents[0].forfeits, 1U);
  EXPECT_EQ(table.agents[1].forfeits, 0U);
  EXPECT_EQ(table.agents[2].figures.cost, std::nullopt);
}

TEST(StandingsTest, RanksOverlap) {
  Lines lines;
  for (int n = 0; n < 100; ++n) Played(lines, "chess", {"strong", "weak"}, n % 10 == 0 ? 1 : 0);
  for (int n = 0; n < 100; ++n) Played(lines, "chess", {"weak", "also weak"}, n % 2);
  const StandingsTable table = Make({lines}).all;
  EXPECT_EQ(table.agents[0].rank, 1U);
  EXPECT_EQ(table.agents[1].rank, 2U);
  EXPECT_EQ(table.agents[2].rank, 2U);
}

TEST(StandingsTest, TheAnchorHasItsRating) {
  const Standings standings = Make({SmallRun()}, {.anchor = "a", .base = 2000});
  EXPECT_EQ(standings.all.agents[0].rating->rating, 2000);
  EXPECT_EQ(standings.games[0].table.agents[0].rating->rating, 2000);
  // Where the anchor has not played, the mean has that rating.
  const StandingsTable& go = standings.games[1].table;
  EXPECT_NEAR(go.agents[0].rating->rating + go.agents[1].rating->rating, 4000, 1e-9);
  const Result<Standings> unknown = MakeStandings(std::vector<Lines>{SmallRun()}, {.anchor = "x"});
  ASSERT_FALSE(unknown.has_value());
  EXPECT_EQ(unknown.error().message, "the anchor \"x\" has no game that counts; these agents have: a, b, c");
}

TEST(StandingsTest, TooManyAgentsAreRefused) {
  Lines lines;
  for (int n = 0; n < 101; ++n) Played(lines, "chess", {std::to_string(n), "other " + std::to_string(n)}, 0);
  const Result<Standings> made = MakeStandings(std::vector<Lines>{lines}, {});
  ASSERT_FALSE(made.has_value());
  EXPECT_THAT(made.error().message, HasSubstr("at most 200 agents can be rated together, not 202"));
}

TEST(StandingsTest, EqualGamesWeighEachKindTheSame) {
  Lines lines;
  for (int n = 0; n < 100; ++n) Played(lines, "chess", {"a", "b"}, n % 4 == 0 ? 1 : 0);
  for (int n = 0; n < 8; ++n) Played(lines, "go", {"a", "b"}, n % 4 == 0 ? 0 : 1);
  const StandingsTable pooled = Make({lines}).all;
  EXPECT_EQ(NamesOf(pooled).front(), "a");
  EXPECT_GT(pooled.agents[0].rating->rating, 1550);
  const StandingsTable equal = Make({lines}, {.equal_games = true}).all;
  EXPECT_NEAR(equal.agents[0].rating->rating, 1500, 1);
  EXPECT_EQ(equal.pairs[0].score.games(), 108);
}

// docs/formats/ratings.schema.json
TEST(StandingsTest, TheFileFitsItsSchema) {
  const Result<std::string> text = json::ReadFile(OPENSEAT_DOCS "/formats/ratings.schema.json");
  ASSERT_TRUE(text.has_value()) << text.error().message;
  const auto compiled = schema::Schema::Compile(*json::Parse(*text));
  ASSERT_TRUE(compiled.has_value()) << compiled.error().message;
  Lines lines = SmallRun();
  Played(lines, "chess", {"only void", "a"}, 0);
  lines.back().result = GameResult::kVoid;
  lines.back().winners.clear();
  lines[0].by_seat = {FiguresOf(5, 1, 0.1, 20), SeatFigures{}};
  for (const json::Object& file : {ToJson(Make({lines}, {.anchor = "b"})), ToJson(Make({}))}) {
    EXPECT_EQ(schema::Explain((*compiled)->Validate(file)), "");
    // The schema knows every member.
    json::Value other = file;
    other.at("agents").as_array().push_back(json::Object{{"agent", "x"}});
    EXPECT_FALSE((*compiled)->IsValid(other));
    for (const auto& member : file) {
      other = file;
      other.as_object().erase(member.key());
      EXPECT_FALSE((*compiled)->IsValid(other)) << member.key();
    }
  }
}

TEST(StandingsTest, SpreadsheetsGetALineForEachAgent) {
  Lines lines;
  Played(lines, "go", {"a,\"b\"", "=c"}, 0);
  lines.front().by_seat = {FiguresOf(2, 0, 0, 30), FiguresOf(1, 0, 0, 5)};
  lines.front().by_seat[0].cpu_ms = 5;
  const Standings standings = Make({lines});
  const std::string csv = StandingsCsv(standings);
  EXPECT_THAT(csv, ::testing::StartsWith("agent,rank,rating,low,high,error,games,wins,draws,losses,forfeits,void,"
                                         "decisions,illegal,repaired,cost,latency_ms,cpu_ms\r\n\"a,\"\"b\"\"\",1,"));
  EXPECT_THAT(csv, HasSubstr(",1,1,0,0,0,0,2,0,0,0,15,2.5\r\n'=c,1,"));
  EXPECT_THAT(csv, ::testing::EndsWith(",1,0,0,1,0,0,1,0,0,0,5,\r\n"));
  EXPECT_THAT(StandingsText(standings), HasSubstr("cpu\n"));
  EXPECT_THAT(StandingsText(Make({SmallRun()})), Not(HasSubstr("cpu")));
}

TEST(StandingsTest, CellsAreQuotedForSpreadsheetsThatSeparateThemOtherwise) {
  Lines lines;
  Played(lines, "go", {"a;b", "c\td"}, 0);
  const std::string csv = StandingsCsv(Make({lines}));
  EXPECT_THAT(csv, HasSubstr("\r\n\"a;b\","));
  EXPECT_THAT(csv, HasSubstr("\r\n\"c\td\","));
}

TEST(StandingsTest, NoGamesAreAnEmptyTable) {
  const Standings none = Make({});
  EXPECT_TRUE(none.all.agents.empty());
  EXPECT_THAT(json::Write(ToJson(none)), HasSubstr("\"agents\":[],\"pairs\":[],\"games\":{}"));
  EXPECT_THAT(StandingsText(none), HasSubstr("95 % interval"));
}

TEST(StandingsTest, TextIsATableThatATerminalCanShow) {
  Lines lines = SmallRun();
  Played(lines, "chess", {"a", "evil\x1b[2J\n"}, 0);
  lines.back().by_seat = {FiguresOf(8, 2, 0.5, 100), SeatFigures{}};
  const std::string text = StandingsText(Make({lines}));
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
  EXPECT_THAT(text, HasSubstr("evil\\x1b[2J\\n"));
  EXPECT_THAT(text, HasSubstr("25.0 %"));
  EXPECT_THAT(text, HasSubstr("$0.5000"));
  EXPECT_THAT(text, HasSubstr("12.5 ms"));
  EXPECT_THAT(text, HasSubstr("\nchess\nagent"));
  EXPECT_THAT(text, HasSubstr("which is better is open; about "));
}

}  // namespace
}  // namespace openseat::arena
