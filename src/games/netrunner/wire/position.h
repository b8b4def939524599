// A State as numbers and back. A game that was played is kept as its seed and choices, from which the rest follows; a
// sample (sample.h) has no such past and is kept as the position itself.
#pragma once

#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "games/netrunner/engine/state.h"

namespace openseat::games::netrunner {

// Says how WritePosition writes; raised with every change of that.
constexpr int kPositionLayout = 3;

// All of the state but its log, in the order of its members.
json::Array WritePosition(const State& state);
// The reverse; the log is empty. Errors: kInvalid for what is no such row of numbers. REQUIRES a row that WritePosition
// made, as far as its meaning goes: the caller must store it unchanged.
Result<State> ReadPosition(const json::Value& row);

json::Array WriteLog(const std::vector<LogEntry>& log);
Result<std::vector<LogEntry>> ReadLog(const json::Value& rows);

// The same position with the cards of the game counted again, by where they lie: whatever a card's number in the state
// told of the deck that it came from is gone.
State Renumbered(const State& state);

}  // namespace openseat::games::netrunner
