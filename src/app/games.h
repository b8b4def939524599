// The one table of the games that run here.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "core/deck.h"
#include "core/game.h"

namespace openseat::app {

// Makes one of each, in the order of the table.
std::vector<std::unique_ptr<Game>> MakeGames();
// In the order in which people are shown them. Hidden ones included.
std::span<const Game* const> AllGames();
// Without the hidden ones.
std::span<const Game* const> PublicGames();
// Those of them that play with decks of cards.
std::vector<const DeckRules*> GamesWithDecks();
// nullptr if no game has that id.
const Game* FindGame(std::string_view id);
// kInvalid if the options make a fixture (a puzzle, a prepared deck), which a server accepts only with
// --allow-fixtures.
Result<void> RefuseFixtures(const Game& game, const json::Value& options);

}  // namespace openseat::app
