// Wanted: what a generated value must satisfy: several subschemas at once (a schema, what it refers to, all of
// its allOf, a chosen branch of its anyOf …), with their constraints side by side.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/rng.h"
#include "schema/generate/generate_scalar.h"
#include "schema/validate/program.h"

namespace openseat::schema {

struct Wanted {
  std::span<const NodeId> roots;  // the requested nodes; the value is checked against these
  std::vector<NodeId> nodes;      // those, and all that they apply in place, each once
  std::uint8_t types = kAllTypes;
  std::uint8_t hinted_types = 0;  // types that keywords mention but do not require
  const Enum* values = nullptr;   // the shortest enum
  const json::Value* constant = nullptr;
  NumberRange numbers;
  std::uint64_t min_length = 0;
  std::uint64_t max_length = std::numeric_limits<std::uint64_t>::max();
  std::vector<std::uint32_t> patterns;
  std::optional<Format> format;
  std::uint64_t min_items = 0;
  std::uint64_t max_items = std::numeric_limits<std::uint64_t>::max();
  bool unique = false;
  std::vector<const Items*> items;
  std::vector<const Contains*> contains;
  std::uint64_t min_properties = 0;
  std::uint64_t max_properties = std::numeric_limits<std::uint64_t>::max();
  std::vector<const Members*> members;
  std::vector<NodeId> property_names;
  std::vector<const DependentRequired*> dependent_required;
  std::vector<const DependentSchemas*> dependent_schemas;
};

// Collects what nodes require, choosing among alternatives at random; the same program, random numbers and calls give
// the same result.
class Collector {
 public:
  // All work draws on `budget`. REQUIRES both to outlive it.
  Collector(const Program& program, Budget& budget);

  // With `smallest`, chooses the alternative that needs the least nesting.
  void Add(NodeId node, bool smallest, Rng& rng, Wanted& wanted) const;
  // The minimum nesting of arrays and objects for a value of the node; kNever if no value is known to satisfy it.
  std::uint32_t HeightOf(NodeId node) const { return heights()[node]; }

  static constexpr std::uint32_t kNever = 1'000'000;

 private:
  void AddConstraints(const Node& node, Wanted& wanted) const;
  NodeId Choose(const std::vector<NodeId>& list, bool smallest, std::uint8_t types, Rng& rng) const;
  // Of all nodes; computed when first needed, which few schemas do.
  const std::vector<std::uint32_t>& heights() const {
    if (heights_.empty()) ComputeHeights();
    return heights_;
  }
  void ComputeHeights() const;
  std::uint32_t HeightNow(NodeId node) const;
  std::uint32_t HeightOfArray(const Node& node) const;
  std::uint32_t HeightOfObject(const Node& node) const;

  const Program& program_;
  Budget& budget_;
  mutable std::vector<std::uint32_t> heights_;
};

}  // namespace openseat::schema
