// Grown: a search in parts that may run on any threads, one after another or at the same time, and their sum. Search
// (search.h) runs them all; the agent gives them to its pool.
#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <vector>

#include "agents/search/search.h"
#include "agents/search/tree.h"
#include "base/clock.h"

namespace openseat::search {

// The index of the most tried of these moves whose worth is open, unless another is proven to be as good. REQUIRES a
// move.
std::size_t BestOf(const std::vector<RootMove>& roots);

class Grown {
 public:
  // Keeps nothing of `from` but a sample. `game` outlives it.
  Grown(const Game& game, const GameState& from, SeatIndex seat, SearchOptions options);
  Grown(const Grown&) = delete;
  Grown& operator=(const Grown&) = delete;

  // How many parts a search with these options has.
  static unsigned Parts(const SearchOptions& options);
  unsigned parts() const { return static_cast<unsigned>(trees_.size()); }
  // Runs one part; parts that begin after the deadline are left out, except for the first. REQUIRES that each part runs
  // once.
  void Grow(unsigned part, const Clock& clock, std::optional<Instant> deadline, const std::stop_token& stop);
  // REQUIRES that no part runs.
  SearchResult Result() const;
  // The branches of all trees, as SearchOptions::max_branches counts. REQUIRES the same.
  std::size_t size() const;

 private:
  const SearchOptions options_;
  std::vector<Tree> trees_;
};

}  // namespace openseat::search
