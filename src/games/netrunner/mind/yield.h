// What a program of a card brings when it is resolved in this position, added up over its instructions: what a side
// may expect of playing a card, using an ability, or taking an option.
#pragma once

#include <array>

#include "games/netrunner/engine/state.h"

namespace openseat::games::netrunner::mind {

struct Yield {
  std::array<float, 2> credits{};  // by side: gained less paid and lost
  std::array<float, 2> cards{};    // drawn
  std::array<float, 2> clicks{};
  float hosted = 0;  // credits placed on the source
  float virus = 0;   // counters placed on the source
  float damage = 0;  // to the Runner
  float tags = 0;
  float advances = 0;        // counters on a target
  float runner_trashed = 0;  // installed cards of the Runner
  float own_discarded = 0;   // cards of the controller's hand
  float found = 0;           // cards moved to the hand
  float rezzed = 0;          // ice, at no cost
  float installed = 0;
  bool trashes_itself = false;
  bool ends_run = false;
  bool trashes_accessed = false;
  bool runs = false;
  Servers servers = Servers::kAny;
  bool dearer_ice = false;  // for that run
};

// From the instruction at `from` to the end of the program, or of the branch. A choice of either side is taken to be
// the one that is best for it in `worth`.
using WorthOfYield = float (*)(const State& state, const Yield& yield, Side side);
Yield YieldOf(const State& state, const Program& program, std::size_t from, Inst source, WorthOfYield worth);

}  // namespace openseat::games::netrunner::mind
