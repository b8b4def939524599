#include "arena/schedule.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>
#include <string>

#include "arena/ratings.h"
#include "arena/standings.h"
#include "base/rng.h"

namespace openseat::arena {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

ScheduleSpec SpecOf(std::size_t agents, Format format = Format::kRoundRobin, std::uint64_t pairs = 1) {
  ScheduleSpec spec;
  for (std::size_t agent = 0; agent < agents; ++agent) spec.agents.push_back("agent " + std::to_string(agent));
  spec.games = {{.id = "one"}};
  spec.format = format;
  spec.pairs = pairs;
  spec.seed = 7;
  return spec;
}

Schedule ScheduleOf(const ScheduleSpec& spec) {
  Result<Schedule> made = Schedule::Make(spec);
  EXPECT_TRUE(made.has_value()) << made.error().message;
  return std::move(*made);
}

std::string MessageOf(const ScheduleSpec& spec) {
  const Result<Schedule> made = Schedule::Make(spec);
  return made ? "" : made.error().message;
}

// Which agent wins, or none.
using Rules = std::function<std::optional<std::size_t>(const PlannedGame&)>;

GameLine LineOf(const PlannedGame& game, const Rules& rules) {
  GameLine line;
  line.game = game.number;
  line.pair = game.pair;
  line.game_id = game.game_id;
  line.seed = game.seed;
  for (const std::size_t agent : game.agents) line.seats.push_back("agent " + std::to_string(agent));
  const std::optional<std::size_t> winner = rules(game);
  line.result = winner ? GameResult::kWin : GameResult::kDraw;
  if (winner) {
    line.winners = {static_cast<SeatIndex>(std::ranges::find(game.agents, *winner) - game.agents.begin())};
  }
  return line;
}

std::optional<std::size_t> LowerWins(const PlannedGame& game) {
  return std::ranges::min(game.agents);
}
std::optional<std::size_t> NobodyWins(const PlannedGame& /*game*/) {
  return std::nullopt;
}

// Batches up to the end of a run with these rules.
std::vector<std::vector<PlannedGame>> Batches(const ScheduleSpec& spec, const Rules& rules) {
  Schedule schedule = ScheduleOf(spec);
  std::vector<std::vector<PlannedGame>> batches;
  std::vector<GameLine> results;
  for (std::vector<PlannedGame> batch; !(batch = schedule.Next(results)).empty(); batches.push_back(batch)) {
    for (const PlannedGame& game : batch) results.push_back(LineOf(game, rules));
  }
  EXPECT_TRUE(schedule.complete());
  return batches;
}

std::vector<PlannedGame> AllGames(const ScheduleSpec& spec, const Rules& rules = LowerWins) {
  std::vector<PlannedGame> games;
  for (const std::vector<PlannedGame>& batch : Batches(spec, rules))
    games.insert(games.end(), batch.begin(), batch.end());
  for (std::size_t i = 0; i < games.size(); ++i) {
    EXPECT_EQ(games[i].number, i);
    EXPECT_LT(games[i].seed, kEndOfSeeds);
    EXPECT_LE(games[i].pair - games[i == 0 ? 0 : i - 1].pair, 1U);
  }
  return games;
}

// How many games each group of agents has, in any seats.
std::map<std::set<std::size_t>, int> GamesOfGroups(const std::vector<PlannedGame>& games) {
  std::map<std::set<std::size_t>, int> groups;
  for (const PlannedGame& game : games) ++groups[{game.agents.begin(), game.agents.end()}];
  return groups;
}

TEST(ScheduleTest, EverybodyMeetsEverybodyInMirroredPairs) {
  const std::vector<PlannedGame> games = AllGames(SpecOf(5, Format::kRoundRobin, 3));
  EXPECT_EQ(games.size(), 10U * 3 * 2);
  const auto groups = GamesOfGroups(games);
  EXPECT_EQ(groups.size(), 10U);
  for (const auto& [group, count] : groups) EXPECT_EQ(count, 6);
  std::set<std::uint64_t> seeds;
  for (std::size_t i = 0; i < games.size(); i += 2) {
    EXPECT_EQ(games[i].pair, i / 2);
    EXPECT_EQ(games[i + 1].pair, i / 2);
    EXPECT_EQ(games[i + 1].seed, games[i].seed);
    EXPECT_THAT(games[i + 1].agents, ElementsAre(games[i].agents[1], games[i].agents[0]));
    EXPECT_TRUE(seeds.insert(games[i].seed).second);
  }
}

TEST(ScheduleTest, PlaysAllGamesBeforeItRepeatsOne) {
  ScheduleSpec spec = SpecOf(3, Format::kRoundRobin, 2);
  spec.games = {{.id = "two"}, {.id = "three", .seats = 3}};
  const std::vector<PlannedGame> games = AllGames(spec);
  EXPECT_EQ(games.size(), 2U * (3 * 2 + 3));
  EXPECT_EQ(games[0].game_id, "two");
  EXPECT_EQ(games[6].game_id, "three");
  EXPECT_THAT(games[6].agents, ElementsAre(0, 1, 2));
  EXPECT_THAT(games[7].agents, ElementsAre(1, 2, 0));
  EXPECT_THAT(games[8].agents, ElementsAre(2, 0, 1));
  EXPECT_EQ(games[6].pair, games[8].pair);
  EXPECT_EQ(games[9].game_id, "two");
  EXPECT_EQ(ScheduleOf(spec).total_games(), 18U);
}

TEST(ScheduleTest, AGauntletHasTheChallengerInEachGame) {
  ScheduleSpec spec = SpecOf(4, Format::kGauntlet, 2);
  spec.challenger = 2;
  const std::vector<PlannedGame> games = AllGames(spec);
  EXPECT_EQ(games.size(), 3U * 2 * 2);
  for (const PlannedGame& game : games) EXPECT_NE(std::ranges::find(game.agents, 2U), game.agents.end());
}

TEST(ScheduleTest, FixedRolesAreNotExchanged) {
  ScheduleSpec spec = SpecOf(3, Format::kRoundRobin, 2);
  spec.fixed_roles = true;
  const std::vector<PlannedGame> games = AllGames(spec);
  EXPECT_EQ(games.size(), 6U);
  for (const PlannedGame& game : games) {
    EXPECT_LT(game.agents[0], game.agents[1]);
    EXPECT_EQ(game.pair, game.number);
  }
}

TEST(ScheduleTest, EndsWithinAPairIfAsked) {
  ScheduleSpec spec = SpecOf(2, Format::kRoundRobin, 1000);
  spec.max_games = 7;
  EXPECT_EQ(ScheduleOf(spec).total_games(), 7U);
  const std::vector<PlannedGame> games = AllGames(spec);
  EXPECT_EQ(games.size(), 7U);
  EXPECT_EQ(games.back().pair, 3U);
  spec.max_games = 0;
  EXPECT_THAT(AllGames(spec), IsEmpty());
}

// A billion games need no memory, and no results.
TEST(ScheduleTest, LongRunsArePlannedAsTheyGo) {
  Schedule schedule = ScheduleOf(SpecOf(2, Format::kRoundRobin, kMaxPairs));
  EXPECT_FALSE(schedule.needs_results());
  EXPECT_EQ(schedule.total_games(), 2 * kMaxPairs);
  for (int n = 0; n < 10; ++n) {
    const std::size_t planned = schedule.Next({}).size();
    EXPECT_GE(planned, 2U);
    EXPECT_LE(planned, 10'000U);
  }
  EXPECT_FALSE(schedule.complete());
}

TEST(ScheduleTest, SwissPairsLikeWithLikeAndNeverTwice) {
  for (const std::size_t agents : {2U, 3U, 5U, 8U, 13U, 40U}) {
    const ScheduleSpec spec = SpecOf(agents, Format::kSwiss, 2);
    const auto batches = Batches(spec, LowerWins);
    EXPECT_EQ(batches.size(), static_cast<std::size_t>(std::ceil(std::log2(agents)))) << agents;
    const std::vector<PlannedGame> games = AllGames(spec);
    EXPECT_EQ(games.size(), batches.size() * (agents / 2) * 4);
    EXPECT_EQ(ScheduleOf(spec).total_games(), games.size());
    for (const auto& [group, count] : GamesOfGroups(games)) EXPECT_EQ(count, 4) << agents;
    for (const auto& batch : batches) EXPECT_EQ(GamesOfGroups(batch).size(), agents / 2);
  }
  // The winners of the first round meet in the second.
  const auto batches = Batches(SpecOf(4, Format::kSwiss), LowerWins);
  EXPECT_TRUE(GamesOfGroups(batches[1]).contains({0, 2}));
  EXPECT_TRUE(GamesOfGroups(batches[1]).contains({1, 3}));
}

TEST(ScheduleTest, InSwissNobodyRestsTwice) {
  std::map<std::size_t, int> matches;
  const auto batches = Batches(SpecOf(5, Format::kSwiss), NobodyWins);
  ASSERT_EQ(batches.size(), 3U);
  for (const auto& batch : batches) {
    for (const PlannedGame& game : batch) ++matches[game.agents[0]];
  }
  for (std::size_t agent = 0; agent < 5; ++agent) EXPECT_GE(matches[agent], 2) << agent;
}

TEST(ScheduleTest, KnockoutSendsLosersHome) {
  for (const std::size_t agents : {2U, 3U, 6U, 8U, 11U}) {
    const ScheduleSpec spec = SpecOf(agents, Format::kKnockout, 3);
    const auto batches = Batches(spec, LowerWins);
    EXPECT_EQ(batches.size(), static_cast<std::size_t>(std::ceil(std::log2(agents)))) << agents;
    EXPECT_EQ(AllGames(spec).size(), (agents - 1) * 6);
    EXPECT_EQ(GamesOfGroups(batches.back()).begin()->first, (std::set<std::size_t>{0, 1})) << agents;
    EXPECT_EQ(ScheduleOf(spec).total_games(), std::nullopt);
  }
  // The last wins everything: it meets 0 at once, then what is left of the other half.
  const auto upset = Batches(SpecOf(4, Format::kKnockout), [](const PlannedGame& game) -> std::optional<std::size_t> {
    return std::ranges::max(game.agents);
  });
  EXPECT_TRUE(GamesOfGroups(upset[0]).contains({0, 3}));
  EXPECT_TRUE(GamesOfGroups(upset[0]).contains({1, 2}));
  EXPECT_TRUE(GamesOfGroups(upset[1]).contains({2, 3}));
}

TEST(ScheduleTest, EvenKnockoutMatchesGoOnThreeTimes) {
  const auto even = Batches(SpecOf(4, Format::kKnockout), NobodyWins);
  EXPECT_EQ(even.size(), 8U);
  EXPECT_EQ(GamesOfGroups(even.back()).begin()->first, (std::set<std::size_t>{0, 1}));
  // Only the even match of a round goes on.
  const auto mixed = Batches(SpecOf(4, Format::kKnockout), [](const PlannedGame& game) -> std::optional<std::size_t> {
    if (std::ranges::find(game.agents, 3U) != game.agents.end() && game.number < 4) return std::nullopt;
    return std::ranges::max(game.agents);
  });
  ASSERT_EQ(mixed.size(), 3U);
  EXPECT_EQ(GamesOfGroups(mixed[1]), (std::map<std::set<std::size_t>, int>{{{0, 3}, 2}}));
}

// Strengths 300 Elo apart from the first to the last, and a result for each number.
std::optional<std::size_t> Noisy(const PlannedGame& game) {
  Rng rng(game.number * 977 + 5);
  const double gap =
      (static_cast<double>(game.agents[1]) - static_cast<double>(game.agents[0])) * 150 / kEloPerStrength;
  if (rng.Chance(0.2)) return std::nullopt;
  return game.agents[rng.Chance(1 / (1 + std::exp(-gap))) ? 0 : 1];
}

Ratings RatingsOf(const std::vector<PlannedGame>& games, std::size_t agents) {
  std::vector<RatedGame> rated;
  for (const PlannedGame& game : games) {
    const GameLine line = LineOf(game, Noisy);
    RatedGame& one = rated.emplace_back();
    for (const std::size_t agent : game.agents) one.agents.push_back(static_cast<std::uint32_t>(agent));
    for (const SeatIndex seat : line.winners) one.winners.Insert(seat);
    one.cluster = game.pair;
  }
  return Ratings(Compare(rated, agents, 1), {});
}

double WidestOf(const Ratings& ratings) {
  double widest = 0;
  for (const Rating& rating : ratings.agents()) widest = std::max(widest, rating.width());
  return widest;
}

// The widest interval of what a tournament with these games writes at its end.
double WidestInTable(const std::vector<PlannedGame>& games) {
  std::vector<GameLine> lines;
  for (const PlannedGame& game : games) lines.push_back(LineOf(game, Noisy));
  const std::vector<std::vector<GameLine>> runs = {lines};
  const Result<Standings> standings = MakeStandings(runs, {});
  EXPECT_TRUE(standings.has_value()) << standings.error().message;
  double widest = 0;
  for (const AgentStanding& agent : standings->all.agents) widest = std::max(widest, agent.rating->width());
  return widest;
}

// Agent 5 plays only "duel", and agent 0 does not play "trio".
ScheduleSpec SpecWithSpecialists() {
  ScheduleSpec spec = SpecOf(6);
  spec.games = {
      {.id = "one", .agents = {0, 1, 2, 3, 4}}, {.id = "duel"}, {.id = "trio", .seats = 3, .agents = {1, 2, 3, 4}}};
  return spec;
}

TEST(ScheduleTest, AgentsSitOutInGamesThatTheyDoNotPlay) {
  ScheduleSpec spec = SpecWithSpecialists();
  std::map<std::string, std::vector<PlannedGame>> games;
  for (const PlannedGame& game : AllGames(spec)) games[game.game_id].push_back(game);
  EXPECT_EQ(GamesOfGroups(games["one"]).size(), 10U);
  EXPECT_EQ(GamesOfGroups(games["duel"]).size(), 15U);
  EXPECT_EQ(GamesOfGroups(games["trio"]).size(), 4U);
  EXPECT_EQ(ScheduleOf(spec).total_games(), 2U * 10 + 2 * 15 + 3 * 4);
  for (const PlannedGame& game : games["one"]) EXPECT_EQ(std::ranges::count(game.agents, 5U), 0);
  for (const PlannedGame& game : games["trio"]) EXPECT_EQ(std::ranges::count(game.agents, 0U), 0);
  spec.games.pop_back();
  spec.format = Format::kGauntlet;
  EXPECT_EQ(AllGames(spec).size(), 2U * (4 + 5));
  spec.format = Format::kRoundRobin;
  spec.until_interval = 150;
  spec.pairs = 1000;
  const std::vector<PlannedGame> until = AllGames(spec, Noisy);
  EXPECT_LT(until.size(), 2000U);
  for (const PlannedGame& game : until) {
    EXPECT_TRUE(game.game_id == "duel" || std::ranges::count(game.agents, 5U) == 0);
  }
  EXPECT_LT(WidestInTable(until), 150);
}

TEST(ScheduleTest, SaysWhoCannotPlay) {
  ScheduleSpec spec = SpecWithSpecialists();
  spec.games[2].agents = {1, 2};
  EXPECT_THAT(MessageOf(spec), HasSubstr("trio has 3 seats, but only 2 agents can play it"));
  spec.games.pop_back();
  spec.format = Format::kSwiss;
  EXPECT_THAT(MessageOf(spec), HasSubstr("swiss needs every agent in every game, and agent 5 does not play one"));
  spec.games[0].agents = {1, 2, 3, 4, 5};
  spec.format = Format::kKnockout;
  EXPECT_THAT(MessageOf(spec), HasSubstr("knockout needs every agent in every game, and agent 0 does not play one"));
  spec.format = Format::kGauntlet;
  EXPECT_THAT(MessageOf(spec), HasSubstr("the challenger agent 0 does not play one"));
  spec.games = {{.id = "one", .agents = {0, 1, 2}}, {.id = "duel", .agents = {0, 2, 3, 4}}};
  EXPECT_THAT(MessageOf(spec), HasSubstr("there is no game for agent 5 against the challenger agent 0"));
  spec.format = Format::kRoundRobin;
  EXPECT_THAT(MessageOf(spec), HasSubstr("there is no game for agent 5"));
  // Unless it is only rated.
  spec.until_interval = 100;
  spec.newcomers = {1};
  spec.earlier = {{.agents = {5, 2}, .winners = {0}}};
  EXPECT_EQ(MessageOf(spec), "");
  spec.newcomers = {5};
  EXPECT_THAT(MessageOf(spec), HasSubstr("there is no game for agent 5"));
  spec = SpecOf(3);
  for (const std::vector<std::size_t>& wrong : {std::vector<std::size_t>{0, 3}, {1, 1}, {1, 0}}) {
    spec.games[0].agents = wrong;
    EXPECT_THAT(MessageOf(spec), HasSubstr("must be agents of the run, each once, in order"));
  }
}

TEST(ScheduleTest, PlaysUntilEveryIntervalIsNarrow) {
  ScheduleSpec spec = SpecOf(3, Format::kRoundRobin, 10'000);
  spec.until_interval = 80;
  const std::vector<PlannedGame> games = AllGames(spec, Noisy);
  EXPECT_LT(games.size(), 3000U);
  EXPECT_LT(WidestOf(RatingsOf(games, 3)), 80);
  EXPECT_LT(WidestInTable(games), 80);
  const std::vector<PlannedGame> half(games.begin(), games.begin() + static_cast<std::ptrdiff_t>(games.size() / 2));
  EXPECT_GT(WidestOf(RatingsOf(half, 3)), 80);
  EXPECT_EQ(ScheduleOf(spec).total_games(), std::nullopt);
}

TEST(ScheduleTest, StopsAtItsPairsIfIntervalsStayWide) {
  ScheduleSpec spec = SpecOf(3, Format::kRoundRobin, 10);
  spec.until_interval = 1;
  EXPECT_EQ(AllGames(spec, Noisy).size(), 3U * 10 * 2);
  spec.max_games = 21;
  EXPECT_EQ(AllGames(spec, Noisy).size(), 21U);
}

TEST(ScheduleTest, PlaysWhatTellsMost) {
  ScheduleSpec spec = SpecOf(4, Format::kRoundRobin, 10'000);
  spec.games = {{.id = "one"}, {.id = "two"}};
  spec.until_interval = 100;
  const std::vector<PlannedGame> games =
      AllGames(spec, [](const PlannedGame& game) { return game.number % 7 == 0 ? std::nullopt : Noisy(game); });
  std::map<std::string, int> kinds;
  for (const PlannedGame& game : games) ++kinds[game.game_id];
  EXPECT_NEAR(kinds["one"], kinds["two"], 8);
  const auto groups = GamesOfGroups(games);
  EXPECT_EQ(groups.size(), 6U);
  // Between the first and the last, 450 Elo apart, a game tells least.
  for (const auto& [group, count] : groups) EXPECT_GE(count, groups.at({0, 3}));
}

// Five agents are known well; a sixth, as strong as agent 2, is added to them.
TEST(ScheduleTest, ANewcomerToAPoolPlaysFewGames) {
  constexpr std::size_t kNew = 5;
  const auto strength = [](std::size_t agent) { return static_cast<double>(agent == kNew ? 2 : agent) * -150; };
  const Rules rules = [&](const PlannedGame& game) -> std::optional<std::size_t> {
    Rng rng(game.number * 31 + 11);
    const double gap = (strength(game.agents[0]) - strength(game.agents[1])) / kEloPerStrength;
    return game.agents[rng.Chance(1 / (1 + std::exp(-gap))) ? 0 : 1];
  };
  ScheduleSpec known = SpecOf(5, Format::kRoundRobin, 200);
  ScheduleSpec spec = SpecOf(6, Format::kRoundRobin, 1000);
  spec.until_interval = 100;
  spec.newcomers = {kNew};
  for (const PlannedGame& game : AllGames(known, rules)) {
    RatedGame& earlier = spec.earlier.emplace_back();
    for (const std::size_t agent : game.agents) earlier.agents.push_back(static_cast<std::uint32_t>(agent));
    earlier.winners = {static_cast<SeatIndex>(std::ranges::find(game.agents, *rules(game)) - game.agents.begin())};
    earlier.cluster = game.pair;
  }
  const std::vector<PlannedGame> games = AllGames(spec, rules);
  std::map<std::size_t, int> opponents;
  for (const PlannedGame& game : games) {
    EXPECT_TRUE(std::ranges::find(game.agents, kNew) != game.agents.end());
    for (const std::size_t agent : game.agents) ++opponents[agent];
  }
  // Between equals, 4 (173.7 / 25.5)^2 = 186 games give a difference an interval of 100 Elo. The mean of six agents,
  // from which ratings are measured, contains a sixth of the newcomer itself: 186 (5 / 6)^2 = 129.
  EXPECT_GT(games.size(), 120U);
  EXPECT_LT(games.size(), 250U);
  EXPECT_GT(opponents[2], opponents[0]);
  EXPECT_GT(opponents[2], opponents[4]);
}

// The order in which results come, interruptions and void games change nothing.
TEST(ScheduleTest, AResumedRunPlansTheSame) {
  std::vector<ScheduleSpec> specs = {SpecOf(6, Format::kSwiss, 2), SpecOf(6, Format::kKnockout, 2)};
  specs.push_back(SpecOf(3, Format::kRoundRobin, 100));
  specs.back().until_interval = 150;
  for (const ScheduleSpec& spec : specs) {
    const auto batches = Batches(spec, Noisy);
    ASSERT_GE(batches.size(), 2U);
    Schedule schedule = ScheduleOf(spec);
    EXPECT_TRUE(schedule.needs_results());
    std::vector<GameLine> results;
    for (std::size_t n = 0; n < batches.size(); ++n) {
      EXPECT_EQ(schedule.Next(results), batches[n]) << FormatName(spec.format) << " " << n;
      std::vector<GameLine> lines;
      for (const PlannedGame& game : batches[n]) lines.push_back(LineOf(game, Noisy));
      std::ranges::reverse(lines);
      // The last of them is void at first.
      const GameLine last = lines.front();
      lines.front().result = GameResult::kVoid;
      lines.front().winners.clear();
      results.insert(results.begin(), lines.begin(), lines.end());
      if (schedule.complete()) break;
      EXPECT_THAT(schedule.Next(results), IsEmpty());
      EXPECT_FALSE(schedule.complete());
      EXPECT_EQ(schedule.missing(), last.game);
      results.front() = last;
    }
    EXPECT_THAT(schedule.Next(results), IsEmpty());
    EXPECT_TRUE(schedule.complete());
  }
}

TEST(ScheduleTest, LinesThatFitNoPlannedGameAreIgnored) {
  Schedule schedule = ScheduleOf(SpecOf(4, Format::kSwiss));
  const std::vector<PlannedGame> first = schedule.Next({});
  ASSERT_EQ(first.size(), 4U);
  std::vector<GameLine> lines;
  for (const PlannedGame& game : first) lines.push_back(LineOf(game, LowerWins));
  lines[1].seats.pop_back();
  lines[1].winners = {0};
  GameLine unknown = lines[0];
  unknown.game = 99;
  lines.push_back(unknown);
  EXPECT_THAT(schedule.Next(lines), IsEmpty());
  EXPECT_EQ(schedule.missing(), 1U);
}

TEST(ScheduleTest, SaysWhatCannotBeScheduled) {
  EXPECT_THAT(MessageOf(SpecOf(1)), HasSubstr("one has 2 seats, but only agent 0 can play it"));
  EXPECT_THAT(MessageOf(SpecOf(201)), HasSubstr("1 to 200 agents, not 201"));
  EXPECT_THAT(MessageOf(SpecOf(2, Format::kRoundRobin, 0)), HasSubstr("1 to 1000000000 pairs, not 0"));
  ScheduleSpec spec = SpecOf(4, Format::kGauntlet);
  spec.challenger = 4;
  EXPECT_THAT(MessageOf(spec), HasSubstr("must be one of the agents"));
  spec = SpecOf(4, Format::kKnockout);
  spec.until_interval = 10;
  EXPECT_THAT(MessageOf(spec), HasSubstr("goes with round-robin and gauntlet, not with knockout"));
  spec.until_interval = std::nullopt;
  spec.games.push_back({.id = "three", .seats = 3});
  EXPECT_THAT(MessageOf(spec), HasSubstr("knockout needs games of 2 seats, and three has 3 seats"));
  spec.format = Format::kRoundRobin;
  spec.until_interval = 0;
  EXPECT_THAT(MessageOf(spec), HasSubstr("must be a positive number of Elo"));
  spec.until_interval = 10;
  EXPECT_THAT(MessageOf(spec), HasSubstr("--until-interval needs games of 2 seats, and three has 3 seats"));
  spec = SpecOf(3);
  spec.newcomers = {1};
  EXPECT_THAT(MessageOf(spec), HasSubstr("a pool goes with round-robin and --until-interval"));
  spec.until_interval = 10;
  spec.newcomers = {3};
  EXPECT_THAT(MessageOf(spec), HasSubstr("a newcomer to a pool must be one of the agents"));
  EXPECT_THAT(MessageOf(SpecOf(4, Format::kSwiss, 1'000'000)), HasSubstr("a round of swiss has at most 1000000 pairs"));
  spec = SpecOf(2);
  spec.games.clear();
  EXPECT_THAT(MessageOf(spec), HasSubstr("at least one game"));
  spec = SpecOf(60);
  spec.games = {{.id = "many", .seats = 20}};
  EXPECT_THAT(MessageOf(spec), HasSubstr("more than 100000 ways to seat the agents"));
}

}  // namespace
}  // namespace openseat::arena
