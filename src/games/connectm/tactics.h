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

enum class Glance : std::uint8_t {
  kWins,    // this disc makes a line
  kBlocks,  // the other player would make one there
  kQuiet,
};

// REQUIRES that the move is legal.
template <std::size_t kWords>
Glance GlanceAt(const Board<kWords>& board, Move move) {
  const int column = static_cast<int>(move);
  if (board.Wins(column, board.Turn())) return Glance::kWins;
  return board.Wins(column, 1 - board.Turn()) ? Glance::kBlocks : Glance::kQuiet;
}

// Whether the other player wins by a disc on top of this one.
template <std::size_t kWords>
bool GivesAway(const Board<kWords>& board, Move move) {
  const int column = static_cast<int>(move);
  Board<kWords> next = board;
  next.Drop(column);
  return next.CanDrop(column) && next.Wins(column, next.Turn());
}

// A win if there is one, else a block if there is one, else any.
template <std::size_t kWords>
Move PlayAtAGlance(const Board<kWords>& board, std::span<const Move> moves, Rng& rng) {
  const Move* block = nullptr;
  for (const Move& move : moves) {
    const Glance glance = GlanceAt(board, move);
    if (glance == Glance::kWins) return move;
    if (glance == Glance::kBlocks) block = &move;
  }
  return block != nullptr ? *block : moves[rng.Below(moves.size())];
}

// 0 for what is certainly no better than another move; the middle of the board is worth more than its edges.
template <std::size_t kWords>
void WeighAtAGlance(const Board<kWords>& board, std::span<const Move> moves, std::span<float> weights) {
  Glance best = Glance::kQuiet;
  for (const Move move : moves) best = std::min(best, GlanceAt(board, move));
  const int last = board.size().columns - 1;
  for (std::size_t i = 0; i < moves.size(); ++i) {
    const int column = static_cast<int>(moves[i]);
    const bool is_best = best == Glance::kQuiet ? !GivesAway(board, moves[i]) : GlanceAt(board, moves[i]) == best;
    weights[i] = is_best ? 1 + static_cast<float>(std::min(column, last - column)) / 2 : 0;
  }
}

}  // namespace openseat::games
