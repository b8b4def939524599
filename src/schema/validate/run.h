// Running a program against an instance.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/json.h"
#include "schema/schema.h"
#include "schema/validate/program.h"

namespace openseat::schema {

class Evaluated;
struct State;

// The general runner, for nodes that no kernel fits. REQUIRES a value of a type that the node allows.
bool ApplyGenerally(State& state, NodeId id, const json::Value& value, Evaluated* evaluated);

// Draws on the budget. An instance that needs more, or all of it, is not valid, and the budget is exhausted
// then; the same applies if subschemas nest too deep.
bool RunFast(const Program& program, NodeId start, const json::Value& instance, Budget& budget);
// Every violation with its message; none if the instance is valid. Draws on the budget likewise.
std::vector<Violation> RunCollecting(const Program& program, NodeId start, const json::Value& instance,
                                     std::size_t max_violations, Budget& budget);

// "limit": a bound was exceeded.
Violation LimitViolation(const Program& program, const Budget& budget);

}  // namespace openseat::schema
