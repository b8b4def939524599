#include "agents/search/grown.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace openseat::search {
namespace {

constexpr unsigned kMostParts = 64;
// A choice with a smaller share of the mix is left out of it, unless all are small: it is what is left of the first
// iterations.
constexpr double kLeastShare = 0.01;

// With as many threads as it may have, whose trees share the branches.
SearchOptions Shared(SearchOptions options) {
  options.threads = Grown::Parts(options);
  options.max_branches /= options.threads;
  return options;
}

std::vector<RootMove> SumOf(const std::vector<Tree>& trees) {
  std::vector<RootMove> all;
  for (const Tree& tree : trees) {
    for (const RootMove& move : tree.RootMoves()) {
      const auto known = std::ranges::find(all, move.move, &RootMove::move);
      if (known == all.end()) {
        all.push_back(move);
        continue;
      }
      known->visits += move.visits;
      known->sum += move.sum;
      known->squares += move.squares;
      known->strategy += move.strategy;
      known->low = std::max(known->low, move.low);
      known->high = std::min(known->high, move.high);
    }
  }
  std::ranges::sort(all, {}, &RootMove::move);
  return all;
}

SearchedMove Judged(const RootMove& root) {
  SearchedMove move{.move = root.move, .visits = root.visits, .proven = root.low == root.high};
  const auto visits = static_cast<double>(root.visits);
  if (move.proven) {
    move.value = root.low;
    move.error = 0;
  } else if (root.visits != 0) {
    move.value = std::clamp(root.sum / visits, root.low, root.high);
    // As if it had also won once and lost once: a few equal results do not make it certain.
    const double mean = (root.sum + 1) / (visits + 2);
    move.error = std::sqrt(((root.squares + 1) / (visits + 2) - mean * mean) / visits);
  }
  return move;
}

std::size_t Drawn(std::vector<SearchedMove>& moves, const std::vector<RootMove>& roots, std::uint64_t seed) {
  double total = 0;
  double most = 0;
  for (const RootMove& root : roots) {
    total += root.strategy;
    most = std::max(most, root.strategy);
  }
  double kept = 0;
  for (std::size_t i = 0; i < moves.size(); ++i) {
    moves[i].share = roots[i].strategy / total;
    if (moves[i].share < std::min(kLeastShare, most / total)) moves[i].share = 0;
    kept += moves[i].share;
  }
  for (SearchedMove& move : moves) move.share /= kept;
  double left = Rng(seed).Unit();
  for (std::size_t i = 0; i < moves.size(); ++i) {
    left -= moves[i].share;
    if (left < 0) return i;
  }
  return static_cast<std::size_t>(std::ranges::max_element(moves, {}, &SearchedMove::share) - moves.begin());
}

}  // namespace

std::size_t BestOf(const std::vector<RootMove>& roots) {
  std::vector<SearchedMove> moves;
  for (const RootMove& root : roots) moves.push_back(Judged(root));
  std::size_t best = 0;
  for (std::size_t i = 1; i < moves.size(); ++i) {
    const bool more = moves[i].visits > moves[best].visits;
    if (moves[best].proven ? !moves[i].proven || more : !moves[i].proven && more) best = i;
  }
  for (std::size_t i = 0; i < moves.size(); ++i) {
    if (!moves[i].proven || moves[i].value < moves[best].value) continue;
    // One that is open, but cannot be worse, stays: so nothing lost is preferred to what only looks lost.
    const bool is_surer = !moves[best].proven && roots[best].low < moves[i].value;
    if (moves[i].value > moves[best].value || is_surer) best = i;
  }
  return best;
}

Grown::Grown(const Game& game, const GameState& from, SeatIndex seat, SearchOptions options)
    : options_(Shared(std::move(options))) {
  Rng seeds(options_.seed);
  trees_.reserve(options_.threads);
  for (unsigned part = 0; part < options_.threads; ++part)
    trees_.emplace_back(game, from, seat, options_, seeds.Next());
}

unsigned Grown::Parts(const SearchOptions& options) {
  return std::clamp(options.threads, 1U, kMostParts);
}

void Grown::Grow(unsigned part, const Clock& clock, std::optional<Instant> deadline, const std::stop_token& stop) {
  const std::uint64_t all = options_.limits.iterations;
  const std::uint64_t mine = all / parts() + (part < all % parts() ? 1 : 0);
  if (all != 0 && mine == 0) return;
  if (part != 0 && deadline && clock.Monotonic() >= *deadline) return;
  trees_[part].Run(mine, clock, deadline, stop);
}

std::size_t Grown::size() const {
  std::size_t sum = 0;
  for (const Tree& tree : trees_) sum += tree.size();
  return sum;
}

SearchResult Grown::Result() const {
  const std::vector<RootMove> roots = SumOf(trees_);
  SearchResult result;
  double strategy = 0;
  for (const RootMove& root : roots) {
    result.moves.push_back(Judged(root));
    strategy += root.strategy;
  }
  for (const Tree& tree : trees_) {
    result.iterations += tree.iterations();
    result.steps += tree.steps();
  }
  if (roots.empty()) return result;
  std::size_t chosen = 0;
  if (strategy > 0) {
    chosen = Drawn(result.moves, roots, options_.seed);
    result.value = 0;
    for (const SearchedMove& move : result.moves) result.value += move.share * move.value;
  } else {
    chosen = BestOf(roots);
    result.moves[chosen].share = 1;
    result.value = result.moves[chosen].value;
  }
  result.chosen = result.moves[chosen].move;
  result.line = trees_.front().LineAfter(result.chosen);
  return result;
}

}  // namespace openseat::search
