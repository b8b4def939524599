// Random JSON for tests: values out of nothing, and values that are almost right.
#pragma once

#include "base/json.h"
#include "base/rng.h"

namespace openseat::testing {

// Any kind of value, small; `depth` bounds the arrays and objects within one another.
json::Value RandomJson(Rng& rng, int depth = 3);
// `value` with one thing in it changed: a number a little off or beyond all bounds, another type, a member or an item
// more or less, an integer as a double. Now and then it is equal all the same.
json::Value Mutated(const json::Value& value, Rng& rng);

}  // namespace openseat::testing
