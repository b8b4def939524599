// enum: the values grouped by kind, so most instances are decided by a bit, a hash or a short search.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/json.h"
#include "schema/validate/key_table.h"

namespace openseat::schema {

struct Enum {
  KeyTable strings;
  std::vector<std::int64_t> integers;  // sorted
  std::uint64_t small = 0;             // bit n: n is among the integers
  bool has_null = false;
  bool has_true = false;
  bool has_false = false;
  std::vector<const json::Value*> others;  // fractions, beyond int64, arrays, objects
  std::span<const json::Value> values;     // as written
  std::uint64_t weight = 0;                // maximum cost of comparing with all of `others`, in JSON values
};

// REQUIRES `values` to outlive the result.
Enum EnumOf(std::span<const json::Value> values);

bool IsTextAmong(const Enum& values, const json::Value& text);
// `value` is not a string.
bool IsOtherAmong(const Enum& values, const json::Value& value);

inline bool IsSmallInteger(const json::Value& value) {
  return value.is_int64() && static_cast<std::uint64_t>(value.get_int64()) < 64;
}
// REQUIRES IsSmallInteger(value).
inline bool IsSmallAmong(const Enum& values, const json::Value& value) {
  return ((values.small >> value.get_int64()) & 1) != 0;
}

}  // namespace openseat::schema
