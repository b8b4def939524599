// Invariants of every state that a game can reach; for tests.
#pragma once

#include <optional>
#include <string>

#include "games/netrunner/engine/state.h"

namespace openseat::games::netrunner {

// The first violation; empty if there is none.
std::string BrokenInvariant(const State& state);

// A state that `viewer` cannot distinguish from this one: cards hidden from them are swapped at random, ice only with
// ice if installed. nullopt is a spectator.
State Permuted(const State& state, std::optional<Side> viewer, Rng& rng);

}  // namespace openseat::games::netrunner
