// The state as a viewer may see it, as Markdown for a language model.
#pragma once

#include <string>
#include <string_view>

#include "games/netrunner/engine/state.h"

namespace openseat::games::netrunner {

std::string DescribeState(const State& state, Side viewer);

std::string_view EndingName(Ending ending);     // "Agenda"
std::string_view RunPhaseName(RunPhase phase);  // "approach-ice"

}  // namespace openseat::games::netrunner
