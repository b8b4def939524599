// Enumerate: all values that a schema accepts, where they are few: so that whoever plays picks one instead of writing
// it. Pure; any thread.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "base/json.h"
#include "schema/schema.h"

namespace openseat::mcp {

// The values, in the schema's order; nullopt where there are more than `limit`, the schema is not made of objects,
// arrays of fixed length, enum, const, booleans, nulls and bounded integers alone, or the budget is not enough. Every
// value is valid.
std::optional<std::vector<json::Value>> Enumerate(const schema::Schema& schema, std::size_t limit,
                                                  schema::Budget& budget);

}  // namespace openseat::mcp
