#include "agents/search/levels.h"

#include <algorithm>
#include <array>
#include <vector>

#include "base/check.h"

namespace openseat::search {
namespace {

using Levels = std::array<Level, kLevels>;

// The first ones see no threat before it hits them.
constexpr Levels kUsual{{{15, 0.3, false},
                         {30, 0.18, false},
                         {80, 0.1, false},
                         {300, 0.05, false},
                         {300, 0.03},
                         {1'500, 0.015},
                         {8'000, 0.004},
                         {20'000, 0}}};
// Its iterations take a hundred times as long. What its heuristics leave out is so much worse than the rest that slips
// alone do not make a beginner.
constexpr Levels kNetrunner{
    {{40, 0.2, true, 1}, {40, 0.01, true, 2}, {40, 0.01}, {40, 0.003}, {40, 0}, {160, 0}, {640, 0}, {2'560, 0}}};

// e to the power of x, for x <= 0: exactly the same on every machine.
double Exp(double x) {
  constexpr int kSquarings = 12;
  double power = 1 + x / (1 << kSquarings);
  if (power <= 0) return 0;
  for (int i = 0; i < kSquarings; ++i) power *= power;
  return power;
}

}  // namespace

Level LevelAt(std::string_view game, int level) {
  OPENSEAT_CHECK(level >= 1 && level <= kLevels, "there are eight levels");
  return (game == "netrunner" ? kNetrunner : kUsual)[static_cast<std::size_t>(level - 1)];
}

Move ChooseAt(const Level& level, const SearchResult& found, Rng& rng) {
  const SearchedMove* chosen = found.Find(found.chosen);
  if (level.slip == 0 || chosen == nullptr || chosen->share < 1) return found.chosen;
  std::vector<double> weights;
  double total = 0;
  for (const SearchedMove& move : found.moves) {
    const bool known = move.visits != 0 || move.proven;
    weights.push_back(known ? Exp(std::min(0.0, move.value - chosen->value) / level.slip) : 0);
    total += weights.back();
  }
  double left = rng.Unit() * total;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    left -= weights[i];
    if (left < 0) return found.moves[i].move;
  }
  return found.chosen;
}

}  // namespace openseat::search
