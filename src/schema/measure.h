// The size of a JSON value, computed without recursion.
#pragma once

#include <cstddef>

#include "base/json.h"

namespace openseat::schema {

struct Measure {
  std::size_t bytes = 0;  // about the length of json::Write's output
  std::size_t nodes = 0;  // values
  std::size_t depth = 0;  // nested arrays and objects
};

// Stops once a limit is exceeded; the measure then says which.
Measure MeasureValue(const json::Value& value, const Measure& limits);
Measure MeasureAll(const json::Value& value);
// About how much all of it takes in memory, in bytes.
std::size_t MemoryOf(const json::Value& value);

}  // namespace openseat::schema
