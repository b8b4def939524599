// The quick way to a verdict: no words, and what was evaluated noted only where asked for.
#pragma once

#include "base/json.h"
#include "schema/evaluated.h"
#include "schema/program.h"
#include "schema/state.h"

namespace openseat::schema {

// Whether `value` is valid by the node. Notes nothing of what was evaluated.
bool QuickCheck(State& state, NodeId id, const json::Value& value);

// The same, noting in `evaluated` which items or members some part of the node looked at.
bool QuickCheckNoting(State& state, NodeId id, const json::Value& value, Evaluated& evaluated);

}  // namespace openseat::schema
