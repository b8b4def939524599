// The state of one run of a program, shared by the quick kernels (quick.h) and the general runner (runner.h).
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.h"
#include "schema/schema.h"
#include "schema/validate/program.h"

namespace openseat::schema {

// The dynamic scope: the resources entered on the path here, innermost first. Kept only for $dynamicRef.
struct Scope {
  std::uint32_t resource;
  const Scope* outer;
};

// kNoNode if the resource has no such anchor.
inline NodeId TargetIn(const DynamicTargets& targets, std::uint32_t resource) {
  const auto at = std::lower_bound(targets.begin(), targets.end(), std::pair(resource, NodeId{0}));
  return at != targets.end() && at->first == resource ? at->second : kNoNode;
}

struct State {
  State(const Program& the_program, std::uint64_t max_steps)
      : program(the_program),
        nodes(the_program.quick.nodes.data()),
        steps(max_steps),
        depth(the_program.limits.max_run_depth) {}

  const Program& program;
  const QuickNode* nodes;   // of the quick program
  std::uint64_t steps = 0;  // left: subschemas applied to containers, members and items examined
  std::uint32_t depth = 0;  // left: nested subschemas
  bool exhausted = false;   // a bound was exceeded: the instance is not valid, whatever else is found
  const Scope* scope = nullptr;
  std::vector<Violation>* found = nullptr;
  std::size_t max_found = 0;

  bool Spend(std::uint64_t amount) {
    if (steps > amount) [[likely]] {
      steps -= amount;
      return true;
    }
    exhausted = true;
    return false;
  }
  // Every true must be followed by a Leave.
  bool Enter(std::uint64_t amount) {
    if (depth == 0 || !Spend(amount)) [[unlikely]] {
      exhausted = true;
      return false;
    }
    --depth;
    return true;
  }
  void Leave() { ++depth; }
};

inline constexpr std::array<std::uint8_t, 8> kBitOfKind = [] {
  std::array<std::uint8_t, 8> bits{};
  const auto set = [&](json::Kind kind, std::uint8_t bit) { bits[static_cast<std::size_t>(kind)] = bit; };
  set(json::Kind::null, kNull);
  set(json::Kind::bool_, kBoolean);
  set(json::Kind::int64, kInteger);
  set(json::Kind::uint64, kInteger);
  set(json::Kind::double_, kFraction);
  set(json::Kind::string, kString);
  set(json::Kind::array, kArray);
  set(json::Kind::object, kObject);
  return bits;
}();

inline bool HasType(std::uint8_t types, const json::Value& value) {
  if ((types & kBitOfKind[static_cast<std::size_t>(value.kind())]) != 0) return true;
  return value.is_double() && (types & kInteger) != 0 && json::IsInteger(value);
}

inline bool MatchesPattern(State& state, std::uint32_t pattern, std::string_view text) {
  const Regex::Outcome outcome = state.program.patterns[pattern].Match(text, state.steps);
  if (outcome == Regex::Outcome::kLimit) state.exhausted = true;
  return outcome == Regex::Outcome::kYes;
}

inline bool MatchesFormat(State& state, Format format, std::string_view text) {
  const bool is_hard = format == Format::kRegex || format == Format::kIdnHostname || format == Format::kIdnEmail;
  return state.Spend(32 + (is_hard ? text.size() * 4 : text.size() / 4)) && HasFormat(format, text);
}

[[gnu::noinline]] inline bool IsOtherAmong(State& state, const Enum& values, const json::Value& value) {
  if ((value.is_array() || value.is_object()) && !state.Spend(values.weight / 4 + 1)) return false;
  return IsOtherAmong(values, value);
}
[[gnu::always_inline]] inline bool IsAmong(State& state, const Enum& values, const json::Value& value) {
  if (value.is_string()) return IsTextAmong(values, value);
  if (IsSmallInteger(value)) return IsSmallAmong(values, value);
  return IsOtherAmong(state, values, value);
}

}  // namespace openseat::schema
