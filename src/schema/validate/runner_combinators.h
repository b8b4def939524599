// Runner on keywords for any type: enum, const, references, allOf and the like, unevaluated*.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "schema/validate/runner.h"

namespace openseat::schema {

template <bool kCollect>
bool Runner<kCollect>::ApplyAny(NodeId id, const Instruction& instruction, const json::Value& value, const Path* path,
                                Evaluated* evaluated) {
  switch (instruction.op) {
    case Op::kEnum:
      return ApplyEnum(id, program_.enums[instruction.a], value, path);
    case Op::kConst: {
      const json::Value& constant = *program_.constants[instruction.a];
      if (!Spend(instruction.count)) return false;
      if (json::Equal(value, constant)) return true;
      if constexpr (kCollect) Report(id, path, "const", "must be " + Brief(constant) + "; got " + Brief(value));
      return false;
    }
    case Op::kReference:
      return Check(instruction.a, value, path, evaluated);
    case Op::kDynamicReference:
      return Check(DynamicTarget(program_.dynamic_references[instruction.a]), value, path, evaluated);
    case Op::kAllOf: {
      if (!Spend(program_.lists[instruction.a].size() / 4)) return false;
      bool ok = true;
      for (const NodeId node : program_.lists[instruction.a]) {
        if (!Check(node, value, path, evaluated) && !GoOn(ok)) return false;
      }
      return ok;
    }
    case Op::kAnyOf:
      return ApplyAnyOf(id, program_.lists[instruction.a], value, path, evaluated);
    case Op::kOneOf:
      return ApplyOneOf(id, program_.lists[instruction.a], value, path, evaluated);
    case Op::kNot:
      if (!Runner<false>(state_).Check(instruction.a, value, nullptr, nullptr)) return !state_.exhausted;
      return Report(id, path, "not", "must not match the schema in `not`");
    case Op::kIf:
      return ApplyIf(program_.conditionals[instruction.a], value, path, evaluated);
    case Op::kUnevaluatedItems:
      return ApplyUnevaluatedItems(id, instruction.a, value, path, evaluated);
    default:
      return ApplyUnevaluatedProperties(id, instruction.a, value, path, evaluated);
  }
}

template <bool kCollect>
bool Runner<kCollect>::ApplyEnum(NodeId id, const Enum& values, const json::Value& value, const Path* path) {
  if (IsAmong(state_, values, value)) [[likely]]
    return true;
  if constexpr (kCollect) Report(id, path, "enum", ExpectedEnum(values, value));
  return false;
}

template <bool kCollect>
NodeId Runner<kCollect>::DynamicTarget(const DynamicReference& reference) const {
  NodeId target = reference.fallback;
  for (const Scope* scope = state_.scope; scope != nullptr; scope = scope->outer) {
    if (const NodeId node = TargetIn(*reference.targets, scope->resource); node != kNoNode) target = node;
  }
  return target;
}

template <bool kCollect>
bool Runner<kCollect>::ApplyAnyOf(NodeId id, const std::vector<NodeId>& list, const json::Value& value,
                                  const Path* path, Evaluated* evaluated) {
  if (!Spend(list.size() / 4)) return false;
  bool matched = false;
  Runner<false> quiet(state_);
  for (const NodeId node : list) {
    if (evaluated == nullptr) {
      if (quiet.Check(node, value, nullptr, nullptr)) return true;
    } else {
      Evaluated branch;
      if (quiet.Check(node, value, nullptr, &branch)) {
        matched = true;
        evaluated->Merge(branch);
      }
    }
    if (state_.exhausted) return false;
  }
  if (matched) return true;
  if constexpr (kCollect) {
    ReportAlternatives(id, "anyOf", "must match at least one of " + Counted(list.size(), "alternative", "alternatives"),
                       list, value, path);
  }
  return false;
}

template <bool kCollect>
bool Runner<kCollect>::ApplyOneOf(NodeId id, const std::vector<NodeId>& list, const json::Value& value,
                                  const Path* path, Evaluated* evaluated) {
  if (!Spend(list.size() / 4)) return false;
  std::size_t first = list.size();
  Runner<false> quiet(state_);
  for (std::size_t i = 0; i < list.size(); ++i) {
    Evaluated branch;
    const bool matched = quiet.Check(list[i], value, nullptr, evaluated == nullptr ? nullptr : &branch);
    if (state_.exhausted) return false;
    if (!matched) continue;
    if (first != list.size()) {
      return Report(id, path, "oneOf",
                    "must match exactly one of " + Counted(list.size(), "alternative", "alternatives") +
                        "; it matches alternatives " + std::to_string(first + 1) + " and " + std::to_string(i + 1));
    }
    first = i;
    if (evaluated != nullptr) evaluated->Merge(branch);
  }
  if (first != list.size()) return true;
  if constexpr (kCollect) {
    ReportAlternatives(id, "oneOf", "must match exactly one of " + Counted(list.size(), "alternative", "alternatives"),
                       list, value, path);
  }
  return false;
}

template <bool kCollect>
void Runner<kCollect>::ReportAlternatives(NodeId id, std::string_view keyword, std::string expected,
                                          const std::vector<NodeId>& list, const json::Value& value, const Path* path) {
  if (IsFull()) return;
  std::vector<Violation>* const all = state_.found;
  const std::size_t max = state_.max_found;
  std::vector<Violation> nearest;
  for (const NodeId node : list) {
    std::vector<Violation> found;
    state_.found = &found;
    state_.max_found = 3;
    Check(node, value, path, nullptr);
    const auto depth = [](const std::vector<Violation>& violations) {
      const std::string& pointer = violations.front().instance_pointer;
      return std::count(pointer.begin(), pointer.end(), '/');
    };
    if (found.empty() || state_.exhausted) continue;
    if (nearest.empty() || depth(found) > depth(nearest) ||
        (depth(found) == depth(nearest) && found.size() < nearest.size())) {
      nearest = std::move(found);
    }
  }
  state_.found = all;
  state_.max_found = max;
  if (!nearest.empty()) expected += "; the closest says: " + Explain(nearest);
  Report(id, path, keyword, expected);
}

template <bool kCollect>
bool Runner<kCollect>::ApplyIf(const Conditional& conditional, const json::Value& value, const Path* path,
                               Evaluated* evaluated) {
  Evaluated branch;
  const bool holds =
      Runner<false>(state_).Check(conditional.condition, value, nullptr, evaluated == nullptr ? nullptr : &branch);
  if (state_.exhausted) return false;
  if (holds && evaluated != nullptr) evaluated->Merge(branch);
  const NodeId next = holds ? conditional.then : conditional.otherwise;
  return next == kNoNode || Check(next, value, path, evaluated);
}

template <bool kCollect>
bool Runner<kCollect>::ApplyUnevaluatedItems(NodeId id, NodeId node, const json::Value& value, const Path* path,
                                             Evaluated* evaluated) {
  const json::Array* array = value.if_array();
  if (array == nullptr || evaluated->all()) return true;
  if (!Spend(array->size() / 4 + 1)) return false;
  bool ok = true;
  for (std::size_t i = 0; i < array->size(); ++i) {
    if (evaluated->IsMarked(i)) continue;
    if constexpr (kCollect) {
      if (program_.nodes[node].types == 0) {
        const Path inner{path, {}, i, true};
        Report(id, &inner, "unevaluatedItems", "is not an item that the schema describes");
        if (!GoOn(ok)) return false;
        continue;
      }
    }
    if (!CheckItem(node, *array, i, path) && !GoOn(ok)) return false;
  }
  if (ok) evaluated->MarkAll();
  return ok;
}

template <bool kCollect>
bool Runner<kCollect>::ApplyUnevaluatedProperties(NodeId id, NodeId node, const json::Value& value, const Path* path,
                                                  Evaluated* evaluated) {
  const json::Object* object = value.if_object();
  if (object == nullptr || evaluated->all()) return true;
  if (!Spend(object->size() / 4 + 1)) return false;
  bool ok = true;
  std::size_t index = 0;
  for (const auto& member : *object) {
    if (evaluated->IsMarked(index++)) continue;
    if constexpr (kCollect) {
      if (program_.nodes[node].types == 0) {
        const Path inner{path, json::KeyOf(member)};
        Report(id, &inner, "unevaluatedProperties", "is not a property that the schema describes");
        if (!GoOn(ok)) return false;
        continue;
      }
    }
    if (!CheckMember(node, json::KeyOf(member), member.value(), path) && !GoOn(ok)) return false;
  }
  if (ok) evaluated->MarkAll();
  return ok;
}

}  // namespace openseat::schema
