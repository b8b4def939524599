// How the data of a choice is interpreted before it is checked against the action's schema. Pure, any thread.
#pragma once

#include "base/json.h"
#include "core/action.h"

namespace openseat {

// An action without a schema takes no data: null. If an action with a schema gets no data, that means an object without
// members, or null if the schema accepts null and no such object (Rust's unit type).
// The work of looking at the schema is charged to `budget`.
void FillInData(const Action& action, json::Value& data, schema::Budget& budget);

}  // namespace openseat
