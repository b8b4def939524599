#include "agents/search/mixed.h"

#include <algorithm>

namespace openseat::search {
namespace {

// The share of draws that try anything, so that every cell is seen.
constexpr double kTrial = 0.1;

std::uint64_t Stirred(std::uint64_t bits) {  // the finalizer of splitmix64
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9u;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebu;
  return bits ^ (bits >> 31);
}

}  // namespace

Matrix::Side& Matrix::SideOf(SeatIndex seat) {
  const auto found = std::ranges::find(sides_, seat, &Side::seat);
  if (found != sides_.end()) return *found;
  return sides_.emplace_back(Side{seat, {}});
}

const std::vector<Matrix::Option>& Matrix::OptionsOf(SeatIndex seat) const {
  static const std::vector<Option> none;
  const auto found = std::ranges::find(sides_, seat, &Side::seat);
  return found == sides_.end() ? none : found->options;
}

Matrix::Choice Matrix::Draw(SeatIndex seat, std::span<const Move> moves, Rng& rng) {
  std::vector<Option>& options = SideOf(seat).options;
  legal_.clear();
  double total = 0;
  for (const Move move : moves) {
    const auto found = std::ranges::find(options, move, &Option::move);
    legal_.push_back(static_cast<std::size_t>(found - options.begin()));
    if (found == options.end()) options.push_back({.move = move});
    total += options[legal_.back()].regret;  // never below 0
  }
  const double even = 1 / static_cast<double>(legal_.size());
  const auto chance = [&](std::size_t option) { return total > 0 ? options[option].regret / total : even; };
  for (const std::size_t option : legal_) options[option].strategy += chance(option);
  std::size_t drawn = legal_.back();
  if (rng.Chance(kTrial)) {
    drawn = legal_[rng.Below(legal_.size())];
  } else {
    double left = rng.Unit();
    for (const std::size_t option : legal_) {
      left -= chance(option);
      if (left < 0) {
        drawn = option;
        break;
      }
    }
  }
  return {seat, options[drawn].move, drawn};
}

std::uint64_t Matrix::KeyOf(std::span<const Choice> choices, SeatIndex instead, Move move) {
  std::uint64_t key = 0;
  for (const Choice& choice : choices) {
    key = Stirred(key + (std::uint64_t{choice.seat} << 32) + (choice.seat == instead ? move : choice.move) + 1);
  }
  return key;
}

std::size_t Matrix::CellOf(std::span<const Choice> choices, std::size_t seats) {
  const auto [found, is_new] = index_.try_emplace(KeyOf(choices, ~SeatIndex{0}, 0), cells_.size());
  if (is_new) cells_.push_back({.sums = std::vector<double>(seats)});
  return found->second;
}

void Matrix::Learn(const Play& play, std::span<const double> results) {
  Cell& cell = cells_[play.cell];
  ++cell.visits;
  for (std::size_t seat = 0; seat < results.size(); ++seat) cell.sums[seat] += results[seat];
  for (const Choice& choice : play.choices) {
    std::vector<Option>& options = SideOf(choice.seat).options;
    const double result = results[choice.seat];
    for (Option& option : options) {
      const auto found = index_.find(KeyOf(play.choices, choice.seat, option.move));
      if (found == index_.end()) continue;
      const Cell& other = cells_[found->second];
      if (other.visits == 0) continue;
      const double instead = other.sums[choice.seat] / static_cast<double>(other.visits);
      option.regret = std::max(0.0, option.regret + instead - result);
    }
    Option& chosen = options[choice.option];
    ++chosen.visits;
    chosen.sum += result;
    chosen.squares += result * result;
  }
}

}  // namespace openseat::search
