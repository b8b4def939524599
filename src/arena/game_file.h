// Reading a games.jsonl from anywhere: written by a run, edited, or made by another program. Any thread; blocks on the
// disk.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "arena/game_line.h"
#include "base/result.h"

namespace openseat::arena {

// The games of a file, line by line.
class GameLines {
 public:
  // Line `number` of that file. Errors, as "FILE:LINE: …": kParse for what is not a game (game_line.h), and for a game
  // that is there twice; kTooLarge.
  Result<void> Add(std::string_view line, const std::string& path, std::size_t number);
  // All of them, by number.
  std::vector<GameLine> Take();

 private:
  std::vector<GameLine> games_;
  std::unordered_map<std::uint64_t, std::size_t> places_;  // line numbers, by game
};

inline constexpr std::size_t kMaxFileGames = 5'000'000;

// Its games by number, void ones included. Empty lines are skipped. Errors, each as "FILE:LINE: …" where a line is at
// fault: kNotFound without a file; kParse for a line that is cut off, is not JSON, or is not a game (game_line.h), and
// for a number that is there twice; kTooLarge; kIo.
Result<std::vector<GameLine>> ReadGameFile(const std::string& path);

}  // namespace openseat::arena
