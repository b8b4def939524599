// The explicit table of the games that run here.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "core/deck.h"
#include "core/game.h"

namespace openseat::app {

// In the order in which people are shown them. Hidden ones included.
std::span<const Game* const> AllGames();
// Without the hidden ones.
std::span<const Game* const> PublicGames();
// Those of them that play with decks of cards.
std::vector<const DeckRules*> GamesWithDecks();
// nullptr where there is none of that id.
const Game* FindGame(std::string_view id);
// kInvalid where the options make a fixture (a puzzle, a prepared deck), which a server takes only with
// --allow-fixtures.
Result<void> RefuseFixtures(const Game& game, const json::Value& options);

}  // namespace openseat::app
