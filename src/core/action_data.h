// What the data of a choice is taken for before it is held against the action's schema. Pure, any thread.
#pragma once

#include "base/json.h"
#include "core/action.h"

namespace openseat {

// An action without a schema takes no data: null. Whoever gives none to one that has a schema means an object without
// members, or null where the schema takes null and no such object (Rust's unit type).
// What looking at the schema takes comes from `budget`.
void FillInData(const Action& action, json::Value& data, schema::Budget& budget);

}  // namespace openseat
