// SeatLook: everything that the Agent API says about one seat, as a plain value. Answers and webhooks are made from it,
// so that both say the same, and nothing that the seat may not see.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "agents/external/external_agent.h"
#include "base/json.h"
#include "core/seat_view.h"

namespace openseat::agent_api {

// Of what the seat was told, only what is newer than `told_after`; nothing at Netrunner, whose log says it all.
// REQUIRES agent.seat() to be of `table`.
SeatView LookAt(const Table& table, const ExternalAgent& agent, std::uint64_t told_after = 0);

bool IsNetrunner(const SeatView& look);
// "netrunner"; of a game elsewhere what it calls itself.
std::string_view GameOf(const SeatView& look);
bool IsOver(const SeatView& look);
// Why it is over; "" where it is not.
std::string_view ReasonOf(const SeatView& look);

// What the side is called in answers: "corp"; the player's name where the game has no roles.
std::string Side(const SeatView& look);
// The same as events have it: "Corp".
std::string SideTitle(const SeatView& look);
// The winner's, by the same names; null for a draw.
json::Value WinningSide(const SeatView& look);
json::Value WinningTitle(const SeatView& look);
// The sides' scores once they are known: {"x": 1, "o": 0}; {} before.
json::Object Scores(const SeatView& look);

}  // namespace openseat::agent_api
