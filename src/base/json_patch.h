// JSON Patch (RFC 6902): how one value becomes another, in the operations add, remove and replace.
#pragma once

#include "base/json.h"

namespace openseat::json {

// The operations that turn `before` into `after`, in order; none if they are equal. Members are compared by name, and
// elements of arrays by their place, except those that are the same at both ends: so a list that grows, or moves up,
// costs what was added and removed.
Array MakePatch(const Value& before, const Value& after);

}  // namespace openseat::json
