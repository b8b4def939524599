#include "schema/generate/wanted.h"

#include <algorithm>

namespace openseat::schema {
namespace {

constexpr std::size_t kMaxWanted = 200;
constexpr std::uint64_t kStepsOfWanted = 10;

template <typename Table>
auto* At(const Table& table, const Instruction& instruction) {
  return &table[instruction.a];
}

}  // namespace

Collector::Collector(const Program& program, Budget& budget) : program_(program), budget_(budget) {}

void Collector::Add(NodeId start, bool smallest, Rng& rng, Wanted& wanted) const {
  std::vector<NodeId> open;
  const auto next = [&]() -> std::optional<NodeId> {
    if (open.empty()) return std::nullopt;
    const NodeId id = open.back();
    open.pop_back();
    return id;
  };
  for (std::optional<NodeId> added = start; added; added = next()) {
    const NodeId id = *added;
    const std::uint64_t steps = kStepsOfWanted + wanted.nodes.size() / 8;
    if (wanted.nodes.size() >= kMaxWanted || !budget_.Spend(steps)) break;
    if (std::ranges::find(wanted.nodes, id) != wanted.nodes.end()) continue;
    wanted.nodes.push_back(id);
    const Node& node = program_.nodes[id];
    wanted.types &= node.types;
    AddConstraints(node, wanted);
    if (const json::Object* object = program_.origins[id].schema->if_object()) {
      const json::Value* format = json::Find(*object, "format");
      if (format != nullptr && format->is_string()) {
        if (const auto known = FindFormat(json::View(format->get_string()))) wanted.format = known;
      }
    }
    for (std::uint32_t at = node.begin[kEverything]; at < node.begin[kGroupCount]; ++at) {
      const Instruction& instruction = program_.code[at];
      switch (instruction.op) {
        case Op::kEnum: {
          const Enum* values = At(program_.enums, instruction);
          if (wanted.values == nullptr || values->values.size() < wanted.values->values.size()) wanted.values = values;
          break;
        }
        case Op::kConst:
          wanted.constant = program_.constants[instruction.a];
          break;
        case Op::kReference:
          open.push_back(instruction.a);
          break;
        case Op::kDynamicReference:
          open.push_back(program_.dynamic_references[instruction.a].fallback);
          break;
        case Op::kAllOf:
          // Only as much as will be examined.
          for (const NodeId child : program_.lists[instruction.a]) {
            if (open.size() < kMaxWanted) open.push_back(child);
          }
          break;
        case Op::kAnyOf:
        case Op::kOneOf:
          open.push_back(Choose(program_.lists[instruction.a], smallest, wanted.types, rng));
          break;
        case Op::kIf: {
          const Conditional& conditional = program_.conditionals[instruction.a];
          if (rng.Chance(0.5)) {
            open.push_back(conditional.condition);
            if (conditional.then != kNoNode) open.push_back(conditional.then);
          } else if (conditional.otherwise != kNoNode) {
            open.push_back(conditional.otherwise);
          }
          break;
        }
        default:
          break;
      }
    }
  }
}

void Collector::AddConstraints(const Node& node, Wanted& wanted) const {
  for (std::uint32_t at = node.begin[0]; at < node.begin[kEverything]; ++at) {
    const Instruction& instruction = program_.code[at];
    const std::uint64_t count = instruction.count;
    switch (instruction.op) {
      case Op::kMinimum:
        wanted.numbers.NarrowLower(*program_.numbers[instruction.a], false);
        break;
      case Op::kExclusiveMinimum:
        wanted.numbers.NarrowLower(*program_.numbers[instruction.a], true);
        break;
      case Op::kMaximum:
        wanted.numbers.NarrowUpper(*program_.numbers[instruction.a], false);
        break;
      case Op::kExclusiveMaximum:
        wanted.numbers.NarrowUpper(*program_.numbers[instruction.a], true);
        break;
      case Op::kMultipleOf:
        wanted.numbers.divisors.push_back(program_.numbers[instruction.a]);
        break;
      case Op::kMinLength:
        wanted.min_length = std::max(wanted.min_length, count);
        break;
      case Op::kMaxLength:
        wanted.max_length = std::min(wanted.max_length, count);
        break;
      case Op::kPattern:
        wanted.patterns.push_back(instruction.a);
        break;
      case Op::kMinItems:
        wanted.min_items = std::max(wanted.min_items, count);
        break;
      case Op::kMaxItems:
        wanted.max_items = std::min(wanted.max_items, count);
        break;
      case Op::kItems:
        wanted.items.push_back(At(program_.items, instruction));
        break;
      case Op::kContains:
        wanted.contains.push_back(At(program_.contains, instruction));
        break;
      case Op::kUniqueItems:
        wanted.unique = true;
        break;
      case Op::kMinProperties:
        wanted.min_properties = std::max(wanted.min_properties, count);
        break;
      case Op::kMaxProperties:
        wanted.max_properties = std::min(wanted.max_properties, count);
        break;
      case Op::kMembers:
        wanted.members.push_back(At(program_.members, instruction));
        break;
      case Op::kPropertyNames:
        wanted.property_names.push_back(instruction.a);
        break;
      case Op::kDependentRequired:
        wanted.dependent_required.push_back(At(program_.dependent_required, instruction));
        break;
      case Op::kDependentSchemas:
        wanted.dependent_schemas.push_back(At(program_.dependent_schemas, instruction));
        break;
      default:
        break;
    }
  }
  if (node.begin[kNumbers] != node.begin[kStrings]) wanted.hinted_types |= kInteger | kFraction;
  if (node.begin[kStrings] != node.begin[kArrays]) wanted.hinted_types |= kString;
  if (node.begin[kArrays] != node.begin[kObjects]) wanted.hinted_types |= kArray;
  if (node.begin[kObjects] != node.begin[kEverything]) wanted.hinted_types |= kObject;
}

NodeId Collector::Choose(const std::vector<NodeId>& list, bool smallest, std::uint8_t types, Rng& rng) const {
  budget_.Spend(list.size());
  std::vector<NodeId> good;
  std::uint32_t least = kNever;
  for (const NodeId node : list) {
    if ((program_.nodes[node].types & types) != 0) least = std::min(least, HeightOf(node));
  }
  for (const NodeId node : list) {
    if ((program_.nodes[node].types & types) == 0) continue;
    if (HeightOf(node) == kNever ? least == kNever : !smallest || HeightOf(node) == least) good.push_back(node);
  }
  const std::vector<NodeId>& choices = good.empty() ? list : good;
  return choices[rng.Below(choices.size())];
}

// Bottom-up: nodes that need nothing have height 0, and every round adds those that need only known ones. A node's
// parts usually have higher numbers.
void Collector::ComputeHeights() const {
  constexpr int kMaxRounds = 100;
  heights_.assign(program_.nodes.size(), kNever);
  bool changed = true;
  for (int round = 0; changed && round < kMaxRounds; ++round) {
    changed = false;
    for (auto node = static_cast<NodeId>(heights_.size()); node-- > 0;) {
      if (!budget_.Spend(1 + (program_.nodes[node].begin[kGroupCount] - program_.nodes[node].begin[0]) / 2)) return;
      const std::uint32_t height = HeightNow(node);
      if (height < heights_[node]) {
        heights_[node] = height;
        changed = true;
      }
    }
  }
}

std::uint32_t Collector::HeightNow(NodeId id) const {
  const Node& node = program_.nodes[id];
  if (node.types == 0) return kNever;
  std::uint32_t height = 0;
  for (std::uint32_t at = node.begin[kEverything]; at < node.begin[kGroupCount]; ++at) {
    const Instruction& instruction = program_.code[at];
    switch (instruction.op) {
      case Op::kEnum:
      case Op::kConst:
        return 0;
      case Op::kReference:
        height = std::max(height, heights_[instruction.a]);
        break;
      case Op::kDynamicReference:
        height = std::max(height, heights_[program_.dynamic_references[instruction.a].fallback]);
        break;
      case Op::kAllOf:
        budget_.Spend(program_.lists[instruction.a].size() / 4);
        for (const NodeId child : program_.lists[instruction.a]) height = std::max(height, heights_[child]);
        break;
      case Op::kAnyOf:
      case Op::kOneOf: {
        std::uint32_t least = kNever;
        budget_.Spend(program_.lists[instruction.a].size() / 4);
        for (const NodeId child : program_.lists[instruction.a]) least = std::min(least, heights_[child]);
        height = std::max(height, least);
        break;
      }
      default:
        break;
    }
  }
  if ((node.types & ~(kArray | kObject)) != 0) return height;
  std::uint32_t least = kNever;
  if ((node.types & kArray) != 0) least = std::min(least, HeightOfArray(node));
  if ((node.types & kObject) != 0) least = std::min(least, HeightOfObject(node));
  return std::max(height, least);
}

std::uint32_t Collector::HeightOfArray(const Node& node) const {
  std::uint64_t count = 0;
  std::uint32_t height = 0;
  const auto need = [&](NodeId child) { height = std::max(height, std::min(heights_[child] + 1, kNever)); };
  for (std::uint32_t at = node.begin[kArrays]; at < node.begin[kObjects]; ++at) {
    const Instruction& instruction = program_.code[at];
    if (instruction.op == Op::kMinItems) count = instruction.count;
    if (instruction.op == Op::kItems && count > 0) {
      const Items& items = program_.items[instruction.a];
      budget_.Spend(items.prefix.size() / 4);
      for (std::size_t i = 0; i < items.prefix.size() && i < count; ++i) need(items.prefix[i]);
      if (count > items.prefix.size() && items.rest != kNoNode) need(items.rest);
    }
    if (instruction.op == Op::kContains && program_.contains[instruction.a].min > 0) {
      need(program_.contains[instruction.a].node);
    }
  }
  return height;
}

std::uint32_t Collector::HeightOfObject(const Node& node) const {
  std::uint32_t height = 0;
  for (std::uint32_t at = node.begin[kObjects]; at < node.begin[kEverything]; ++at) {
    const Instruction& instruction = program_.code[at];
    if (instruction.op != Op::kMembers) continue;
    const Members& members = program_.members[instruction.a];
    budget_.Spend(members.required.size() / 4);
    for (const std::uint32_t number : members.required) {
      const NodeId child = members.properties[number].node;
      if (child != kNoNode) height = std::max(height, std::min(heights_[child] + 1, kNever));
    }
  }
  return height;
}

}  // namespace openseat::schema
