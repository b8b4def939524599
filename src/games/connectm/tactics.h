// Tactics: what everyone sees at a glance on a board of Connect-M, for playing ahead (core/heuristics.h).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/rng.h"
#include "core/game.h"
#include "games/connectm/board.h"

namespace openseat::games {

template <std::size_t kWords>
class Tactics {
 public:
  explicit Tactics(const Board<kWords>& board)
      : board_(board), wins_(board.WinningCells(board.Turn())), blocks_(board.WinningCells(1 - board.Turn())) {}

  // A win if there is one, else a block if there is one, else any.
  Move Pick(std::span<const Move> moves, Rng& rng) const {
    const Move* block = nullptr;
    for (const Move& move : moves) {
      const int cell = board_.Landing(static_cast<int>(move));
      if (wins_.Test(cell)) return move;
      if (blocks_.Test(cell)) block = &move;
    }
    return block != nullptr ? *block : moves[rng.Below(moves.size())];
  }

  // 0 for what is certainly no better than another move; the middle of the board is worth more than its edges.
  void Weigh(std::span<const Move> moves, std::span<float> weights) const {
    const int last = board_.size().columns - 1;
    bool forced = false;  // to win, or else to block
    bool wins = false;
    for (const Move move : moves) {
      const int cell = board_.Landing(static_cast<int>(move));
      wins = wins || wins_.Test(cell);
      forced = forced || wins_.Test(cell) || blocks_.Test(cell);
    }
    for (std::size_t i = 0; i < moves.size(); ++i) {
      const int column = static_cast<int>(moves[i]);
      const int cell = board_.Landing(column);
      const bool good = wins ? wins_.Test(cell) : forced ? blocks_.Test(cell) : !GivesAway(column);
      weights[i] = good ? 1 + static_cast<float>(std::min(column, last - column)) / 2 : 0;
    }
  }

 private:
  // Whether the other player wins by a disc on top of the next one there.
  bool GivesAway(int column) const {
    return board_.Height(column) + 1 < board_.size().rows && blocks_.Test(board_.Landing(column) + 1);
  }

  const Board<kWords>& board_;
  const Bits<kWords> wins_;
  const Bits<kWords> blocks_;
};

}  // namespace openseat::games
