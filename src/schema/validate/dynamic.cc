#include "schema/validate/dynamic.h"

#include <algorithm>
#include <optional>
#include <set>
#include <vector>

#include "schema/validate/state.h"

namespace openseat::schema {
namespace {

// Each anchor requires a walk over all nodes; schemas have one or two.
constexpr std::size_t kMaxAnchors = 8;

// Calls `visit` with every node that the instruction applies; for a $dynamicRef, only with the first.
template <typename Visit>
void ForEachTarget(const Program& program, const Instruction& instruction, const Visit& visit) {
  const auto visit_some = [&](NodeId id) {
    if (id != kNoNode) visit(id);
  };
  switch (instruction.op) {
    case Op::kItems:
      for (const NodeId id : program.items[instruction.a].prefix) visit(id);
      visit_some(program.items[instruction.a].rest);
      break;
    case Op::kContains:
      visit(program.contains[instruction.a].node);
      break;
    case Op::kMembers: {
      const Members& members = program.members[instruction.a];
      for (const Members::Property& property : members.properties) visit_some(property.node);
      for (const auto& [regex, id] : members.patterns) visit(id);
      visit_some(members.additional);
      break;
    }
    case Op::kDependentSchemas:
      for (const auto& [name, id] : program.dependent_schemas[instruction.a].entries) visit(id);
      break;
    case Op::kPropertyNames:
    case Op::kReference:
    case Op::kNot:
    case Op::kUnevaluatedItems:
    case Op::kUnevaluatedProperties:
      visit(instruction.a);
      break;
    case Op::kDynamicReference:
      visit(program.dynamic_references[instruction.a].fallback);
      break;
    case Op::kAllOf:
    case Op::kAnyOf:
    case Op::kOneOf:
      for (const NodeId id : program.lists[instruction.a]) visit(id);
      break;
    case Op::kIf:
      visit(program.conditionals[instruction.a].condition);
      visit_some(program.conditionals[instruction.a].then);
      visit_some(program.conditionals[instruction.a].otherwise);
      break;
    default:
      break;
  }
}

bool IsOfAnchor(const Program& program, const Instruction& instruction, const DynamicTargets& targets) {
  return instruction.op == Op::kDynamicReference && program.dynamic_references[instruction.a].targets == &targets;
}

// The anchor of the first resource that has one, if every path from the root enters the same one first. A $dynamicRef
// leads to the outermost such resource. nullopt if paths differ, or if a reference may come before it.
std::optional<NodeId> OnlyTarget(const Program& program, const DynamicTargets& targets) {
  std::vector<bool> seen(program.nodes.size());
  std::set<const DynamicTargets*> seen_targets;  // many references share each
  std::vector<NodeId> open{program.root};
  std::optional<NodeId> target;
  while (!open.empty()) {
    const NodeId id = open.back();
    open.pop_back();
    if (seen[id]) continue;
    seen[id] = true;
    const Node& node = program.nodes[id];
    if (const NodeId anchor = TargetIn(targets, node.resource); anchor != kNoNode) {
      if (target && *target != anchor) return std::nullopt;
      target = anchor;
      continue;
    }
    for (std::uint32_t at = node.begin[0]; at < node.begin[kGroupCount]; ++at) {
      const Instruction& instruction = program.code[at];
      if (IsOfAnchor(program, instruction, targets)) return std::nullopt;
      ForEachTarget(program, instruction, [&](NodeId next) { open.push_back(next); });
      if (instruction.op != Op::kDynamicReference) continue;
      const DynamicTargets* const others = program.dynamic_references[instruction.a].targets;
      if (!seen_targets.insert(others).second) continue;
      for (const auto& [resource, next] : *others) open.push_back(next);
    }
  }
  return target;
}

}  // namespace

void ResolveDynamicReferences(Program& program) {
  if (!program.has_dynamic_references) return;
  if (program.dynamic_targets.size() <= kMaxAnchors) {
    for (const auto& [name, targets] : program.dynamic_targets) {
      const std::optional<NodeId> target = OnlyTarget(program, targets);
      if (!target) continue;
      for (Instruction& instruction : program.code) {
        if (!IsOfAnchor(program, instruction, targets)) continue;
        instruction.op = Op::kReference;
        instruction.a = *target;
      }
    }
  }
  program.has_dynamic_references = std::ranges::any_of(
      program.code, [](const Instruction& instruction) { return instruction.op == Op::kDynamicReference; });
}

}  // namespace openseat::schema
