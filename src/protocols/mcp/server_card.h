// What directories of MCP servers read about this one, without a session: its server card, and the catalog that names
// it (docs/protocols/mcp.md, "Found by directories"). Public, and always the same.
#pragma once

#include <string>

#include "base/json.h"
#include "net/router.h"
#include "protocols/mcp/call.h"

namespace openseat::mcp {

// `url`: where hosts reach /mcp; "" if the server does not know it: then the card names no address.
json::Object ServerCard(const ServerInfo& info, const std::string& url);

// GET /mcp/server-card, /.well-known/mcp/server-card.json and /.well-known/ai-catalog.json.
void AddServerCard(net::Router& router, const ServerInfo& info, const std::string& url);

}  // namespace openseat::mcp
