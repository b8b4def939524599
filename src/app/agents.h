// The explicit table of the agents that can be seated, by kind: random, script, bot (Netrunner), neuro and llm.
#pragma once

#include <memory>
#include <string_view>

#include "agents/llm/models.h"
#include "core/agent.h"

namespace openseat::app {

// Errors: kNotFound for a kind that is not among them, else what is wrong with the options. Connects to nothing yet.
Result<std::unique_ptr<Agent>> MakeAgent(const AgentSpec& spec, const llm::Models& models);
// The same as a factory. `models` outlives it.
AgentFactory AgentsWith(const llm::Models& models);

// Whether the kind has the option "seed".
bool TakesSeed(std::string_view kind);

}  // namespace openseat::app
