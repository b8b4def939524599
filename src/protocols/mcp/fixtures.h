// What the published conformance suite needs in a server so that it can test the whole protocol: tools, resources and
// prompts that do nothing useful. Offered behind a hidden flag only (serve --mcp-fixtures).
#pragma once

#include "base/scheduler.h"
#include "protocols/mcp/server.h"

namespace openseat::mcp {

// `scheduler` is the server's, and outlives it.
void AddFixtures(Server& server, Scheduler& scheduler);

}  // namespace openseat::mcp
