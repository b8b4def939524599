// Reading a games.jsonl from anywhere: written by a run, edited, or made by another program. Any thread; blocks on the
// disk.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "arena/game_line.h"
#include "base/result.h"

namespace openseat::arena {

inline constexpr std::size_t kMaxFileGames = 5'000'000;

// Its games by number, void ones included. Empty lines are skipped. Errors, each as "FILE:LINE: …" where a line is at
// fault: kNotFound without a file; kParse for a line that is cut off, is not JSON, or is not a game (game_line.h), and
// for a number that is there twice; kTooLarge; kIo.
Result<std::vector<GameLine>> ReadGameFile(const std::string& path);

}  // namespace openseat::arena
