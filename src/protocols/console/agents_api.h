// The agents API, GET /api/v1/agents: the kinds of agents that can be given a seat, with the options that this API
// takes. Described in docs/protocols/console.md.
#pragma once

#include "agents/kinds.h"
#include "net/router.h"

namespace openseat::console {

// The route, and the schema "AgentSpec" of an agent in a request.
void AddAgentsRoute(net::Router& router, const AgentKinds& kinds);

}  // namespace openseat::console
