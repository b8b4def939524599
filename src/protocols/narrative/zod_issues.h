// Why JSON does not fit a schema, in the words of Zod 3, which the narrative protocol's clients know: one {"path":
// [member or index, …], "message"} per reason, in the order of the schema's properties, unknown keys last.
#pragma once

#include <cstddef>

#include "base/json.h"
#include "schema/schema.h"

namespace openseat::narrative {

inline constexpr std::size_t kMaxIssues = 100;

// Empty exactly if the value is valid. For schemas that consist of type, properties, required, additionalProperties,
// propertyNames, items, enum and bounds; for others the message is the schema engine's own.
json::Array ZodIssues(const schema::Schema& schema, const json::Value& value);

}  // namespace openseat::narrative
