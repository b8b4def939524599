// Random JSON for tests: random values, and values that are almost right.
#pragma once

#include "base/json.h"
#include "base/rng.h"

namespace openseat::testing {

// Any kind of value, small; `depth` bounds the nesting of arrays and objects.
json::Value RandomJson(Rng& rng, int depth = 3);
// `value` with one change: a number a little off or beyond all bounds, another type, a member or an item more or less,
// an integer as a double. The result is sometimes equal to `value`.
json::Value Mutated(const json::Value& value, Rng& rng);

}  // namespace openseat::testing
