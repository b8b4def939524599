// The agents that need nothing but a seat; app/agents.cc makes those of other kinds.
#pragma once

#include <memory>

#include "core/agent.h"

namespace openseat {

// A factory of "random" and "script", for tests below app/.
Result<std::unique_ptr<Agent>> MakeLocalAgent(const AgentSpec& spec);

}  // namespace openseat
