#include "agents/search/search.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "agents/search/grown.h"

namespace openseat::search {

const SearchedMove* SearchResult::Find(Move move) const {
  const auto found = std::ranges::find(moves, move, &SearchedMove::move);
  return found == moves.end() ? nullptr : &*found;
}

Value ResultOf(const Outcome& outcome, SeatIndex seat) {
  const bool all = outcome.winners.size() == outcome.scores.size() && outcome.scores.size() > 1;
  if (outcome.winners.empty() || all) return 0.5;
  return outcome.winners.Contains(seat) ? 1 : 0;
}

std::unique_ptr<GameState> DrawSample(const std::function<std::unique_ptr<GameState>(Rng& rng)>& sample, Rng& rng) {
  constexpr int kMostDraws = 8;
  std::unique_ptr<GameState> drawn;
  for (int draws = 0; drawn == nullptr && draws < kMostDraws; ++draws) drawn = sample(rng);
  return drawn;
}

SearchResult Search(const Game& game, const GameState& from, SeatIndex seat, const SearchOptions& options,
                    const Clock& clock, const std::stop_token& stop) {
  const std::optional<Instant> deadline =
      options.limits.time ? std::optional(clock.Monotonic() + *options.limits.time) : std::nullopt;
  Grown grown(game, from, seat, options);
  {
    std::vector<std::jthread> others;
    for (unsigned part = 1; part < grown.parts(); ++part) {
      others.emplace_back([&, part] { grown.Grow(part, clock, deadline, stop); });
    }
    grown.Grow(0, clock, deadline, stop);
  }
  return grown.Result();
}

}  // namespace openseat::search
