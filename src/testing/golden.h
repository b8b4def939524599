// Golden games: choices and what the rules made of them, stored with the game and the version of its rules. If the same
// choices give a different result, matches in progress would change, too: then the rules need a new version.
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
  // Names of members of observations whose numbers are compared, too, at any depth, for games whose saved states do not
  // contain the position.
  std::vector<std::string> facts{};
};

// Replays the games of the file, whose path is relative to the working directory. After each choice everything that a
// journal depends on must be unchanged: who is awaited, the legal choices, the result, the saved state, the outcome.
// Returns "" if it is, else what differs and what to do about it. Text for people is not compared.
//
// If the environment has OPENSEAT_REGENERATE_PLAYTHROUGHS, writes random games to the file if it is missing, has a
// lower version, or passes.
std::string CheckGolden(const Game& game, const GoldenOptions& options, const std::string& path);

}  // namespace openseat::testing
