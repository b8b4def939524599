// The agents that need nothing but a seat: those of other kinds are in app/agents.cc.
#pragma once

#include <memory>

#include "core/agent.h"

namespace openseat {

// A factory of "random" and "script", for tests below app/.
Result<std::unique_ptr<Agent>> MakeLocalAgent(const AgentSpec& spec);

}  // namespace openseat
