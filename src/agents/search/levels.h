// Levels: eight strengths of play for people, from the first games to the best that the search does (docs/levels.md).
// A level sets how long the agent searches and how often it errs, as people do: it often makes a move that is almost as
// good, and rarely one that loses at once.
#pragma once

#include <cstdint>
#include <string_view>

#include "agents/search/search.h"
#include "base/rng.h"

namespace openseat::search {

inline constexpr int kLevels = 8;

struct Level {
  std::uint64_t iterations = 0;
  // How far below the best a choice's value must be to be chosen e times less often; 0: no mistakes.
  double slip = 0;
  // Whether it knows what the game knows about playing well (core/heuristics.h).
  bool heuristics = true;
  // How often it tries every choice, also those that the heuristics leave out; 0: it considers only those with sense.
  std::uint64_t least_visits = 0;
};

// REQUIRES 1 <= level <= kLevels.
Level LevelAt(std::string_view game, int level);

// The move that a player of this level chooses. A mix is not changed: a short search makes it weak enough.
Move ChooseAt(const Level& level, const SearchResult& found, Rng& rng);

}  // namespace openseat::search
