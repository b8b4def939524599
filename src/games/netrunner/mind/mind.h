// Netrunner's heuristics (core/heuristics.h): rollouts that play by the ratings of rating.h, and the worth of a
// position. docs/minds.md says how they came about and what they are measured to be worth.
#pragma once

#include "core/heuristics.h"
#include "games/netrunner/engine/state.h"

namespace openseat::games::netrunner {

namespace mind {
// The chance that the side wins, as the whole position looks: for positions that search has reached, in which
// everything hidden is drawn.
double Worth(const State& state, Side side);
}  // namespace mind

class NetrunnerHeuristics final : public Heuristics {
 public:
  Move Rollout(const GameState& state, SeatIndex seat, std::span<const Move> moves, Rng& rng) const override;
  void Weigh(const GameState& state, SeatIndex seat, std::span<const Move> moves,
             std::span<float> weights) const override;
  std::size_t Horizon() const override;
  double Worth(const GameState& state, SeatIndex seat) const override;
};

}  // namespace openseat::games::netrunner
