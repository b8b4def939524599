// Counts all possible ways to play, to compare with published numbers. For games whose Moves are complete.
#pragma once

#include <cstdint>
#include <vector>

#include "core/game.h"

namespace openseat::testing {

// How many ways there are to continue from here, to the end or to `depth` choices.
std::uint64_t CountGames(const GameState& state, int depth);
// How many different states there are after 0, 1 … `depth` choices, ended games included (which are not played on).
std::vector<std::uint64_t> CountPositions(const GameState& state, int depth);

}  // namespace openseat::testing
