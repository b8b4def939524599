#include "testing/json_fuzz.h"

#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

namespace openseat::testing {
namespace {

constexpr std::array<std::string_view, 9> kTexts = {"", " ", "0", "x", "é", "null", "rock", "position", "__proto__"};

json::Value RandomNumber(Rng& rng) {
  switch (rng.Below(6)) {
    case 0:
      return std::numeric_limits<std::int64_t>::min();
    case 1:
      return std::numeric_limits<std::uint64_t>::max();
    case 2:
      return 1e300;
    case 3:
      return rng.Unit() * 10;
    case 4:
      return static_cast<double>(rng.Between(-3, 10));
    default:
      return rng.Between(-3, 10);
  }
}

json::Value RandomText(Rng& rng) {
  if (rng.Chance(0.02)) return json::String(5000, 'a');
  return json::Value(kTexts[rng.Below(kTexts.size())]);
}

// Changes a scalar, or replaces any value by another.
void MutateHere(json::Value& value, Rng& rng) {
  if (value.is_int64() && rng.Chance(0.7)) {
    if (rng.Chance(0.3)) {
      value = static_cast<double>(value.get_int64());
    } else {
      value = value.get_int64() + rng.Between(-2, 2);
    }
  } else if (value.is_bool() && rng.Chance(0.5)) {
    value = !value.get_bool();
  } else if (value.is_string() && rng.Chance(0.5)) {
    value.get_string().push_back('!');
  } else {
    value = RandomJson(rng, 2);
  }
}

void MutateObject(json::Object& object, Rng& rng) {
  if (object.empty() || rng.Chance(0.3)) {
    object[kTexts[rng.Below(kTexts.size())]] = RandomJson(rng, 1);
    return;
  }
  const auto member = object.begin() + static_cast<std::ptrdiff_t>(rng.Below(object.size()));
  if (rng.Chance(0.2)) {
    object.erase(member);
  } else {
    member->value() = Mutated(member->value(), rng);
  }
}

void MutateArray(json::Array& array, Rng& rng) {
  if (array.empty() || rng.Chance(0.2)) {
    array.push_back(RandomJson(rng, 1));
    return;
  }
  const auto item = array.begin() + static_cast<std::ptrdiff_t>(rng.Below(array.size()));
  if (rng.Chance(0.2)) {
    array.erase(item);
  } else {
    *item = Mutated(*item, rng);
  }
}

}  // namespace

json::Value RandomJson(Rng& rng, int depth) {
  switch (rng.Below(depth > 0 ? 6 : 4)) {
    case 0:
      return nullptr;
    case 1:
      return rng.Chance(0.5);
    case 2:
      return RandomNumber(rng);
    case 3:
      return RandomText(rng);
    case 4: {
      json::Array array;
      for (std::uint64_t left = rng.Below(4); left > 0; --left) array.push_back(RandomJson(rng, depth - 1));
      return array;
    }
    default: {
      json::Object object;
      for (std::uint64_t left = rng.Below(3); left > 0; --left) {
        object[kTexts[rng.Below(kTexts.size())]] = RandomJson(rng, depth - 1);
      }
      return object;
    }
  }
}

json::Value Mutated(const json::Value& value, Rng& rng) {
  json::Value out = value;
  if (out.is_object() && rng.Chance(0.9)) {
    MutateObject(out.get_object(), rng);
  } else if (out.is_array() && rng.Chance(0.9)) {
    MutateArray(out.get_array(), rng);
  } else {
    MutateHere(out, rng);
  }
  return out;
}

}  // namespace openseat::testing
