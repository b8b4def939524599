// Heuristics: what a game may offer in addition to its rules to those who play ahead (agents/search): moves with sense,
// and the worth of a position that is not finished. Without them, search plays random moves to the end. They judge only
// what they are given: a state made by GameState::Sample, never the real one of a game that hides something.
#pragma once

#include <cstddef>
#include <span>

#include "base/rng.h"
#include "core/game.h"
#include "core/ids.h"

namespace openseat {

class Heuristics {
 public:
  virtual ~Heuristics() = default;

  // A move for playing ahead, out of `moves` (all that GameState::Moves lists; at least one): quick, and better than
  // random. By default any of them.
  virtual Move Rollout(const GameState&, SeatIndex, std::span<const Move> moves, Rng& rng) const {
    return moves[rng.Below(moves.size())];
  }
  // Writes for each of `moves` how promising it is, as weights that need no common scale; 0: not worth a branch, as
  // long as another has a weight above 0. In a game that hides nothing (GameInfo::hides) 0 must be certain: a move with
  // a weight above 0 is at least as good. A solver may rely on it, and proofs leave out what has no weight. REQUIRES
  // weights.size() == moves.size(). By default all 1.
  virtual void Weigh(const GameState&, SeatIndex, std::span<const Move>, std::span<float> weights) const {
    for (float& weight : weights) weight = 1;
  }
  // How many moves to play ahead with Rollout from a new position before Worth judges the state; a game that ends
  // earlier is judged by its outcome. 0: Worth judges at once. SIZE_MAX: play to the end.
  virtual std::size_t Horizon() const { return SIZE_MAX; }
  // The result that the seat may expect of an unfinished state, between 0 (lost) and 1 (won). By default 0.5.
  virtual double Worth(const GameState&, SeatIndex) const { return 0.5; }

 protected:
  Heuristics() = default;
};

}  // namespace openseat
