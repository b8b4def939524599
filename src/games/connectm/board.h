// Board: the position of a game of Connect-M, as bitboards. Columns from left to right, each from the bottom up, with
// an empty cell on top of each column, so that no line continues from the top of one column into the bottom of the
// next.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "core/ids.h"
#include "games/connectm/bits.h"

namespace openseat::games {

constexpr int kMaxSide = 20;  // rows or columns

struct BoardSize {
  int rows = 6;
  int columns = 7;
  int m = 4;

  constexpr int Bits() const { return (rows + 1) * columns; }
  bool operator==(const BoardSize&) const = default;
};

// REQUIRES size.Bits() <= 64 * kWords.
template <std::size_t kWords>
class Board {
 public:
  explicit Board(BoardSize size) : size_(size) {}

  const BoardSize& size() const { return size_; }
  int Height(int column) const { return heights_[static_cast<std::size_t>(column)]; }
  bool CanDrop(int column) const { return Height(column) < size_.rows; }
  int Discs() const { return discs_; }
  bool Full() const { return discs_ == size_.rows * size_.columns; }
  // Red starts, and they take turns.
  SeatIndex Turn() const { return static_cast<SeatIndex>(discs_ % 2); }
  // The seat that has a line. It can only be the one that dropped last.
  std::optional<SeatIndex> Winner() const {
    if (!won_) return std::nullopt;
    return 1 - Turn();
  }
  bool Over() const { return won_ || Full(); }
  // The seat whose disc is there, if any.
  std::optional<SeatIndex> At(int row, int column) const {
    for (SeatIndex seat = 0; seat < 2; ++seat) {
      if (discs_of_[seat].Test(Cell(row, column))) return seat;
    }
    return std::nullopt;
  }

  // Both REQUIRE CanDrop(column).
  bool Wins(int column, SeatIndex seat) const {
    Bits<kWords> discs = discs_of_[seat];
    discs.Set(Cell(Height(column), column));
    return HasLine(discs);
  }
  void Drop(int column) {
    Bits<kWords>& discs = discs_of_[Turn()];
    discs.Set(Cell(Height(column), column));
    won_ = HasLine(discs);
    ++heights_[static_cast<std::size_t>(column)];
    ++discs_;
  }

  // The cells where one more disc of this seat would make a line, whether a disc can get there now or not.
  Bits<kWords> WinningCells(SeatIndex seat) const {
    const Bits<kWords>& discs = discs_of_[seat];
    Bits<kWords> cells;
    for (const int step : {1, size_.rows + 1, size_.rows, size_.rows + 2}) {
      // The cells that have i discs in a row right above them.
      std::array<Bits<kWords>, kMaxSide> above{};
      for (int i = 1; i < size_.m && i * step < Bits<kWords>::kCapacity; ++i) {
        const Bits<kWords> there = discs.Down(i * step);
        above[Index(i)] = i == 1 ? there : above[Index(i - 1)] & there;
      }
      cells = cells | above[Index(size_.m - 1)];
      Bits<kWords> below;
      for (int i = 1; i < size_.m && i * step < Bits<kWords>::kCapacity; ++i) {
        const Bits<kWords> there = discs.Up(i * step);
        below = i == 1 ? there : below & there;
        cells = cells | (i == size_.m - 1 ? below : below & above[Index(size_.m - 1 - i)]);
      }
    }
    return cells;
  }
  // The number in WinningCells of the cell where a disc on this column comes to rest; the one above it is one more.
  int Landing(int column) const { return Cell(Height(column), column); }

  // Puts a disc on a column out of turn, for a board that is read in; false if there is no room. Settle then says
  // whether a game can have led to this position, by the number of discs and by who has a line.
  bool Put(int column, SeatIndex seat) {
    if (!CanDrop(column)) return false;
    discs_of_[seat].Set(Cell(Height(column), column));
    ++heights_[static_cast<std::size_t>(column)];
    ++discs_;
    return true;
  }
  bool Settle() {
    int red = 0;
    for (int column = 0; column < size_.columns; ++column) {
      for (int row = 0; row < Height(column); ++row) red += At(row, column) == SeatIndex{0} ? 1 : 0;
    }
    won_ = HasLine(discs_of_[1 - Turn()]);
    return red == (discs_ + 1) / 2 && !HasLine(discs_of_[Turn()]);
  }

  bool operator==(const Board&) const = default;

 private:
  static std::size_t Index(int i) { return static_cast<std::size_t>(i); }
  int Cell(int row, int column) const { return column * (size_.rows + 1) + row; }

  bool HasLine(const Bits<kWords>& discs) const {
    // The step to the next cell in a column, in a row, on a falling and on a rising diagonal.
    const int column = size_.rows + 1;
    for (const int step : {1, column, column - 1, column + 1}) {
      if (HasRun(discs, step)) return true;
    }
    return false;
  }

  // Whether m cells, each `step` after the one before, are all set: doubles runs of 2, 4, 8 … and adds the rest.
  bool HasRun(Bits<kWords> starts, int step) const {
    int length = 1;  // cells where a run of this length starts
    while (length < size_.m) {
      const int more = std::min(length, size_.m - length);
      if (more * step >= Bits<kWords>::kCapacity) return false;
      starts = starts & starts.Down(more * step);
      length += more;
    }
    return starts.Any();
  }

  BoardSize size_;
  bool won_ = false;
  std::int16_t discs_ = 0;
  std::array<std::int8_t, kMaxSide> heights_{};
  std::array<Bits<kWords>, 2> discs_of_{};
};

}  // namespace openseat::games
