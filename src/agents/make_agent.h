// The agents that need nothing but a seat, by kind: "random", "script".
#pragma once

#include <memory>

#include "core/agent.h"

namespace openseat {

// Errors: kNotFound for a kind that is not among them, else what is wrong with the options.
Result<std::unique_ptr<Agent>> MakeLocalAgent(const AgentSpec& spec);

// "random", "random:seed=7,invalid=0.1", "script:FILE", "neuro:ws://HOST:PORT", "llm:MODEL": the form of --agent, of
// any kind. What follows the colon are options, name=value,…; values that read as JSON are JSON. The first may go
// without its name: a file of "script", the name of a model of "llm", a WebSocket URL of others.
Result<AgentSpec> ParseAgentSpec(std::string_view text);

}  // namespace openseat
