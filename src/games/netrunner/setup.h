// The start of a game: turns two decks into a State.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "games/netrunner/decks.h"
#include "games/netrunner/engine/state.h"

namespace openseat::games::netrunner {

struct GameSetup {
  std::array<Deck, 2> decks;
  int points_to_win = 7;
  bool shuffle = true;
  bool all_windows = false;
  std::uint8_t rules = kRulesVersion;
  std::array<std::string, 2> deck_names{};
};

// Up to the Corp's mulligan. REQUIRES decks of at most kMaxDeck cards of the right side.
State MakeState(const GameSetup& setup, std::uint64_t seed);

}  // namespace openseat::games::netrunner
