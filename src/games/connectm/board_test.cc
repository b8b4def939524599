#include "games/connectm/board.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <vector>

#include "base/rng.h"

namespace openseat::games {
namespace {

// The same rule, cell by cell.
template <std::size_t kWords>
bool HasLineByHand(const Board<kWords>& board, SeatIndex seat) {
  const auto [rows, columns, m] = board.size();
  const auto has = [&](int row, int column) {
    return row >= 0 && row < rows && column >= 0 && column < columns && board.At(row, column) == seat;
  };
  for (int row = 0; row < rows; ++row) {
    for (int column = 0; column < columns; ++column) {
      for (const auto& [up, right] : {std::pair{0, 1}, {1, 0}, {1, 1}, {-1, 1}}) {
        int length = 0;
        while (has(row + length * up, column + length * right)) ++length;
        if (length >= m) return true;
      }
    }
  }
  return false;
}

// Plays randomly to the end, and compares after every disc.
template <std::size_t kWords>
void CompareByHand(BoardSize size, std::uint64_t seed) {
  Rng rng(seed);
  Board<kWords> board(size);
  while (!board.Over()) {
    const int column = static_cast<int>(rng.Below(static_cast<std::uint64_t>(size.columns)));
    if (!board.CanDrop(column)) continue;
    const SeatIndex seat = board.Turn();
    const bool wins = board.Wins(column, seat);
    RC_ASSERT(board.WinningCells(seat).Test(board.Landing(column)) == wins);
    RC_ASSERT(board.WinningCells(1 - seat).Test(board.Landing(column)) == board.Wins(column, 1 - seat));
    board.Drop(column);
    RC_ASSERT(HasLineByHand(board, seat) == wins);
    RC_ASSERT((board.Winner() == seat) == wins);
  }
}

RC_GTEST_PROP(ConnectMBoard, FindsTheLinesThatAreThere, ()) {
  const int rows = *rc::gen::inRange(1, kMaxSide + 1);
  const int columns = *rc::gen::inRange(2, kMaxSide + 1);
  const int m = *rc::gen::inRange(2, std::min(8, std::max(rows, columns)) + 1);
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  const BoardSize size{rows, columns, m};
  if (size.Bits() <= 64) CompareByHand<1>(size, seed);
  CompareByHand<7>(size, seed);
}

TEST(ConnectMBoard, LinesDoNotRunOnIntoTheNextColumn) {
  Board<1> board(BoardSize{.rows = 4, .columns = 7, .m = 4});
  // Red tops out column 0 with two and lays two at the bottom of column 1.
  for (const int column : {2, 0, 2, 0, 0, 3, 0, 3, 1, 4, 1}) board.Drop(column);
  EXPECT_FALSE(board.Winner().has_value());
}

TEST(ConnectMBoard, RefusesBoardsThatNoGameLeadsTo) {
  const auto settles = [](const std::vector<std::pair<int, SeatIndex>>& discs) {
    Board<1> board(BoardSize{});
    for (const auto& [column, seat] : discs) {
      if (!board.Put(column, seat)) return false;
    }
    return board.Settle();
  };
  EXPECT_TRUE(settles({}));
  EXPECT_TRUE(settles({{0, 0}, {0, 1}}));
  EXPECT_FALSE(settles({{0, 1}}));
  EXPECT_FALSE(settles({{0, 0}, {1, 0}}));
  EXPECT_FALSE(settles({{0, 0}, {0, 0}, {0, 0}, {0, 0}, {1, 1}, {1, 1}, {1, 1}, {2, 1}}));
  EXPECT_TRUE(settles({{0, 0}, {0, 0}, {0, 0}, {0, 0}, {1, 1}, {1, 1}, {1, 1}}));
}

}  // namespace
}  // namespace openseat::games
