// The names, arguments and descriptions of the play tools. Internal to play.cc.
#pragma once

#include "agents/kinds.h"
#include "base/time.h"
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
// For the board in the chat.
Tool BoardLookTool();
Tool BoardActTool();
Tool BoardSitTool();
Tool BoardCardsTool();
// Adds "token" to the tool's arguments.
void TakeToken(Tool& tool);

inline constexpr int kDefaultWait = 25;  // seconds
inline constexpr int kLongestWait = 50;  // hosts give up on tools after 60
// wait_for_turn as a task; less than tasks are kept for.
inline constexpr Duration kWaitAsTask = std::chrono::minutes(10);

}  // namespace openseat::mcp
