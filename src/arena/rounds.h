// Swiss and knockout: rounds of matches between two agents, each of `pairs` deals in every game.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "arena/planner.h"

namespace openseat::arena {

// REQUIRES at least 2 agents, for both.
std::unique_ptr<Planner> PlanSwiss(std::size_t agents, std::size_t kinds, std::uint64_t pairs);
std::unique_ptr<Planner> PlanKnockout(std::size_t agents, std::size_t kinds, std::uint64_t pairs);

}  // namespace openseat::arena
