// Exact arithmetic on JSON numbers: int64, uint64 and double side by side, none rounded to another.
#pragma once

#include <cstdint>

#include "base/json.h"

namespace openseat::schema {

// -1, 0 or 1. REQUIRES two numbers, none of them NaN.
int CompareNumbers(const json::Value& a, const json::Value& b);

// Whether `number` is a whole multiple of `divisor`, both taken as the decimal numbers that they are written as: 0.0075
// is one of 0.0001, though the doubles' quotient is not whole. REQUIRES divisor > 0.
bool IsMultipleOf(const json::Value& number, const json::Value& divisor);

// minimum and its like, for instances that are int64: they satisfy the bound where they are on the right side of
// `whole` (which is included), unless none does.
struct WholeBound {
  std::int64_t whole = 0;
  bool never = false;
};
WholeBound LowerBound(const json::Value& limit, bool exclusive);
WholeBound UpperBound(const json::Value& limit, bool exclusive);

// The same for instances that are doubles: the nearest double on the right side.
double RealLowerBound(const json::Value& limit, bool exclusive);
double RealUpperBound(const json::Value& limit, bool exclusive);

}  // namespace openseat::schema
