// What follows from a choice, in words and as data: the same for every client.
#pragma once

#include <cstddef>
#include <string>

#include "games/netrunner/engine/auto_break.h"
#include "games/netrunner/engine/state.h"
#include "games/netrunner/types.h"

namespace openseat::games::netrunner {

struct Consequence {
  std::string label;    // may have symbols, "[Credits]"
  bool danger = false;  // it can hurt the side that is asked: nobody should be led to it
};

// Of `continue`. REQUIRES a state in which it is legal.
Consequence OfPassing(const State& state);
// Whether passing is all that the side can do now.
bool OnlyPasses(const State& state);
// Of jacking out. REQUIRES a state in which it is legal.
Consequence OfJackingOut(const State& state);
// Of an option of the open prompt; the label is OptionLabels' where there is nothing to add. Labels of a prompt differ.
Consequence OfOption(const State& state, std::size_t option);
// "Break all 2 subroutines of Palisade with Cleaver".
std::string OfAutoBreak(const State& state, Inst card, const BreakPlan& plan);
// "3 [Credits]"; "free".
std::string CostOf(const BreakPlan& plan);

}  // namespace openseat::games::netrunner
