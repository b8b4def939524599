// Round-robin and gauntlet: every group of agents that fills the seats (or those groups with the challenger), in every
// game, as often as wanted or until the ratings are known well enough.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "arena/planner.h"
#include "base/result.h"

namespace openseat::arena {

// A game's seats, and the agents that may sit there.
struct Room {
  std::size_t seats = 2;
  std::vector<std::size_t> agents;  // at least as many as seats
};

// Each group once in each game: one cycle. Neighbors have few agents in common, so that games played at once need
// different agents. Errors: kTooLarge beyond `max` groups in all.
Result<std::vector<Deal>> AllLineups(std::span<const Room> rooms, std::optional<std::size_t> challenger,
                                     std::size_t max);

// The cycle, that often.
std::unique_ptr<Planner> PlanCycles(std::vector<Deal> cycle, std::size_t kinds, std::uint64_t times);

struct UntilNarrow {
  double width = 0;                    // Elo
  std::vector<std::size_t> newcomers;  // whose intervals must be narrower; empty: all agents
  std::vector<RatedGame> earlier;      // played before the run, in this order
};

// Deals of the cycle until the intervals are narrow, at most as many as PlanCycles plans. Begins with the whole cycle,
// unless there are earlier games. REQUIRES deals of two agents.
std::unique_ptr<Planner> PlanUntilNarrow(std::vector<Deal> cycle, std::size_t agents, std::size_t kinds,
                                         std::uint64_t times, UntilNarrow until);

}  // namespace openseat::arena
