// The quick way to a verdict: no words, and what was evaluated noted only where asked for.
#pragma once

#include "base/json.h"
#include "schema/evaluated.h"
#include "schema/program.h"
#include "schema/state.h"

namespace openseat::schema {

// Whether `value` is valid by the node. Notes nothing of what was evaluated.
bool QuickCheck(State& state, NodeId id, const json::Value& value);

// Whether the members are valid, noting those that were looked at.
bool QuickCheckMembers(State& state, const QuickMembers& members, const json::Object& object, Evaluated& evaluated);

}  // namespace openseat::schema
