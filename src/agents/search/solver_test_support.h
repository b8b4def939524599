// A solver of small boards of Connect-M, for tests and tools: it looks at every position, and says what each is worth.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/rng.h"
#include "core/game.h"
#include "games/connectm/board.h"

namespace openseat::search {

class BoardSolver {
 public:
  using Board = games::Board<1>;
  // How a position was reached: the columns.
  using Path = std::vector<Move>;

  // Keeps so many positions for some(), drawn by `seed`. REQUIRES size.Bits() <= 28.
  BoardSolver(games::BoardSize size, std::size_t keep, std::uint64_t seed)
      : start_(size), keep_(keep), rng_(seed), known_(std::size_t{1} << size.Bits()) {
    Path path;
    Visit(start_, path);
  }

  // What the position is worth to the player who is to move there: 1 won, 0 a draw, -1 lost.
  int ValueOf(const Path& path) const {
    Board board = start_;
    for (const Move column : path) board.Drop(static_cast<int>(column));
    return known_[KeyOf(board)] - kKnown;
  }
  // Whether the move keeps what the position is worth.
  bool IsBest(Path path, Move move) const {
    const int value = ValueOf(path);
    path.push_back(move);
    return -ValueOf(path) == value;
  }
  std::size_t positions() const { return positions_; }
  std::size_t open() const { return open_; }  // those that are not over
  // So many of these, each as likely as another; all if there are no more.
  const std::vector<Path>& some() const { return some_; }

 private:
  static constexpr std::int8_t kKnown = 2;  // is added to what is known

  // Each column's discs from the bottom, one bit each, below a bit that says how high it is.
  std::size_t KeyOf(const Board& board) const {
    std::size_t key = 0;
    for (int column = 0; column < board.size().columns; ++column) {
      std::size_t bits = 1;
      for (int row = board.Height(column) - 1; row >= 0; --row) bits = bits << 1 | *board.At(row, column);
      key = key << (board.size().rows + 1) | bits;
    }
    return key;
  }

  void Keep(const Path& path) {
    ++open_;
    if (some_.size() < keep_) {
      some_.push_back(path);
    } else if (const std::uint64_t at = rng_.Below(open_); at < keep_) {
      some_[at] = path;
    }
  }

  int Visit(const Board& board, Path& path) {
    std::int8_t& known = known_[KeyOf(board)];
    if (known != 0) return known - kKnown;
    ++positions_;
    int best = -1;
    if (board.Winner()) {
      best = -1;  // the one who moved has won
    } else if (board.Full()) {
      best = 0;
    } else {
      Keep(path);
      for (int column = 0; column < board.size().columns; ++column) {
        if (!board.CanDrop(column)) continue;
        Board next = board;
        next.Drop(column);
        path.push_back(static_cast<Move>(column));
        best = std::max(best, -Visit(next, path));
        path.pop_back();
      }
    }
    known = static_cast<std::int8_t>(best + kKnown);
    return best;
  }

  const Board start_;
  const std::size_t keep_;
  Rng rng_;
  std::vector<std::int8_t> known_;  // 0: not yet
  std::vector<Path> some_;
  std::size_t open_ = 0;
  std::size_t positions_ = 0;
};

}  // namespace openseat::search
