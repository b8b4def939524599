#include "schema/validate/enums.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "schema/measure.h"

namespace openseat::schema {
namespace {

// The value as int64, if it is a number that fits.
std::optional<std::int64_t> AsInteger(const json::Value& value) {
  if (value.is_int64()) return value.get_int64();
  if (value.is_uint64() && value.get_uint64() < std::uint64_t{1} << 63)
    return static_cast<std::int64_t>(value.get_uint64());
  if (const double* real = value.if_double();
      real != nullptr && json::IsInteger(value) && *real >= -0x1p63 && *real < 0x1p63) {
    return static_cast<std::int64_t>(*real);
  }
  return std::nullopt;
}

}  // namespace

Enum EnumOf(std::span<const json::Value> values) {
  Enum out;
  out.values = values;
  for (const json::Value& value : values) {
    if (value.is_null()) {
      out.has_null = true;
    } else if (const bool* truth = value.if_bool()) {
      (*truth ? out.has_true : out.has_false) = true;
    } else if (value.is_string()) {
      out.strings.Add(json::View(value.get_string()));
    } else if (const auto whole = AsInteger(value)) {
      out.integers.push_back(*whole);
      if (*whole >= 0 && *whole < 64) out.small |= std::uint64_t{1} << *whole;
    } else {
      out.others.push_back(&value);
    }
  }
  std::ranges::sort(out.integers);
  constexpr std::size_t kNoLimit = std::numeric_limits<std::size_t>::max();
  for (const json::Value* other : out.others) out.weight += MeasureValue(*other, {kNoLimit, kNoLimit, kNoLimit}).nodes;
  return out;
}

bool IsTextAmong(const Enum& values, const json::Value& text) {
  return values.strings.Find(json::View(text.get_string())) != KeyTable::kNone;
}

bool IsOtherAmong(const Enum& values, const json::Value& value) {
  if (value.is_null()) return values.has_null;
  if (const bool* truth = value.if_bool()) return *truth ? values.has_true : values.has_false;
  if (const auto whole = AsInteger(value)) return std::ranges::binary_search(values.integers, *whole);
  return std::ranges::any_of(values.others, [&](const json::Value* other) { return json::Equal(*other, value); });
}

}  // namespace openseat::schema
