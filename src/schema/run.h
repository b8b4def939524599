// Running a program against an instance.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/json.h"
#include "schema/program.h"
#include "schema/schema.h"

namespace openseat::schema {

class Evaluated;
struct State;

// The general way, for nodes that no kernel fits. REQUIRES the value's type to be one that the node allows.
bool ApplyGenerally(State& state, NodeId id, const json::Value& value, Evaluated* evaluated);

// Takes what it uses from the budget. An instance that needs more, or all of it, is not valid, and nothing is left
// then; nor is anything where subschemas lead too deep.
bool RunFast(const Program& program, NodeId start, const json::Value& instance, Budget& budget);
// Every violation with its words; none where the instance is valid. Likewise.
std::vector<Violation> RunCollecting(const Program& program, NodeId start, const json::Value& instance,
                                     std::size_t max_violations, Budget& budget);

// "limit": a bound was exceeded.
Violation LimitViolation(const Program& program, const Budget& budget);

}  // namespace openseat::schema
