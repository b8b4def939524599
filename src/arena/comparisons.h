// Comparisons: what finished games say about pairs of agents, counted so that a fit and each of its resamples take
// microseconds.
//
// A game of two seats is one comparison. In a game of more seats, each winner has beaten each other agent and drawn
// with the other winners; in a draw, all have drawn. The games of one deal (a mirrored pair) are a cluster: they are
// drawn together by a bootstrap, because they are not independent.
//
// Pure; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/seat_set.h"

namespace openseat::arena {

struct RatedGame {
  std::vector<std::uint32_t> agents;  // by seat; at most SeatSet::kMaxSeats
  SeatSet winners;                    // empty: a draw
  std::uint32_t kind = 0;             // which game was played
  std::uint64_t cluster = 0;          // the same for games of one deal
};

// From the view of the first of two agents.
struct PairScore {
  double wins = 0;
  double losses = 0;
  double draws = 0;
  double games() const { return wins + losses + draws; }
};

struct Comparisons {
  // Two agents in one kind of game.
  struct Cell {
    std::uint32_t first = 0;  // less than `second`
    std::uint32_t second = 0;
    std::uint32_t kind = 0;
    PairScore score;
  };
  struct Share {
    std::uint32_t cell = 0;
    PairScore score;
  };
  // Clusters with equal results are one type.
  struct Type {
    std::vector<Share> shares;  // ascending by cell
    std::uint64_t count = 0;
  };

  std::size_t agents = 0;
  std::size_t kinds = 0;
  std::uint64_t clusters = 0;  // with at least one comparison
  std::vector<Cell> cells;     // ascending by kind, first, second
  std::vector<Type> types;
};

// REQUIRES agents and kinds below these numbers. With `equal_kinds`, the games of each kind weigh as much as those of
// any other, and all together as much as without. An agent's game against itself says nothing and is left out.
Comparisons Compare(std::span<const RatedGame> games, std::size_t agents, std::size_t kinds, bool equal_kinds = false);

}  // namespace openseat::arena
