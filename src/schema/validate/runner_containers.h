// Runner on arrays and objects.
#pragma once

#include <algorithm>
#include <array>
#include <boost/json/monotonic_resource.hpp>
#include <cstddef>
#include <limits>
#include <string>

#include "base/text.h"
#include "schema/validate/runner.h"
#include "schema/validate/unique.h"

namespace openseat::schema {

template <bool kCollect>
bool Runner<kCollect>::ApplyArrays(NodeId id, const Node& node, const json::Array& array, const Path* path,
                                   Evaluated* evaluated) {
  bool ok = true;
  for (std::uint32_t at = node.begin[kArrays]; at < node.begin[kArrays + 1]; ++at) {
    if (!ApplyArray(id, program_.code[at], array, path, evaluated) && !GoOn(ok)) return false;
  }
  return ok;
}

template <bool kCollect>
bool Runner<kCollect>::ApplyArray(NodeId id, const Instruction& instruction, const json::Array& array, const Path* path,
                                  Evaluated* evaluated) {
  switch (instruction.op) {
    case Op::kMinItems:
      return array.size() >= instruction.count || ReportSize(id, instruction, array.size(), path);
    case Op::kMaxItems:
      return array.size() <= instruction.count || ReportSize(id, instruction, array.size(), path);
    case Op::kItems:
      return ApplyItems(id, program_.items[instruction.a], array, path, evaluated);
    case Op::kContains:
      return ApplyContains(id, program_.contains[instruction.a], array, path, evaluated);
    default:
      return ApplyUnique(id, array, path);
  }
}

template <bool kCollect>
bool Runner<kCollect>::ReportSize(NodeId id, const Instruction& instruction, std::size_t size, const Path* path) {
  if constexpr (kCollect) {
    Report(id, path, KeywordOf(instruction.op), ExpectedLength(instruction.op, instruction.count, size));
  }
  return false;
}

template <bool kCollect>
bool Runner<kCollect>::ApplyItems(NodeId id, const Items& items, const json::Array& array, const Path* path,
                                  Evaluated* evaluated) {
  if (!Spend(array.size() / 4 + 1)) return false;
  bool ok = true;
  const std::size_t prefix = std::min(items.prefix.size(), array.size());
  for (std::size_t i = 0; i < prefix; ++i) {
    if (!CheckItem(items.prefix[i], array, i, path) && !GoOn(ok)) return false;
  }
  if (items.rest != kNoNode) {
    const Node& rest = program_.nodes[items.rest];
    if constexpr (kCollect) {
      if (rest.types == 0 && array.size() > prefix) return ReportSurplus(id, items, array, path);
    }
    if (!kCollect && rest.is_plain) {
      for (std::size_t i = prefix; i < array.size(); ++i) {
        if (!HasType(rest.types, array[i])) return false;
      }
    } else {
      for (std::size_t i = prefix; i < array.size(); ++i) {
        if (!CheckItem(items.rest, array, i, path) && !GoOn(ok)) return false;
      }
    }
  }
  if (evaluated != nullptr && ok) {
    if (items.rest != kNoNode) {
      evaluated->MarkAll();
    } else {
      for (std::size_t i = 0; i < prefix; ++i) evaluated->Mark(i);
    }
  }
  return ok;
}

template <bool kCollect>
bool Runner<kCollect>::ReportSurplus(NodeId id, const Items& items, const json::Array& array, const Path* path) {
  Report(id, path, items.rest_is_unevaluated ? "unevaluatedItems" : "items",
         ExpectedLength(Op::kMaxItems, items.prefix.size(), array.size()));
  return false;
}

template <bool kCollect>
bool Runner<kCollect>::ApplyContains(NodeId id, const Contains& contains, const json::Array& array, const Path* path,
                                     Evaluated* evaluated) {
  if (!Spend(array.size() / 4 + 1)) return false;
  std::uint64_t count = 0;
  const bool bounded = contains.max != std::numeric_limits<std::uint64_t>::max();
  Runner<false> quiet(state_);
  for (std::size_t i = 0; i < array.size(); ++i) {
    if (count >= contains.min && !bounded && evaluated == nullptr) break;
    if (!quiet.Check(contains.node, array[i], nullptr, nullptr)) {
      if (state_.exhausted) return false;
      continue;
    }
    ++count;
    if (evaluated != nullptr) evaluated->Mark(i);
  }
  if (count >= contains.min && count <= contains.max) return true;
  if constexpr (kCollect) {
    const bool few = count < contains.min;
    const std::string_view keyword = !few ? "maxContains" : contains.has_min ? "minContains" : "contains";
    Report(id, path, keyword,
           std::string("must have at ") + (few ? "least " : "most ") +
               Counted(few ? contains.min : contains.max, "item", "items") + " matching `contains`; got " +
               std::to_string(count));
  }
  return false;
}

template <bool kCollect>
bool Runner<kCollect>::ApplyUnique(NodeId id, const json::Array& array, const Path* path) {
  const auto equal = FindEqualItems(array, state_.steps);
  if (state_.steps == 0) {
    state_.exhausted = true;
    return false;
  }
  if (!equal) return true;
  if constexpr (kCollect) {
    Report(id, path, "uniqueItems",
           "must not contain the same item twice; items " + std::to_string(equal->first) + " and " +
               std::to_string(equal->second) + " are both " + Brief(array[equal->second]));
  }
  return false;
}

template <bool kCollect>
bool Runner<kCollect>::ApplyObjects(NodeId id, const Node& node, const json::Value& value, const Path* path,
                                    Evaluated* evaluated) {
  bool ok = true;
  for (std::uint32_t at = node.begin[kObjects]; at < node.begin[kObjects + 1]; ++at) {
    if (!ApplyObject(id, program_.code[at], value, path, evaluated) && !GoOn(ok)) return false;
  }
  return ok;
}

template <bool kCollect>
bool Runner<kCollect>::ApplyObject(NodeId id, const Instruction& instruction, const json::Value& value,
                                   const Path* path, Evaluated* evaluated) {
  const json::Object& object = value.get_object();
  switch (instruction.op) {
    case Op::kMinProperties:
      return object.size() >= instruction.count || ReportSize(id, instruction, object.size(), path);
    case Op::kMaxProperties:
      return object.size() <= instruction.count || ReportSize(id, instruction, object.size(), path);
    case Op::kMembers:
      return ApplyMembers(id, program_.members[instruction.a], object, path, evaluated);
    case Op::kPropertyNames:
      return ApplyPropertyNames(instruction.a, object, path);
    case Op::kDependentRequired:
      return ApplyDependentRequired(id, program_.dependent_required[instruction.a], object, path);
    default:
      break;
  }
  const auto& entries = program_.dependent_schemas[instruction.a].entries;
  if (!Spend(entries.size())) return false;
  bool ok = true;
  for (const auto& [name, schema] : entries) {
    if (json::Find(object, name) == nullptr) continue;
    if (!Check(schema, value, path, evaluated) && !GoOn(ok)) return false;
  }
  return ok;
}

template <bool kCollect>
bool Runner<kCollect>::ApplyMembers(NodeId id, const Members& members, const json::Object& object, const Path* path,
                                    Evaluated* evaluated) {
  bool ok = true;
  if constexpr (kCollect) {
    if (!Spend(members.required.size())) return false;
    for (const std::uint32_t number : members.required) {
      const std::string& name = members.names.text(number);
      if (json::Find(object, name) != nullptr) continue;
      Report(id, path, "required", "must have the property " + QuotedName(name));
      if (!GoOn(ok)) return false;
    }
  }
  const bool every = !members.patterns.empty() || members.additional != kNoNode || evaluated != nullptr;
  if (!every && object.size() > members.properties.size() * 2 + 8) {
    return ApplyFewMembers(members, object, path) && ok;
  }
  if (!Spend(object.size() / 4 + 1)) return false;
  std::uint32_t required = 0;
  std::size_t index = 0;
  for (const auto& member : object) {
    const std::string_view name = json::KeyOf(member);
    const std::uint32_t number = members.names.Find(name);
    bool known = false;
    if (number != KeyTable::kNone) {
      const Members::Property& property = members.properties[number];
      required += property.required ? 1 : 0;
      if (property.node != kNoNode) {
        known = true;
        if (!CheckMember(property.node, name, member.value(), path) && !GoOn(ok)) return false;
      }
    }
    if (every) {
      for (const auto& [pattern, node] : members.patterns) {
        if (!Matches(pattern, name)) {
          if (state_.exhausted) return false;
          continue;
        }
        known = true;
        if (!CheckMember(node, name, member.value(), path) && !GoOn(ok)) return false;
      }
      if (!known && members.additional != kNoNode) {
        known = true;
        if (!CheckAdditional(id, members, name, member.value(), path) && !GoOn(ok)) return false;
      }
      if (evaluated != nullptr && known) evaluated->Mark(index);
      ++index;
    }
  }
  return ok && required == members.required_count;
}

template <bool kCollect>
bool Runner<kCollect>::ApplyFewMembers(const Members& members, const json::Object& object, const Path* path) {
  if (!Spend(members.properties.size())) return false;
  bool ok = true;
  for (std::uint32_t number = 0; number < members.properties.size(); ++number) {
    const Members::Property& property = members.properties[number];
    const std::string& name = members.names.text(number);
    const json::Value* value = json::Find(object, name);
    if (value == nullptr) {
      if (property.required) ok = false;
      if (!kCollect && !ok) return false;
    } else if (property.node != kNoNode) {
      if (!CheckMember(property.node, name, *value, path) && !GoOn(ok)) return false;
    }
  }
  return ok;
}

template <bool kCollect>
bool Runner<kCollect>::CheckAdditional(NodeId id, const Members& members, std::string_view name,
                                       const json::Value& value, const Path* path) {
  if constexpr (kCollect) {
    if (program_.nodes[members.additional].types == 0) return ReportUnknown(id, members, name, path);
  }
  return CheckMember(members.additional, name, value, path);
}

template <bool kCollect>
bool Runner<kCollect>::ReportUnknown(NodeId id, const Members& members, std::string_view name, const Path* path) {
  std::string names;
  std::size_t listed = 0;
  for (std::uint32_t number = 0; number < members.properties.size(); ++number) {
    if (members.properties[number].node == kNoNode) continue;
    if (++listed > 20 || names.size() > kListedBytes) {
      names += " …";
      break;
    }
    if (!names.empty()) names += ", ";
    names += QuotedName(members.names.text(number));
  }
  std::string expected = "is not a known property";
  if (!names.empty()) expected += "; known are " + names;
  const Path inner{path, name};
  return Report(id, &inner, members.additional_is_unevaluated ? "unevaluatedProperties" : "additionalProperties",
                expected);
}

template <bool kCollect>
bool Runner<kCollect>::ApplyPropertyNames(NodeId names, const json::Object& object, const Path* path) {
  if (!Spend(object.size() / 4 + 1)) return false;
  const Node& node = program_.nodes[names];
  const bool strings_only = node.begin[kEverything] == node.begin[kGroupCount];
  bool ok = true;
  for (const auto& member : object) {
    const std::string_view name = json::KeyOf(member);
    const Path inner{path, name, 0, false, true};
    if (!kCollect && strings_only) {
      if ((node.types & kString) == 0) return false;
      if (!node.is_plain && !ApplyStrings(names, node, name, nullptr)) return false;
      continue;
    }
    std::array<unsigned char, 256> buffer;
    boost::json::monotonic_resource memory(buffer.data(), buffer.size());
    const json::Value value(boost::json::string_view(name.data(), name.size()), &memory);
    if (!Check(names, value, &inner, nullptr) && !GoOn(ok)) return false;
  }
  return ok;
}

template <bool kCollect>
bool Runner<kCollect>::ApplyDependentRequired(NodeId id, const DependentRequired& rule, const json::Object& object,
                                              const Path* path) {
  if (!Spend(rule.entries.size())) return false;
  bool ok = true;
  for (const DependentRequired::Entry& entry : rule.entries) {
    if (json::Find(object, entry.name) == nullptr) continue;
    if (!Spend(entry.required.size())) return false;
    for (const std::string& name : entry.required) {
      if (json::Find(object, name) != nullptr) continue;
      if constexpr (kCollect) {
        Report(id, path, entry.keyword,
               "must have the property " + QuotedName(name) + ", because it has " + QuotedName(entry.name), entry.name);
      }
      if (!GoOn(ok)) return false;
    }
  }
  return ok;
}

}  // namespace openseat::schema
