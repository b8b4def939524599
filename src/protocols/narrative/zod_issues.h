// Why JSON does not fit a schema, in the words of Zod 3, which the narrative protocol's clients know: one
// {"path": [member or index, …], "message"} a reason, in the order of the schema's properties, unknown keys last.
#pragma once

#include <cstddef>

#include "base/json.h"
#include "schema/schema.h"

namespace openseat::narrative {

inline constexpr std::size_t kMaxIssues = 100;

// Empty exactly where the value is valid. Of schemas that are made of type, properties, required, additionalProperties,
// propertyNames, items, enum and bounds; of others the schema engine's own words stand in the message.
json::Array ZodIssues(const schema::Schema& schema, const json::Value& value);

}  // namespace openseat::narrative
