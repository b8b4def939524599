// The fast path to a verdict: no messages, and marks of what was evaluated only if requested.
#pragma once

#include "base/json.h"
#include "schema/validate/evaluated.h"
#include "schema/validate/program.h"
#include "schema/validate/state.h"

namespace openseat::schema {

// Whether the node accepts `value`. Records no marks.
bool QuickCheck(State& state, NodeId id, const json::Value& value);

// The same, marking in `evaluated` which items or members some part of the node evaluated.
bool QuickCheckNoting(State& state, NodeId id, const json::Value& value, Evaluated& evaluated);

}  // namespace openseat::schema
