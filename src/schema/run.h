// Running a program against an instance.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/json.h"
#include "schema/program.h"
#include "schema/schema.h"

namespace openseat::schema {

// Takes what it uses from `steps`; an instance that needs more, or all of them, is not valid.
class Evaluated;
struct State;

// The general way, for nodes that no kernel fits. REQUIRES the value's type to be one that the node allows.
bool ApplyGenerally(State& state, NodeId id, const json::Value& value, Evaluated* evaluated);

bool RunFast(const Program& program, NodeId start, const json::Value& instance, std::uint64_t& steps);
// Every violation with its words; none where the instance is valid.
std::vector<Violation> RunCollecting(const Program& program, NodeId start, const json::Value& instance,
                                     std::size_t max_violations);

// "limit": a bound was exceeded.
Violation LimitViolation(const Program& program);

}  // namespace openseat::schema
