// The state as a viewer may see it, as Markdown for a language model.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "games/netrunner/engine/state.h"

namespace openseat::games::netrunner {

// `names`: of the Corp's and the Runner's player.
std::string DescribeState(const State& state, Side viewer, std::span<const std::string> names);

std::string_view EndingName(Ending ending);     // "Agenda"
std::string_view RunPhaseName(RunPhase phase);  // "approach-ice"

}  // namespace openseat::games::netrunner
