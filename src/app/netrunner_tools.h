// The four MCP tools that the Agent API's document names, for seats of Netrunner: its endpoints in MCP's form.
#pragma once

#include <vector>

#include "protocols/mcp/play.h"

namespace openseat::app {

// get_game_state, get_available_actions, execute_action, respond_to_prompt.
std::vector<mcp::SeatTool> NetrunnerTools();

}  // namespace openseat::app
