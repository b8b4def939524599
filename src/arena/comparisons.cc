#include "arena/comparisons.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

#include "base/check.h"

namespace openseat::arena {
namespace {

using CellKey = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;  // kind, first, second

// A cluster's results, exact, so that equal ones can be found.
struct Counts {
  std::uint32_t wins = 0;
  std::uint32_t losses = 0;
  std::uint32_t draws = 0;
  auto operator<=>(const Counts&) const = default;
};
using Cluster = std::map<CellKey, Counts>;

void AddGame(const RatedGame& game, Cluster& cluster) {
  for (SeatIndex a = 0; a < game.agents.size(); ++a) {
    for (SeatIndex b = a + 1; b < game.agents.size(); ++b) {
      const bool a_won = game.winners.Contains(a);
      const bool b_won = game.winners.Contains(b);
      const std::uint32_t first = std::min(game.agents[a], game.agents[b]);
      const std::uint32_t second = std::max(game.agents[a], game.agents[b]);
      // Of two agents that did not win, the result does not say who was better.
      if (first == second || (!game.winners.empty() && !a_won && !b_won)) continue;
      Counts& counts = cluster[{game.kind, first, second}];
      if (a_won == b_won) {
        ++counts.draws;
      } else if ((game.agents[a] == first) == a_won) {
        ++counts.wins;
      } else {
        ++counts.losses;
      }
    }
  }
}

// What each game of a kind weighs.
std::vector<double> KindWeights(std::span<const RatedGame> games, std::size_t kinds, bool equal) {
  std::vector<double> weights(kinds, 1.0);
  if (!equal) return weights;
  std::vector<double> played(kinds, 0.0);
  for (const RatedGame& game : games) ++played[game.kind];
  const auto with_games = static_cast<double>(std::ranges::count_if(played, [](double n) { return n > 0; }));
  for (std::size_t kind = 0; kind < kinds; ++kind) {
    if (played[kind] > 0) weights[kind] = static_cast<double>(games.size()) / with_games / played[kind];
  }
  return weights;
}

Comparisons::Type Weighed(const Cluster& cluster, const std::map<CellKey, std::uint32_t>& cells,
                          const std::vector<double>& weights) {
  Comparisons::Type type;
  for (const auto& [key, counts] : cluster) {
    const double weight = weights[std::get<0>(key)];
    type.shares.push_back({cells.at(key), {counts.wins * weight, counts.losses * weight, counts.draws * weight}});
  }
  return type;
}

}  // namespace

Comparisons Compare(std::span<const RatedGame> games, std::size_t agents, std::size_t kinds, bool equal_kinds) {
  std::vector<std::size_t> order(games.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return games[i].cluster; });

  Comparisons out;
  out.agents = agents;
  out.kinds = kinds;
  std::map<Cluster, std::uint64_t> clusters;
  for (std::size_t at = 0; at < order.size();) {
    Cluster cluster;
    for (const std::uint64_t id = games[order[at]].cluster; at < order.size() && games[order[at]].cluster == id; ++at) {
      const RatedGame& game = games[order[at]];
      OPENSEAT_CHECK(game.kind < kinds && game.agents.size() <= SeatSet::kMaxSeats &&
                         std::ranges::all_of(
                             game.agents, [&](std::uint32_t agent) { return agent < agents; }),
                     "a game's kind and agents are below their numbers");
      AddGame(game, cluster);
    }
    if (cluster.empty()) continue;
    ++clusters[std::move(cluster)];
    ++out.clusters;
  }

  std::map<CellKey, std::uint32_t> cells;
  for (const auto& [cluster, count] : clusters) {
    for (const auto& [key, counts] : cluster) cells.emplace(key, 0);
  }
  for (auto& [key, index] : cells) {
    index = static_cast<std::uint32_t>(out.cells.size());
    out.cells.push_back({.first = std::get<1>(key), .second = std::get<2>(key), .kind = std::get<0>(key), .score = {}});
  }
  const std::vector<double> weights = KindWeights(games, kinds, equal_kinds);
  for (const auto& [cluster, count] : clusters) {
    Comparisons::Type type = Weighed(cluster, cells, weights);
    type.count = count;
    for (const Comparisons::Share& share : type.shares) {
      PairScore& score = out.cells[share.cell].score;
      const auto times = static_cast<double>(count);
      score.wins += times * share.score.wins;
      score.losses += times * share.score.losses;
      score.draws += times * share.score.draws;
    }
    out.types.push_back(std::move(type));
  }
  return out;
}

}  // namespace openseat::arena
