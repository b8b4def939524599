// Exact arithmetic on JSON numbers: int64, uint64 and double, without rounding one to another.
#pragma once

#include <cstdint>

#include "base/json.h"

namespace openseat::schema {

// -1, 0 or 1. REQUIRES two numbers, neither NaN.
int CompareNumbers(const json::Value& a, const json::Value& b);

// Whether `number` is a whole multiple of `divisor`, both as the decimal numbers written: 0.0075
// is a multiple of 0.0001, although the doubles' quotient is not whole. REQUIRES divisor > 0.
bool IsMultipleOf(const json::Value& number, const json::Value& divisor);

// minimum and the like, for int64 instances: the bound holds if they are on the right side of
// `whole` (inclusive), unless none can.
struct WholeBound {
  std::int64_t whole = 0;
  bool never = false;
};
WholeBound LowerBound(const json::Value& limit, bool exclusive);
WholeBound UpperBound(const json::Value& limit, bool exclusive);

// The same for double instances: the nearest double on the right side.
double RealLowerBound(const json::Value& limit, bool exclusive);
double RealUpperBound(const json::Value& limit, bool exclusive);

}  // namespace openseat::schema
