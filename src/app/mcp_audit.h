// What the audit log says of calls over MCP: what the operator changed with a tool.
#pragma once

#include <optional>

#include "app/audit_log.h"
#include "base/json.h"
#include "protocols/mcp/call.h"
#include "protocols/mcp/server.h"

namespace openseat::app {

// The line about a call of a tool that may change something; nullopt if none is due. Due are all such calls with the
// admin token, and those from this machine without a token that are not made at a seat with its token: the moves of
// bots here are too many, and are a player's. In a cluster, the server that the client called writes the line.
std::optional<AuditEntry> McpEntry(const mcp::Caller& caller, const mcp::Tool& tool, const json::Object& arguments);

}  // namespace openseat::app
