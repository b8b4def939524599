// The plan of `auto-break`: what an icebreaker needs to break all subroutines of the encountered ice.
#pragma once

#include <cstdint>
#include <optional>

#include "games/netrunner/engine/state.h"

namespace openseat::games::netrunner {

struct BreakPlan {
  std::uint8_t ability = 0;  // that breaks
  std::uint8_t boost = 0;    // the ability that adds strength, if there are any boosts
  int boosts = 0;            // how often it is used
  int breaks = 0;            // how often `ability` is used
  int subroutines = 0;       // that it breaks: all that are left
  int credits = 0;           // in all
  int virus = 0;             // counters

  int steps() const { return boosts + breaks; }
};

// How this card breaks everything that is left, at the usual prices and one kind of ability each; nullopt where it
// cannot or the Runner cannot pay for all of it. REQUIRES Encountering(state).
std::optional<BreakPlan> PlanBreak(const State& state, Inst card);

}  // namespace openseat::games::netrunner
