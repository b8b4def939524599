// The grammar of a table's events, the same for every seat, agent and protocol (docs/formats/journal.md, "What happens
// at a seat").
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "base/json.h"

namespace openseat::tests {

// What happened at one seat.
struct SeatRecord {
  std::size_t refusals = 0;
  std::size_t choices = 0;       // that counted: played, or accepted by a game elsewhere
  std::set<std::string> agents;  // who made them
};

// Reads all events of a table; the result is indexed by seat. `where`: who has the rules. Fails the test if an event is
// out of place, lacks a member or has an unknown one.
enum class Rules : bool { kHere, kElsewhere };
std::vector<SeatRecord> ReadRecord(const std::vector<json::Value>& events, Rules where);

}  // namespace openseat::tests
