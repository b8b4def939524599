// Matrix: the node of a search where several seats choose at once. Each mixes its choices by regret matching: a choice
// that would have done better against what the others chose is chosen more often. The average of what a seat mixed is
// what it should play: in a zero-sum game of two it approaches an equilibrium.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/rng.h"
#include "core/game.h"
#include "core/ids.h"

namespace openseat::search {

class Matrix {
 public:
  // One seat's choice in one visit.
  struct Choice {
    SeatIndex seat = 0;
    Move move = 0;
    std::size_t option = 0;
  };
  // What was chosen in one visit, and the cell that it leads to.
  struct Play {
    std::vector<Choice> choices;
    std::size_t cell = 0;
  };
  struct Option {
    Move move = 0;
    double regret = 0;
    double strategy = 0;  // sum of the chances with which it was to be chosen
    std::uint64_t visits = 0;
    double sum = 0;
    double squares = 0;
  };
  // Where the choices of all seats lead.
  struct Cell {
    std::uint32_t child = ~std::uint32_t{0};
    std::uint64_t visits = 0;
    std::vector<double> sums;  // of results, by seat
  };

  // Draws the seat's choice out of its legal moves.
  Choice Draw(SeatIndex seat, std::span<const Move> moves, Rng& rng);
  // The cell of these choices.
  std::size_t CellOf(std::span<const Choice> choices, std::size_t seats);
  // Learns from the results (by seat) of a visit.
  void Learn(const Play& play, std::span<const double> results);

  Cell& cell(std::size_t index) { return cells_[index]; }
  const Cell& cell(std::size_t index) const { return cells_[index]; }
  const std::vector<Option>& OptionsOf(SeatIndex seat) const;

 private:
  struct Side {
    SeatIndex seat;
    std::vector<Option> options;
  };
  Side& SideOf(SeatIndex seat);
  static std::uint64_t KeyOf(std::span<const Choice> choices, SeatIndex instead, Move move);

  std::vector<Side> sides_;
  std::vector<Cell> cells_;
  std::unordered_map<std::uint64_t, std::size_t> index_;
  // Of one draw.
  std::vector<std::size_t> legal_;
};

}  // namespace openseat::search
