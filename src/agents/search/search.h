// Search: what a seat's moves are worth, found by playing ahead (docs/minds.md). It looks only at samples of the state
// (GameState::Sample), so it knows what its seat knows. Without a limit on time, the result depends on nothing but the
// game, what the seat knows, the options and the seed: it is the same on every machine.
//
// Search blocks its thread for as long as the limits say: never call it on an event loop.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

#include "base/clock.h"
#include "base/rng.h"
#include "base/time.h"
#include "core/game.h"

namespace openseat::search {

// The search ends at the first limit that it reaches, or when every choice of its seat is proven.
struct SearchLimits {
  std::uint64_t iterations = 1000;  // in all threads together; 0: no limit
  std::optional<Duration> time{};   // of the whole search
};

struct SearchOptions {
  SearchLimits limits{};
  std::uint64_t seed = 0;
  // How much it tries what looks worse: higher values try more.
  double exploration = 1;
  // Trees that are grown independently, each with its share of the iterations, and added up.
  unsigned threads = 1;
  // Every move is tried so often before the search follows the best ones: for those who want to know what each is
  // worth. 0: only as often as it seems worth it.
  std::uint64_t least_visits = 0;
  // Ends as soon as the iterations that are left cannot change the choice: for those who only want to know the move.
  // Needs a limit on iterations, one thread, and a game in which nothing is proven.
  bool only_choice = false;
  // Moves that are tried although nobody is offered them (GameState::IsOffered).
  std::vector<Move> also{};
  // Whether the game's heuristics are used (Game::heuristics), if it has any.
  bool heuristics = true;
  // The most branches of all trees together, about 50 bytes each; then they grow no more. A matrix counts as 16.
  std::size_t max_branches = std::size_t{1} << 21;
};

// Between 0 (lost) and 1 (won); 0.5 is a draw.
using Value = double;

struct SearchedMove {
  Move move = 0;
  Value value = 0.5;         // the result that the seat may expect
  double error = 0.5;        // its standard error; 0 if proven
  std::uint64_t visits = 0;  // how often it was tried
  bool proven = false;       // the value is exact (perfect information only)
  double share = 0;          // the chance with which the search chooses it: mixed where choices are simultaneous
};

// A step of the line that follows the chosen move.
struct LineStep {
  SeatIndex seat = 0;
  Move move = 0;
};

struct SearchResult {
  // Those that were considered, in ascending order. Empty if the game gave no sample to play ahead from (core/game.h:
  // NoSample): then nothing else is known.
  std::vector<SearchedMove> moves;
  Move chosen = 0;
  Value value = 0.5;           // of the position for the seat, if it plays as the search does
  std::vector<LineStep> line;  // begins with the chosen move
  std::uint64_t iterations = 0;
  std::uint64_t steps = 0;  // moves played in all iterations

  // nullptr if it was not considered.
  const SearchedMove* Find(Move move) const;
};

// `from`: any state that the seat cannot tell from the real one (Sight::Sample in play, the real one in analysis).
// Stopped early, it returns what it has found so far. REQUIRES that the seat is awaited there, and a limit.
SearchResult Search(const Game& game, const GameState& from, SeatIndex seat, const SearchOptions& options,
                    const Clock& clock, const std::stop_token& stop = {});

// What `sample` draws, which may be nothing (GameState::Sample): then it is asked again, a few times. nullptr if
// nothing comes.
std::unique_ptr<GameState> DrawSample(const std::function<std::unique_ptr<GameState>(Rng& rng)>& sample, Rng& rng);

// The result that an outcome is to the seat.
Value ResultOf(const Outcome& outcome, SeatIndex seat);

}  // namespace openseat::search
