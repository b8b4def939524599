// What holds of every state that a game leads to; for tests.
#pragma once

#include <optional>
#include <string>

#include "games/netrunner/state.h"

namespace openseat::games::netrunner {

// The first thing that is wrong; empty: nothing.
std::string BrokenInvariant(const State& state);

// A state that `viewer` cannot tell from this one: cards that they may not see are exchanged at random, ice for ice
// where it is installed. nullopt is a spectator.
State Permuted(const State& state, std::optional<Side> viewer, Rng& rng);

}  // namespace openseat::games::netrunner
