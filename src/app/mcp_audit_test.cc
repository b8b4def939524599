#include "app/mcp_audit.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "base/json.h"

namespace openseat::app {
namespace {

// "WHAT from FROM by WHO", or "" if there is no line.
std::string Line(const mcp::Caller& caller, const std::string& name, const json::Object& arguments) {
  mcp::Tool tool;
  tool.name = name;
  const std::optional<AuditEntry> entry = McpEntry(caller, tool, arguments);
  if (!entry) return "";
  EXPECT_EQ(entry->event, "admin");
  return entry->what + " from " + entry->from + " by " + entry->who;
}

const mcp::Caller kOwner{.local = false, .operates = true, .from = "203.0.113.9", .who = "admin"};
const mcp::Caller kHere{.local = true, .operates = true, .from = "127.0.0.1", .who = ""};

TEST(McpEntry, HasWhatTheOperatorChangesAndNoSecrets) {
  EXPECT_EQ(Line(kOwner, "create_match", {{"game", "rps"}, {"name", "Ann"}}),
            "MCP create_match rps from 203.0.113.9 by admin token");
  EXPECT_EQ(Line(kOwner, "join_table", {{"table", "calm-otter.invitation"}}),
            "MCP join_table calm-otter from 203.0.113.9 by admin token");
  EXPECT_EQ(Line(kOwner, "resign", {{"token", "table.0.secret"}}), "MCP resign table from 203.0.113.9 by admin token");
  EXPECT_EQ(Line(kOwner, "resign", {{"token", "secret"}}), "MCP resign from 203.0.113.9 by admin token");
}

TEST(McpEntry, OfThisMachineHasNoMovesAtSeats) {
  EXPECT_EQ(Line(kHere, "create_match", {{"game", "rps"}}), "MCP create_match rps from 127.0.0.1 by this machine");
  EXPECT_EQ(Line(kHere, "act", {{"token", "table.0.secret"}}), "");
  EXPECT_EQ(Line({}, "create_match", {{"game", "rps"}}), "MCP create_match rps from standard input by this machine");
}

TEST(McpEntry, IsNotAboutPlayersNorWrittenTwice) {
  const mcp::Caller player{.local = false, .operates = false, .from = "203.0.113.9", .who = "key k-1"};
  EXPECT_EQ(Line(player, "create_match", {{"game", "rps"}}), "");
  mcp::Caller passed_on = kOwner;
  passed_on.passed_on = true;
  EXPECT_EQ(Line(passed_on, "create_match", {{"game", "rps"}}), "");
}

}  // namespace
}  // namespace openseat::app
