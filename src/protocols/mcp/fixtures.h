// What the published conformance suite wants a server to have so that it can test all of the protocol: tools, resources
// and prompts that do nothing useful. Offered behind a hidden flag only (serve --mcp-fixtures).
#pragma once

#include "base/scheduler.h"
#include "protocols/mcp/server.h"

namespace openseat::mcp {

// `scheduler` is the server's, and outlives it.
void AddFixtures(Server& server, Scheduler& scheduler);

}  // namespace openseat::mcp
