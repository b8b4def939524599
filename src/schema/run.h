// Running a program against an instance.
#pragma once

#include <cstddef>
#include <vector>

#include "base/json.h"
#include "schema/program.h"
#include "schema/schema.h"

namespace openseat::schema {

bool RunFast(const Program& program, NodeId start, const json::Value& instance);
std::vector<Violation> RunCollecting(const Program& program, NodeId start, const json::Value& instance,
                                     std::size_t max_violations);

}  // namespace openseat::schema
