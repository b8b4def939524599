// Golden playthroughs: one random game of a seed, with all that can be seen of it, kept as text beside the game. A
// change of behaviour shows as a difference in that file.
//
//   EXPECT_EQ(testing::CheckPlaythrough(*MakeTicTacToe(), {}, "src/games/tictactoe/testdata/playthrough.txt"), "");
#pragma once

#include <cstdint>
#include <string>

#include "base/json.h"
#include "core/game.h"

namespace openseat::testing {

struct PlaythroughOptions {
  json::Value options{};  // of the game
  std::uint64_t seed = 1;
  int max_choices = 100;
};

std::string Playthrough(const Game& game, const PlaythroughOptions& options);
// Compares it with the file, whose path is relative to the working directory: "" where they are the same, else what
// differs. Writes the file instead where the environment has OPENSEAT_REGENERATE_PLAYTHROUGHS.
std::string CheckPlaythrough(const Game& game, const PlaythroughOptions& options, const std::string& path);

}  // namespace openseat::testing
