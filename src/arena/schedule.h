// Schedule: which games a run plays, and in which order. Numbers, pairs, seeds and seats of games come from here alone,
// so a resumed run goes on with exactly the games that its first part would have played.
//
// A pair is one deal: the same seed, once for each way to rotate the agents through the seats (two games for two seats,
// n for n). With fixed roles it is a single game.
//
// Games are planned in batches. Where a format plans by results (needs_results()), a batch depends on all results of
// all earlier batches and on nothing else: not on the order in which games end, on the number of jobs, or on how often
// the run was interrupted. A void game has no result: it is played again before the next batch is planned.
//
// To start or to resume, make a schedule from the same spec and ask for batches from the first on; skip the games that
// have their line already.
//
// Pure; one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "arena/comparisons.h"
#include "arena/game_line.h"
#include "arena/planner.h"
#include "base/result.h"

namespace openseat::arena {

inline constexpr std::size_t kMaxScheduleAgents = 200;
inline constexpr std::uint64_t kMaxPairs = 1'000'000'000;  // of a spec
inline constexpr std::size_t kMaxLineups = 100'000;        // in one round-robin over all games

enum class Format {
  kRoundRobin,  // every group of agents that fills a game's seats, `pairs` times in every game
  kGauntlet,    // those groups that contain the challenger
  // ceil(log2(agents)) rounds; in each, agents with like results meet who have not met before, for `pairs` pairs in
  // every game. With an odd number of agents, one rests and gets the points of a won match.
  kSwiss,
  // The loser of a match leaves. A match is `pairs` pairs in every game, and if even, up to three times as much again;
  // if still even, the agent that was named first goes on. Agents named first meet as late as possible.
  kKnockout,
};
// "round-robin", "gauntlet", "swiss", "knockout".
std::string_view FormatName(Format format);

struct ScheduledGame {
  std::string id;
  std::size_t seats = 2;  // swiss, knockout and until_interval need 2
  // Indexes of those that play this game, ascending; the others sit out. Empty: all. Swiss and knockout need all.
  std::vector<std::size_t> agents = {};
};

struct ScheduleSpec {
  std::vector<std::string> agents;  // their names, for messages
  std::vector<ScheduledGame> games;
  Format format = Format::kRoundRobin;
  std::size_t challenger = 0;              // gauntlet: an index into `agents`
  std::uint64_t pairs = 1;                 // see Format
  std::optional<std::uint64_t> max_games;  // end after so many, maybe within a pair
  // Round-robin and gauntlet: each next batch is of the pairs that narrow the widest interval most, until every agent's
  // 95 % interval is narrower than this many Elo, or until as many games are played as the format has without this.
  std::optional<double> until_interval;
  // A pool: games that were played before this run, whose results count for intervals. `agents` are indexes into the
  // run's agents, `kind` into `games`. An agent of such a game may sit out in all games. Only with until_interval.
  std::vector<RatedGame> earlier;
  // Indexes of those whose intervals must be narrow; each game has at least one of them. Empty: all agents. Only with
  // until_interval.
  std::vector<std::size_t> newcomers;
  std::uint64_t seed = 0;
  bool fixed_roles = false;  // agents keep their seats: those with the lower index sit first
};

struct PlannedGame {
  std::uint64_t number = 0;  // `game` in its line: counts from 0 without gaps
  std::uint64_t pair = 0;    // counts from 0 without gaps
  std::string game_id;
  std::uint64_t seed = 0;           // < kEndOfSeeds; the same for all games of the pair
  std::vector<std::size_t> agents;  // by seat: indexes into the run's agents
  bool operator==(const PlannedGame&) const = default;
};

class Schedule {
 public:
  // Errors: kInvalid with one sentence for a spec that has no such schedule (too few agents for a game, an agent that
  // would play nothing, a game with three seats in a knockout, …); kTooLarge beyond the limits above.
  static Result<Schedule> Make(ScheduleSpec spec);
  Schedule(Schedule&&) noexcept = default;
  Schedule& operator=(Schedule&&) noexcept = default;

  // Whether Next plans by results. If not, it ignores them: call it whenever games are wanted.
  bool needs_results() const;
  // The games of the next batch, by number. `results` has the lines of games that ended, in any order; void ones and
  // those that were not planned are ignored. An empty answer: either the schedule is complete(), or the result of a
  // planned game is missing (`missing` has the first such number), and the same call with that result goes on.
  std::vector<PlannedGame> Next(std::span<const GameLine> results);
  // Whether every game of the run has been planned.
  bool complete() const { return complete_; }
  std::optional<std::uint64_t> missing() const { return missing_; }
  // How many games the run has in all, if that does not depend on results.
  std::optional<std::uint64_t> total_games() const;

 private:
  Schedule(ScheduleSpec spec, std::unique_ptr<Planner> planner);
  // What the results say about planned games, by number; nullopt if one is missing.
  std::optional<std::vector<RatedGame>> Outcomes(std::span<const GameLine> results);
  void PlanDeal(Deal deal, std::vector<PlannedGame>& batch);
  std::uint64_t GamesOfDeal(std::size_t kind) const;

  ScheduleSpec spec_;
  std::unique_ptr<Planner> planner_;
  std::uint64_t games_ = 0;         // planned so far
  std::uint64_t pairs_ = 0;         // the same
  std::vector<RatedGame> planned_;  // all, if the planner needs their results, which are filled in
  bool complete_ = false;
  std::optional<std::uint64_t> missing_;
};

}  // namespace openseat::arena
