// Tic-Tac-Toe. docs/adding_a_game.md walks through it.
//
//   action   move {"position": [row, column]} -> {"updated": {"position": [row, column], "value": "X"}}
//   state    {"X": name, "O": name, "turn": "X", "board": 3 rows of " ", "X", "O"}, the same for everyone
//   options  none
//   moves    3 * row + column
#pragma once

#include <memory>

#include "core/game.h"

namespace openseat::games {

std::unique_ptr<Game> MakeTicTacToe();

}  // namespace openseat::games
