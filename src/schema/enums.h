// enum: the values sorted by kind, so that most instances are decided by a bit, a hash or a short search.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/json.h"
#include "schema/key_table.h"

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
  std::uint64_t weight = 0;                // what comparing with all of `others` costs at most, in JSON values
};

// REQUIRES `values` to outlive the result.
Enum EnumOf(std::span<const json::Value> values);

bool IsTextAmong(const Enum& values, const json::Value& text);
bool IsAmongSlowly(const Enum& values, const json::Value& value);

inline bool IsAmong(const Enum& values, const json::Value& value) {
  if (const std::int64_t* whole = value.if_int64(); whole != nullptr && *whole >= 0 && *whole < 64) {
    return ((values.small >> *whole) & 1) != 0;
  }
  if (value.is_string()) return IsTextAmong(values, value);
  return IsAmongSlowly(values, value);
}

}  // namespace openseat::schema
