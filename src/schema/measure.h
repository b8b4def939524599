// The size of a JSON value, computed without recursion.
#pragma once

#include <cstddef>
#include <string_view>

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
// The length of json::WriteString's output. Valid UTF-8 is measured exactly.
std::size_t WrittenBytes(std::string_view text);
// The length of json::Write's output, escapes included, or a little more. What is beyond `most` is not looked at; the
// result is larger than `most` then.
std::size_t WrittenBytes(const json::Value& value, std::size_t most);
// About how much all of it takes in memory, in bytes.
std::size_t MemoryOf(const json::Value& value);

}  // namespace openseat::schema
