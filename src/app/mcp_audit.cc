#include "app/mcp_audit.h"

#include <string>
#include <string_view>
#include <utility>

#include "protocols/mcp/http_endpoint.h"

namespace openseat::app {

std::optional<AuditEntry> McpEntry(const mcp::Caller& caller, const mcp::Tool& tool, const json::Object& arguments) {
  if (!caller.operates || caller.passed_on) return std::nullopt;
  const bool with_token = caller.who == mcp::kOperator;
  if (!with_token && arguments.contains("token")) return std::nullopt;
  std::string what = "MCP " + tool.name;
  // Names of tables and tokens of seats begin with the table; the rest is secret.
  for (const std::string_view key : {"game", "table", "token"}) {
    const json::Value* value = json::Find(arguments, key);
    if (value == nullptr || !value->is_string()) continue;
    const std::string_view text = json::View(value->get_string());
    const std::size_t point = text.find('.');
    if (key != "token" || point != std::string_view::npos) what += " " + std::string(text.substr(0, point));
  }
  return AuditEntry{.event = "admin",
                    .what = std::move(what),
                    .from = caller.from.empty() ? "standard input" : caller.from,
                    .who = with_token ? "admin token" : "this machine"};
}

}  // namespace openseat::app
