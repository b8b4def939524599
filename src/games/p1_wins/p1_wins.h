// Player One Wins: a game to test clients with. Each player says a phrase, and player one wins.
//
//   action   move {"phrase": text} -> {"received": text}
// state    {"player1_phrase", "player2_phrase"}, null until spoken, the same for everyone
//   options  none
// moves    one of a few phrases; any other phrase is allowed, too
#pragma once

#include <memory>

#include "core/game.h"

namespace openseat::games {

std::unique_ptr<Game> MakePlayerOneWins();

}  // namespace openseat::games
