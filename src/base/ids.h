// Strong types for identifiers: a TableId cannot be passed where an AgentId is expected.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace openseat {

template <typename Tag>
class StringId {
 public:
  StringId() = default;
  explicit StringId(std::string value) {
    if (!value.empty()) value_ = std::make_shared<const std::string>(std::move(value));
  }

  const std::string& str() const {
    if (value_) return *value_;
    static const std::string empty;
    return empty;
  }
  bool empty() const { return value_ == nullptr; }
  bool operator==(const StringId& other) const { return value_ == other.value_ || str() == other.str(); }
  auto operator<=>(const StringId& other) const { return str() <=> other.str(); }

 private:
  std::shared_ptr<const std::string> value_;  // shared by all copies: a table's id is in a dozen places; null if empty
};

template <typename Tag>
class NumberId {
 public:
  constexpr NumberId() = default;
  constexpr explicit NumberId(std::uint64_t value) : value_(value) {}

  constexpr std::uint64_t value() const { return value_; }
  // 0 is never assigned.
  constexpr explicit operator bool() const { return value_ != 0; }
  constexpr NumberId Next() const { return NumberId(value_ + 1); }
  constexpr auto operator<=>(const NumberId&) const = default;

 private:
  std::uint64_t value_ = 0;
};

}  // namespace openseat

template <typename Tag>
struct std::hash<openseat::StringId<Tag>> {
  std::size_t operator()(const openseat::StringId<Tag>& id) const noexcept {
    return std::hash<std::string>()(id.str());
  }
};

template <typename Tag>
struct std::hash<openseat::NumberId<Tag>> {
  std::size_t operator()(openseat::NumberId<Tag> id) const noexcept { return std::hash<std::uint64_t>()(id.value()); }
};
