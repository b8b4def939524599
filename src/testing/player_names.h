// Names for the players of test games.
#pragma once

#include <string>
#include <vector>

#include "core/game.h"

namespace openseat::testing {

// At most as many as the game has seats: "Alex", "Sam", then "Player 3" …
inline std::vector<std::string> PlayersOf(const Game& game) {
  std::vector<std::string> names = {"Alex", "Sam"};
  while (names.size() < game.info().max_seats) names.push_back("Player " + std::to_string(names.size() + 1));
  names.resize(game.info().max_seats);
  return names;
}

}  // namespace openseat::testing
