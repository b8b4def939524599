// Golden games: choices and what the rules made of them, kept beside the game with the version of its rules. Where the
// same choices come to something else, matches that are under way would too: then the version must be another one.
//
//   EXPECT_EQ(testing::CheckGolden(*MakeTicTacToe(), {}, "src/games/tictactoe/testdata/golden.txt"), "");
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/json.h"
#include "core/game.h"

namespace openseat::testing {

struct GoldenGame {
  json::Value options{};
  std::uint64_t seed = 1;
  int max_choices = 200;
};

struct GoldenOptions {
  std::vector<GoldenGame> games = {{}, {.seed = 2}, {.seed = 3}};
  // Members of observations whose numbers count too, wherever they stand, for games whose saved states do not say how
  // they stand.
  std::vector<std::string> facts{};
};

// Plays the games of the file again, whose path is relative to the working directory. After each choice everything that
// a journal depends on must be as it was: who is awaited, the legal choices, the result, the saved state, the outcome.
// "" where it is; else what differs, and what to do about it. What is written for people does not count.
//
// Where the environment has OPENSEAT_REGENERATE_PLAYTHROUGHS, games at random are written to the file: where there is
// none, or one of a lower version, or it has nothing to complain about.
std::string CheckGolden(const Game& game, const GoldenOptions& options, const std::string& path);

}  // namespace openseat::testing
