// The difference between two JSON values as a JSON Patch (RFC 6902): a list of "add", "remove" and "replace", each with
// the JSON Pointer (RFC 6901) of a member or an item. Pure; any thread.
#pragma once

#include <string>

#include "base/json.h"
#include "base/result.h"

namespace openseat::json {

// Appends the patch that turns `before` into a value that equals `after` (json::Equal), as one line of ASCII: "[]" if
// they are equal already. Items that were inserted into or removed from an array do not repeat those around them.
void WriteDiff(const Value& before, const Value& after, std::string& out);

// Applies a patch made of these three operations to `value`. kInvalid, with the number of the operation, for anything
// else, and for a place that `value` does not have; then `value` is unusable.
Result<void> ApplyDiff(const Value& patch, Value& value);

}  // namespace openseat::json
