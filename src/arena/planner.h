// Planner: one format of a schedule (schedule.h), as deals without numbers and seeds. Pure; one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "arena/comparisons.h"

namespace openseat::arena {

// A pair of games, or as many as the game has seats: these agents in these seats, and then rotated.
struct Deal {
  std::uint32_t kind = 0;
  std::vector<std::size_t> agents;  // by seat in the first game
};

class Planner {
 public:
  Planner() = default;
  virtual ~Planner() = default;
  Planner(const Planner&) = delete;
  Planner& operator=(const Planner&) = delete;

  // Whether Next reads `games`.
  virtual bool needs_results() const { return true; }
  // The deals of the next batch. `games` has the result of every game of all earlier deals, in order; the cluster of
  // each is its deal's place in the order of planning. An empty answer: there are no more.
  virtual std::vector<Deal> Next(std::span<const RatedGame> games) = 0;
  // Whether all deals have been planned, as far as is known without further results.
  virtual bool done() const = 0;
  // All deals of the schedule, by kind, if their number does not depend on results.
  virtual std::optional<std::vector<std::uint64_t>> DealsByKind() const { return std::nullopt; }
};

}  // namespace openseat::arena
