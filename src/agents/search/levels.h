// Levels: eight strengths of play for people, from the first games to the best that the search does (docs/levels.md).
// A level is so many iterations, and so many mistakes as a person makes: what is almost as good is often chosen, what
// loses at once seldom.
#pragma once

#include <cstdint>
#include <string_view>

#include "agents/search/search.h"
#include "base/rng.h"

namespace openseat::search {

inline constexpr int kLevels = 8;

struct Level {
  std::uint64_t iterations = 0;
  // What a choice's value may lack against the best one to be chosen e times less often; 0: no mistakes.
  double slip = 0;
  // Whether it knows what the game knows about playing well (core/heuristics.h).
  bool heuristics = true;
};

// REQUIRES 1 <= level <= kLevels.
Level LevelAt(std::string_view game, int level);

// The move that a player of this level chooses. A mix stays as it is: to search little is weakness enough there.
Move ChooseAt(const Level& level, const SearchResult& found, Rng& rng);

}  // namespace openseat::search
