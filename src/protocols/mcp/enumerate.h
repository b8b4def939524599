// Enumerate: all values that a schema accepts, if they are few, so that a player can pick one instead of writing it.
// Pure; any thread.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "base/json.h"
#include "schema/schema.h"

namespace openseat::mcp {

// The values, in the schema's order. nullopt if there are more than `limit`, if the schema contains anything other than
// objects, arrays of fixed length, enum, const, booleans, nulls and bounded integers, or if the budget is not enough.
// Every value is valid.
std::optional<std::vector<json::Value>> Enumerate(const schema::Schema& schema, std::size_t limit,
                                                  schema::Budget& budget);

}  // namespace openseat::mcp
