// Rock-Paper-Scissors, best of N, both hands at once.
//
//   action   throw {"hand": "rock" | "paper" | "scissors"} -> {"hand": the same}
//   state    {"players": [name, name], "best_of": N, "p1_wins", "p2_wins", "rounds": [{"p1_hand", "p2_hand", "winner":
//            name or null}]}, the same for everyone; a round shows when both have thrown, and nothing before
//   options  rounds: N, an odd number from 1 to 99 (3)
//   moves    0 rock, 1 paper, 2 scissors
//
// The first player to win more than half of N rounds wins. A round with equal hands has no winner and does not count
// toward N; but a match ends after 10 * N rounds in all, and then more wins win, and equal wins are a draw.
#pragma once

#include <memory>

#include "core/game.h"

namespace openseat::games {

std::unique_ptr<Game> MakeRockPaperScissors();

}  // namespace openseat::games
