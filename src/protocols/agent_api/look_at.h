// Looks at a live seat. On the table's scheduler.
#pragma once

#include <cstdint>

#include "agents/external/external_agent.h"
#include "core/table.h"
#include "protocols/agent_api/look.h"

namespace openseat::agent_api {

// Of what the seat was told, only what is newer than `told_after`; nothing at Netrunner, whose log says it all.
// REQUIRES agent.seat() to be of `table`.
SeatLook LookAt(Table& table, const ExternalAgent& agent, std::uint64_t told_after = 0);

// Puts all of the game's log in the place of the observation's latest lines, where the game keeps one.
void AddWholeLog(const Table& table, SeatLook& look);

// Whether there is something to look at: a hosted match has not begun while it waits for players.
bool HasBegun(const Table& table);

}  // namespace openseat::agent_api
