#include "arena/schedule.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

#include "arena/lineups.h"
#include "arena/rounds.h"
#include "base/rng.h"

namespace openseat::arena {
namespace {

constexpr std::array<std::string_view, 4> kFormatNames = {"round-robin", "gauntlet", "swiss", "knockout"};
constexpr std::uint64_t kMaxRoundDeals = 1'000'000;  // a round is planned as a whole
constexpr std::uint64_t kSeedStep = 0x9E3779B97F4A7C15;

bool HasRounds(Format format) {
  return format == Format::kSwiss || format == Format::kKnockout;
}

// Those that play this game.
std::vector<std::size_t> PlayersOf(const ScheduledGame& game, const ScheduleSpec& spec) {
  if (!game.agents.empty()) return game.agents;
  std::vector<std::size_t> all(spec.agents.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  return all;
}

Result<void> CheckPlayers(const ScheduledGame& game, const ScheduleSpec& spec) {
  const std::vector<std::size_t> players = PlayersOf(game, spec);
  if (std::ranges::adjacent_find(players, std::ranges::greater_equal()) != players.end() ||
      players.back() >= spec.agents.size()) {
    return Fail(ErrorCode::kInvalid, "the agents of " + game.id + " must be agents of the run, each once, in order");
  }
  if (players.size() < game.seats) {
    const std::string seats = game.id + " has " + std::to_string(game.seats) + " seats, but ";
    return Fail(ErrorCode::kInvalid, players.size() == 1
                                         ? seats + "only " + spec.agents[players.front()] + " can play it"
                                         : seats + "only " + std::to_string(players.size()) + " agents can play it");
  }
  if (!HasRounds(spec.format) || players.size() == spec.agents.size()) return {};
  std::size_t absent = 0;
  while (absent < players.size() && players[absent] == absent) ++absent;
  return Fail(ErrorCode::kInvalid, std::string(FormatName(spec.format)) + " needs every agent in every game, and " +
                                       spec.agents[absent] + " does not play " + game.id);
}

Result<void> CheckGames(const ScheduleSpec& spec) {
  if (spec.games.empty()) return Fail(ErrorCode::kInvalid, "a schedule needs at least one game");
  const bool pairs_only = HasRounds(spec.format) || spec.until_interval.has_value();
  const std::string name = spec.until_interval ? "--until-interval" : std::string(FormatName(spec.format));
  for (const ScheduledGame& game : spec.games) {
    const std::string seats = game.id + " has " + std::to_string(game.seats) + " seats";
    if (game.seats < 1 || game.seats > kMaxLineSeats) {
      return Fail(ErrorCode::kInvalid, seats + "; a scheduled game has 1 to " + std::to_string(kMaxLineSeats));
    }
    if (pairs_only && game.seats != 2) return Fail(ErrorCode::kInvalid, name + " needs games of 2 seats, and " + seats);
    if (Result<void> players = CheckPlayers(game, spec); !players) return players;
  }
  return {};
}

Result<void> CheckSpec(const ScheduleSpec& spec) {
  if (spec.agents.empty() || spec.agents.size() > kMaxScheduleAgents) {
    return Fail(ErrorCode::kTooLarge, "a schedule has 1 to " + std::to_string(kMaxScheduleAgents) + " agents, not " +
                                          std::to_string(spec.agents.size()));
  }
  if (spec.pairs < 1 || spec.pairs > kMaxPairs) {
    return Fail(ErrorCode::kInvalid,
                "a schedule has 1 to " + std::to_string(kMaxPairs) + " pairs, not " + std::to_string(spec.pairs));
  }
  if (HasRounds(spec.format) && spec.until_interval) {
    return Fail(ErrorCode::kInvalid, "--until-interval goes with round-robin and gauntlet, not with " +
                                         std::string(FormatName(spec.format)));
  }
  const std::uint64_t matches = spec.agents.size() * std::max<std::size_t>(1, spec.games.size());
  if (HasRounds(spec.format) && spec.pairs > kMaxRoundDeals / matches) {
    return Fail(ErrorCode::kTooLarge, "a round of " + std::string(FormatName(spec.format)) + " has at most " +
                                          std::to_string(kMaxRoundDeals) + " pairs in all; give fewer --pairs");
  }
  if (spec.until_interval && (!std::isfinite(*spec.until_interval) || *spec.until_interval <= 0)) {
    return Fail(ErrorCode::kInvalid, "--until-interval must be a positive number of Elo");
  }
  const bool pool = !spec.earlier.empty() || !spec.newcomers.empty();
  if (pool && (!spec.until_interval || spec.format != Format::kRoundRobin)) {
    return Fail(ErrorCode::kInvalid, "a pool goes with round-robin and --until-interval");
  }
  if (std::ranges::any_of(spec.newcomers, [&](std::size_t agent) { return agent >= spec.agents.size(); })) {
    return Fail(ErrorCode::kInvalid, "a newcomer to a pool must be one of the agents");
  }
  if (spec.format == Format::kGauntlet && spec.challenger >= spec.agents.size()) {
    return Fail(ErrorCode::kInvalid, "the challenger of a gauntlet must be one of the agents");
  }
  return CheckGames(spec);
}

// Whether every agent and every game has a part in the cycle.
Result<void> CheckCycle(const std::vector<Deal>& cycle, const ScheduleSpec& spec) {
  std::vector<bool> plays(spec.agents.size(), false);
  std::vector<bool> played(spec.games.size(), false);
  for (const Deal& deal : cycle) {
    played[deal.kind] = true;
    for (const std::size_t agent : deal.agents) plays[agent] = true;
  }
  if (const auto none = std::ranges::find(played, false); none != played.end()) {
    return Fail(ErrorCode::kInvalid, "the challenger " + spec.agents[spec.challenger] + " does not play " +
                                         spec.games[static_cast<std::size_t>(none - played.begin())].id);
  }
  for (const RatedGame& game : spec.earlier) {
    for (const std::uint32_t agent : game.agents) plays[agent] = true;
  }
  for (const std::size_t newcomer : spec.newcomers) {
    plays[newcomer] = std::ranges::any_of(
        cycle, [&](const Deal& deal) { return std::ranges::find(deal.agents, newcomer) != deal.agents.end(); });
  }
  const auto none = std::ranges::find(plays, false);
  if (none == plays.end()) return {};
  return Fail(ErrorCode::kInvalid,
              "there is no game for " + spec.agents[static_cast<std::size_t>(none - plays.begin())] +
                  (spec.format == Format::kGauntlet ? " against the challenger " + spec.agents[spec.challenger] : ""));
}

Result<std::unique_ptr<Planner>> MakePlanner(const ScheduleSpec& spec) {
  const std::size_t kinds = spec.games.size();
  const std::size_t agents = spec.agents.size();
  if (spec.format == Format::kSwiss) return PlanSwiss(agents, kinds, spec.pairs);
  if (spec.format == Format::kKnockout) return PlanKnockout(agents, kinds, spec.pairs);
  std::vector<Room> rooms;
  for (const ScheduledGame& game : spec.games) rooms.push_back({game.seats, PlayersOf(game, spec)});
  std::optional<std::size_t> challenger;
  if (spec.format == Format::kGauntlet) challenger = spec.challenger;
  Result<std::vector<Deal>> cycle = AllLineups(rooms, challenger, kMaxLineups);
  if (!cycle) return Fail(cycle.error());
  if (Result<void> checked = CheckCycle(*cycle, spec); !checked) return Fail(checked.error());
  if (!spec.until_interval) return PlanCycles(std::move(*cycle), kinds, spec.pairs);
  if (!spec.newcomers.empty()) {
    std::erase_if(*cycle, [&](const Deal& deal) {
      return std::ranges::find_first_of(deal.agents, spec.newcomers) == deal.agents.end();
    });
  }
  return PlanUntilNarrow(std::move(*cycle), agents, kinds, spec.pairs,
                         {.width = *spec.until_interval, .newcomers = spec.newcomers, .earlier = spec.earlier});
}

}  // namespace

std::string_view FormatName(Format format) {
  return kFormatNames[static_cast<std::size_t>(format)];
}

Result<Schedule> Schedule::Make(ScheduleSpec spec) {
  if (Result<void> checked = CheckSpec(spec); !checked) return Fail(checked.error());
  Result<std::unique_ptr<Planner>> planner = MakePlanner(spec);
  if (!planner) return Fail(planner.error());
  return Schedule(std::move(spec), std::move(*planner));
}

Schedule::Schedule(ScheduleSpec spec, std::unique_ptr<Planner> planner)
    : spec_(std::move(spec)), planner_(std::move(planner)), complete_(spec_.max_games == 0) {}

bool Schedule::needs_results() const {
  return planner_->needs_results();
}

std::uint64_t Schedule::GamesOfDeal(std::size_t kind) const {
  return spec_.fixed_roles ? 1 : spec_.games[kind].seats;
}

std::optional<std::uint64_t> Schedule::total_games() const {
  const std::optional<std::vector<std::uint64_t>> deals = planner_->DealsByKind();
  if (!deals) return std::nullopt;
  std::uint64_t total = 0;
  for (std::size_t kind = 0; kind < deals->size(); ++kind) total += (*deals)[kind] * GamesOfDeal(kind);
  return std::min(total, spec_.max_games.value_or(total));
}

std::optional<std::vector<RatedGame>> Schedule::Outcomes(std::span<const GameLine> results) {
  std::vector<RatedGame> games = planned_;
  std::vector<bool> known(games.size(), false);
  for (const GameLine& line : results) {
    if (line.result == GameResult::kVoid || line.game >= games.size()) continue;
    RatedGame& game = games[line.game];
    if (line.seats.size() != game.agents.size()) continue;
    known[line.game] = true;
    game.winners = SeatSet();
    for (const SeatIndex seat : line.winners) game.winners.Insert(seat);
  }
  missing_ = std::nullopt;
  const auto first = std::ranges::find(known, false);
  if (first == known.end()) return games;
  missing_ = static_cast<std::uint64_t>(first - known.begin());
  return std::nullopt;
}

void Schedule::PlanDeal(Deal deal, std::vector<PlannedGame>& batch) {
  if (spec_.fixed_roles) std::ranges::sort(deal.agents);
  const std::uint64_t seed = Rng(spec_.seed + pairs_ * kSeedStep).Next() >> 11;
  const std::size_t seats = deal.agents.size();
  for (std::uint64_t turn = 0; turn < GamesOfDeal(deal.kind) && games_ != spec_.max_games; ++turn) {
    PlannedGame game{
        .number = games_, .pair = pairs_, .game_id = spec_.games[deal.kind].id, .seed = seed, .agents = {}};
    RatedGame planned{.agents = {}, .winners = {}, .kind = deal.kind, .cluster = pairs_};
    for (std::size_t seat = 0; seat < seats; ++seat) {
      const std::size_t agent = deal.agents[(seat + turn) % seats];
      game.agents.push_back(agent);
      planned.agents.push_back(static_cast<std::uint32_t>(agent));
    }
    if (needs_results()) planned_.push_back(std::move(planned));
    batch.push_back(std::move(game));
    ++games_;
  }
  ++pairs_;
}

std::vector<PlannedGame> Schedule::Next(std::span<const GameLine> results) {
  std::vector<PlannedGame> batch;
  if (complete_) return batch;
  std::vector<RatedGame> games;
  if (needs_results()) {
    std::optional<std::vector<RatedGame>> outcomes = Outcomes(results);
    if (!outcomes) return batch;
    games = std::move(*outcomes);
  }
  for (Deal& deal : planner_->Next(games)) {
    if (games_ == spec_.max_games) break;
    PlanDeal(std::move(deal), batch);
  }
  complete_ = planner_->done() || games_ == spec_.max_games;
  return batch;
}

}  // namespace openseat::arena
