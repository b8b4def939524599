// Golden playthroughs: one random game of a seed, with everything that can be seen of it, stored as text with the game.
// A change of behavior shows up as a difference in that file.
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
  SeatIndex seats = 0;   // 0: as many as the game has
  bool compact = false;  // what is offered, and each description, in one line
};

std::string Playthrough(const Game& game, const PlaythroughOptions& options);
// Compares it with the file, whose path is relative to the working directory: "" if they are the same, else what
// differs. Writes the file instead if the environment has OPENSEAT_REGENERATE_PLAYTHROUGHS.
std::string CheckPlaythrough(const Game& game, const PlaythroughOptions& options, const std::string& path);

}  // namespace openseat::testing
