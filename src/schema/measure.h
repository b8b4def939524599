// How large a JSON value is, found without recursion.
#pragma once

#include <cstddef>

#include "base/json.h"

namespace openseat::schema {

struct Measure {
  std::size_t bytes = 0;  // about what json::Write gives
  std::size_t nodes = 0;  // values
  std::size_t depth = 0;  // arrays and objects within one another
};

// Stops once one of the limits is exceeded; the measure then says which.
Measure MeasureValue(const json::Value& value, const Measure& limits);

}  // namespace openseat::schema
