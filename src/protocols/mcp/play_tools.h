// What the play tools are called, take and say of themselves. Internal to play.cc.
#pragma once

#include "agents/kinds.h"
#include "protocols/mcp/server.h"

namespace openseat::mcp {

// Without `run`.
Tool ListGamesTool();
Tool ListTablesTool();
Tool CreateMatchTool(const AgentKinds& kinds);
Tool JoinTableTool();
Tool GetRulesTool();
Tool GetStateTool();
Tool WaitForTurnTool();
Tool ActTool();
Tool ResignTool();
Tool SayTool();
// Adds "token" to what the tool takes.
void TakeToken(Tool& tool);

inline constexpr int kDefaultWait = 25;  // seconds
inline constexpr int kLongestWait = 50;  // hosts give up tools after 60

}  // namespace openseat::mcp
