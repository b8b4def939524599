#include "schema/validate/unique.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <string_view>
#include <vector>

namespace openseat::schema {
namespace {

constexpr std::size_t kFewItems = 12;

bool Spend(std::uint64_t& steps, std::uint64_t amount) {
  steps = steps > amount ? steps - amount : 0;
  return steps > 0;
}

std::uint64_t Mix(std::uint64_t a, std::uint64_t b) {
  const std::uint64_t mixed = (a ^ std::rotl(b, 31)) * 0x9E3779B97F4A7C15u;
  return mixed ^ (mixed >> 29);
}

// Equal values (json::Equal) have equal hashes: numbers by their double, objects in any order. As deep as the
// instance, whose depth the parser bounds.
std::uint64_t HashOf(const json::Value& value, std::uint64_t& steps) {
  if (!Spend(steps, 1)) return 0;
  switch (value.kind()) {
    case json::Kind::null:
      return 1;
    case json::Kind::bool_:
      return value.get_bool() ? 2 : 3;
    case json::Kind::int64:
      return Mix(4, std::bit_cast<std::uint64_t>(static_cast<double>(value.get_int64())));
    case json::Kind::uint64:
      return Mix(4, std::bit_cast<std::uint64_t>(static_cast<double>(value.get_uint64())));
    // -0.0 equals 0.
    case json::Kind::double_:
      return Mix(4, std::bit_cast<std::uint64_t>(value.get_double() + 0.0));
    case json::Kind::string:
      return Mix(5, std::hash<std::string_view>()(json::View(value.get_string())));
    case json::Kind::array: {
      std::uint64_t hash = 6;
      for (const json::Value& item : value.get_array()) hash = Mix(hash, HashOf(item, steps));
      return hash;
    }
    case json::Kind::object: {
      std::uint64_t sum = 7;
      for (const auto& member : value.get_object()) {
        sum += Mix(std::hash<std::string_view>()({member.key().data(), member.key().size()}),
                   HashOf(member.value(), steps));
      }
      return sum;
    }
  }
  return 0;
}

// For values that are not arrays or objects.
bool AreEqual(const json::Value& a, const json::Value& b) {
  if (a.is_string() && b.is_string()) {
    const std::string_view one = json::View(a.get_string());
    const std::string_view other = json::View(b.get_string());
    return one == other;
  }
  return (a.kind() == b.kind() || (a.is_number() && b.is_number())) && json::Equal(a, b);
}

}  // namespace

std::optional<std::pair<std::size_t, std::size_t>> FindEqualItems(const json::Array& items, std::uint64_t& steps) {
  const std::size_t size = items.size();
  if (!Spend(steps, size)) return std::nullopt;
  const bool simple = std::none_of(items.begin(), items.end(),
                                   [](const json::Value& item) { return item.is_array() || item.is_object(); });
  if (size <= kFewItems && simple) {
    for (std::size_t j = 1; j < size; ++j) {
      for (std::size_t i = 0; i < j; ++i) {
        if (AreEqual(items[i], items[j])) return std::pair(i, j);
      }
    }
    return std::nullopt;
  }
  std::vector<std::pair<std::uint64_t, std::size_t>> hashes;
  hashes.reserve(size);
  for (std::size_t i = 0; i < size; ++i) hashes.emplace_back(HashOf(items[i], steps), i);
  if (steps == 0) return std::nullopt;
  std::sort(hashes.begin(), hashes.end());
  for (std::size_t j = 1; j < size; ++j) {
    for (std::size_t i = j; i-- > 0 && hashes[i].first == hashes[j].first;) {
      if (!Spend(steps, 1)) return std::nullopt;
      const auto [first, second] = std::pair(hashes[i].second, hashes[j].second);
      if (json::Equal(items[first], items[second])) return std::pair(first, second);
    }
  }
  return std::nullopt;
}

}  // namespace openseat::schema
