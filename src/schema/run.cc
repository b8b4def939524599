#include "schema/run.h"

#include <algorithm>
#include <array>
#include <boost/json/monotonic_resource.hpp>
#include <string>
#include <string_view>
#include <utility>

#include "schema/evaluated.h"
#include "schema/explain.h"
#include "schema/keywords.h"
#include "schema/numbers.h"
#include "schema/unique.h"
#include "schema/uri.h"
#include "schema/utf8.h"

namespace openseat::schema {
namespace {

using Path = InstancePath;

constexpr std::uint64_t kPatternSteps = 32;  // what a match costs, against one subschema applied

// The dynamic scope: the resources entered on the way to here, from the innermost outwards. Kept for $dynamicRef only.
struct Scope {
  std::uint32_t resource;
  const Scope* outer;
};

struct State {
  const Program& program;
  std::uint64_t steps = 0;
  std::uint32_t depth = 0;
  bool exhausted = false;  // a bound was exceeded: whatever else is found, the instance is not valid
  const Scope* scope = nullptr;
  std::vector<Violation>* found = nullptr;
  std::size_t max_found = 0;
};

constexpr std::array<std::uint8_t, 8> kBitOfKind = [] {
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

inline std::string_view KeyOf(const boost::json::key_value_pair& member) {
  return {member.key().data(), member.key().size()};
}

// One body for both questions: with kCollect every violation is worded and kept and the search goes on; without, the
// first ends it.
template <bool kCollect>
class Runner {
 public:
  explicit Runner(State& state) : state_(state), program_(state.program) {}

  // `evaluated` is where to note what of `value` this node looks at, or null where nobody asks.
  bool Check(NodeId id, const json::Value& value, const Path* path, Evaluated* evaluated) {
    const Node& node = program_.nodes[id];
    if (!HasType(node.types, value)) [[unlikely]] {
      if constexpr (kCollect) {
        Report(id, path, node.types == 0 ? "" : "type", ExpectedType(node.types, value));
      }
      return false;
    }
    if (node.is_plain) return true;
    return Apply(id, node, value, path, evaluated);
  }

 private:
  // --- bookkeeping

  bool Spend(std::uint64_t steps) {
    if (state_.steps > steps) [[likely]] {
      state_.steps -= steps;
      return true;
    }
    state_.exhausted = true;
    return false;
  }

  bool IsFull() const { return state_.exhausted || state_.found->size() >= state_.max_found; }

  // `keyword` "" is the schema false.
  bool Report(NodeId id, const Path* path, std::string_view keyword, const std::string& expected,
              std::string_view name = {}) {
    if constexpr (kCollect) {
      if (IsFull()) return false;
      Violation violation;
      violation.instance_path = PathForPeople(path);
      violation.instance_pointer = PathAsPointer(path);
      violation.schema_pointer = program_.origins[id].pointer;
      if (!keyword.empty()) AppendPointerToken(violation.schema_pointer, keyword);
      if (!name.empty()) AppendPointerToken(violation.schema_pointer, name);
      violation.keyword = keyword.empty() ? "false" : keyword;
      violation.message = Subject(path) + " " + expected;
      state_.found->push_back(std::move(violation));
    }
    return false;
  }

  // Whether to go on after a part was not valid.
  bool GoOn(bool& ok) const {
    ok = false;
    if constexpr (kCollect) return !IsFull();
    return false;
  }

  bool CheckItem(NodeId node, const json::Array& array, std::size_t index, const Path* path) {
    if constexpr (kCollect) {
      const Path inner{path, {}, index, true};
      return Check(node, array[index], &inner, nullptr);
    }
    return Check(node, array[index], nullptr, nullptr);
  }

  bool CheckMember(NodeId node, std::string_view name, const json::Value& value, const Path* path) {
    if constexpr (kCollect) {
      const Path inner{path, name};
      return Check(node, value, &inner, nullptr);
    }
    return Check(node, value, nullptr, nullptr);
  }

  // --- a node

  bool Apply(NodeId id, const Node& node, const json::Value& value, const Path* path, Evaluated* evaluated) {
    if (state_.depth >= program_.limits.max_run_depth || !Spend(1)) [[unlikely]] {
      state_.exhausted = true;
      return false;
    }
    ++state_.depth;
    const Scope* const outer = state_.scope;
    const Scope inner{node.resource, outer};
    if (program_.has_dynamic_references && (outer == nullptr || outer->resource != node.resource))
      state_.scope = &inner;
    bool ok = false;
    if (node.tracks && (value.is_array() || value.is_object())) [[unlikely]] {
      ok = ApplyTracking(id, node, value, path, evaluated);
    } else {
      ok = ApplyGroups(id, node, value, path, evaluated);
    }
    state_.scope = outer;
    --state_.depth;
    return ok;
  }

  // What a node's own unevaluated* see is what was evaluated within the node, not beside it.
  bool ApplyTracking(NodeId id, const Node& node, const json::Value& value, const Path* path, Evaluated* outer) {
    Evaluated own;
    const bool ok = ApplyGroups(id, node, value, path, &own);
    if (ok && outer != nullptr) outer->Merge(own);
    return ok;
  }

  bool ApplyGroups(NodeId id, const Node& node, const json::Value& value, const Path* path, Evaluated* evaluated) {
    bool ok = true;
    switch (value.kind()) {
      case json::Kind::int64:
      case json::Kind::uint64:
      case json::Kind::double_:
        ok = ApplyNumbers(id, node, value, path);
        break;
      case json::Kind::string:
        ok = ApplyStrings(id, node, json::View(value.get_string()), path);
        break;
      case json::Kind::array:
        ok = ApplyArrays(id, node, value.get_array(), path, evaluated);
        break;
      case json::Kind::object:
        ok = ApplyObjects(id, node, value, path, evaluated);
        break;
      default:
        break;
    }
    if constexpr (kCollect) {
      if (!ok && IsFull()) return false;
    } else if (!ok) {
      return false;
    }
    for (std::uint32_t at = node.begin[kEverything]; at < node.begin[kGroupCount]; ++at) {
      const Instruction& instruction = program_.code[at];
      if constexpr (kCollect) {
        // What a failed subschema evaluated is not known, so nothing can be said about the rest.
        const bool unevaluated =
            instruction.op == Op::kUnevaluatedItems || instruction.op == Op::kUnevaluatedProperties;
        if (!ok && unevaluated) continue;
      }
      if (!ApplyAny(id, instruction, value, path, evaluated) && !GoOn(ok)) return false;
    }
    return ok;
  }

  // --- numbers and strings

  bool ApplyNumbers(NodeId id, const Node& node, const json::Value& value, const Path* path) {
    bool ok = true;
    for (std::uint32_t at = node.begin[kNumbers]; at < node.begin[kNumbers + 1]; ++at) {
      const Instruction& instruction = program_.code[at];
      if (IsInBound(instruction, value)) [[likely]]
        continue;
      if constexpr (kCollect) Report(id, path, KeywordOf(instruction.op), ExpectedNumber(program_, instruction, value));
      if (!GoOn(ok)) return false;
    }
    return ok;
  }

  bool IsInBound(const Instruction& instruction, const json::Value& value) const {
    const bool lower = instruction.op == Op::kMinimum || instruction.op == Op::kExclusiveMinimum;
    if (instruction.op == Op::kMultipleOf) return IsMultipleOf(value, *program_.numbers[instruction.a]);
    if (const std::int64_t* whole = value.if_int64()) {
      if (instruction.never) return false;
      return lower ? *whole >= instruction.whole : *whole <= instruction.whole;
    }
    const int order = CompareNumbers(value, *program_.numbers[instruction.a]);
    switch (instruction.op) {
      case Op::kMinimum:
        return order >= 0;
      case Op::kExclusiveMinimum:
        return order > 0;
      case Op::kMaximum:
        return order <= 0;
      default:
        return order < 0;
    }
  }

  bool ApplyStrings(NodeId id, const Node& node, std::string_view text, const Path* path) {
    bool ok = true;
    for (std::uint32_t at = node.begin[kStrings]; at < node.begin[kStrings + 1]; ++at) {
      const Instruction& instruction = program_.code[at];
      if (IsGoodString(instruction, text)) [[likely]]
        continue;
      if constexpr (kCollect) ReportString(id, instruction, text, path);
      if (!GoOn(ok)) return false;
    }
    return ok;
  }

  bool IsGoodString(const Instruction& instruction, std::string_view text) {
    const std::size_t bytes = text.size();
    switch (instruction.op) {
      case Op::kMinLength:
        // A code point is one to four bytes: mostly the bytes alone decide.
        if (bytes < instruction.count) return false;
        return bytes / 4 >= instruction.count || CountCodePoints(text) >= instruction.count;
      case Op::kMaxLength:
        if (bytes <= instruction.count) return true;
        return bytes / 4 <= instruction.count && CountCodePoints(text) <= instruction.count;
      case Op::kPattern:
        return Matches(instruction.a, text);
      default:
        return HasFormat(program_.formats[instruction.a], text);
    }
  }

  bool Matches(std::uint32_t pattern, std::string_view text) {
    if (!Spend(kPatternSteps)) return false;
    const Regex::Outcome outcome = program_.patterns[pattern].Match(text);
    if (outcome == Regex::Outcome::kLimit) state_.exhausted = true;
    return outcome == Regex::Outcome::kYes;
  }

  void ReportString(NodeId id, const Instruction& instruction, std::string_view text, const Path* path) {
    std::string expected;
    if (instruction.op == Op::kMinLength || instruction.op == Op::kMaxLength) {
      expected = ExpectedLength(instruction.op, instruction.count, CountCodePoints(text));
    } else {
      const json::Value got(boost::json::string_view(text.data(), text.size()));
      expected = instruction.op == Op::kPattern
                     ? "must match the pattern " + program_.pattern_texts[instruction.a] + "; got " + Brief(got)
                     : "must have the format " + std::string(FormatName(program_.formats[instruction.a])) + "; got " +
                           Brief(got);
    }
    Report(id, path, KeywordOf(instruction.op), expected);
  }

  // --- arrays

  bool ApplyArrays(NodeId id, const Node& node, const json::Array& array, const Path* path, Evaluated* evaluated) {
    bool ok = true;
    for (std::uint32_t at = node.begin[kArrays]; at < node.begin[kArrays + 1]; ++at) {
      if (!ApplyArray(id, program_.code[at], array, path, evaluated) && !GoOn(ok)) return false;
    }
    return ok;
  }

  bool ApplyArray(NodeId id, const Instruction& instruction, const json::Array& array, const Path* path,
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

  bool ReportSize(NodeId id, const Instruction& instruction, std::size_t size, const Path* path) {
    if constexpr (kCollect) {
      Report(id, path, KeywordOf(instruction.op), ExpectedLength(instruction.op, instruction.count, size));
    }
    return false;
  }

  bool ApplyItems(NodeId id, const Items& items, const json::Array& array, const Path* path, Evaluated* evaluated) {
    if (!Spend(array.size() / 4)) return false;
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

  bool ReportSurplus(NodeId id, const Items& items, const json::Array& array, const Path* path) {
    Report(id, path, items.rest_is_unevaluated ? "unevaluatedItems" : "items",
           ExpectedLength(Op::kMaxItems, items.prefix.size(), array.size()));
    return false;
  }

  bool ApplyContains(NodeId id, const Contains& contains, const json::Array& array, const Path* path,
                     Evaluated* evaluated) {
    if (!Spend(array.size() / 4)) return false;
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
                 Counted(few ? contains.min : contains.max, "item", "items") +
                 " of the kind that `contains` describes; got " + std::to_string(count));
    }
    return false;
  }

  bool ApplyUnique(NodeId id, const json::Array& array, const Path* path) {
    const auto equal = FindEqualItems(array, state_.steps);
    if (state_.steps == 0) {
      state_.exhausted = true;
      return false;
    }
    if (!equal) return true;
    if constexpr (kCollect) {
      Report(id, path, "uniqueItems",
             "must not hold the same item twice; items " + std::to_string(equal->first) + " and " +
                 std::to_string(equal->second) + " are both " + Brief(array[equal->second]));
    }
    return false;
  }

  // --- objects

  bool ApplyObjects(NodeId id, const Node& node, const json::Value& value, const Path* path, Evaluated* evaluated) {
    bool ok = true;
    for (std::uint32_t at = node.begin[kObjects]; at < node.begin[kObjects + 1]; ++at) {
      if (!ApplyObject(id, program_.code[at], value, path, evaluated) && !GoOn(ok)) return false;
    }
    return ok;
  }

  bool ApplyObject(NodeId id, const Instruction& instruction, const json::Value& value, const Path* path,
                   Evaluated* evaluated) {
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
    bool ok = true;
    for (const auto& [name, schema] : program_.dependent_schemas[instruction.a].entries) {
      if (json::Find(object, name) == nullptr) continue;
      if (!Check(schema, value, path, evaluated) && !GoOn(ok)) return false;
    }
    return ok;
  }

  bool ApplyMembers(NodeId id, const Members& members, const json::Object& object, const Path* path,
                    Evaluated* evaluated) {
    bool ok = true;
    if constexpr (kCollect) {
      for (const std::uint32_t number : members.required) {
        const std::string& name = members.names.text(number);
        if (json::Find(object, name) != nullptr) continue;
        std::string quoted;
        json::WriteString(name, quoted);
        Report(id, path, "required", "must have the property " + quoted);
        if (!GoOn(ok)) return false;
      }
    }
    const bool every = !members.patterns.empty() || members.additional != kNoNode || evaluated != nullptr;
    if (!every && object.size() > members.properties.size() * 2 + 8) {
      return ApplyFewMembers(members, object, path) && ok;
    }
    if (!Spend(object.size() / 4)) return false;
    std::uint32_t required = 0;
    std::size_t index = 0;
    for (const auto& member : object) {
      const std::string_view name = KeyOf(member);
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

  // An object much larger than the schema: look up what the schema names.
  bool ApplyFewMembers(const Members& members, const json::Object& object, const Path* path) {
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

  bool CheckAdditional(NodeId id, const Members& members, std::string_view name, const json::Value& value,
                       const Path* path) {
    if constexpr (kCollect) {
      if (program_.nodes[members.additional].types == 0) return ReportUnknown(id, members, name, path);
    }
    return CheckMember(members.additional, name, value, path);
  }

  bool ReportUnknown(NodeId id, const Members& members, std::string_view name, const Path* path) {
    std::string names;
    std::size_t listed = 0;
    for (std::uint32_t number = 0; number < members.properties.size(); ++number) {
      if (members.properties[number].node == kNoNode) continue;
      if (++listed > 20) break;
      if (!names.empty()) names += ", ";
      json::WriteString(members.names.text(number), names);
    }
    std::string expected = "is not a known property";
    if (!names.empty()) expected += "; known are " + names + (listed > 20 ? " …" : "");
    const Path inner{path, name};
    return Report(id, &inner, members.additional_is_unevaluated ? "unevaluatedProperties" : "additionalProperties",
                  expected);
  }

  bool ApplyPropertyNames(NodeId names, const json::Object& object, const Path* path) {
    if (!Spend(object.size() / 4)) return false;
    const Node& node = program_.nodes[names];
    const bool strings_only = node.begin[kEverything] == node.begin[kGroupCount];
    bool ok = true;
    for (const auto& member : object) {
      const std::string_view name = KeyOf(member);
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

  bool ApplyDependentRequired(NodeId id, const DependentRequired& rule, const json::Object& object, const Path* path) {
    bool ok = true;
    for (const DependentRequired::Entry& entry : rule.entries) {
      if (json::Find(object, entry.name) == nullptr) continue;
      for (const std::string& name : entry.required) {
        if (json::Find(object, name) != nullptr) continue;
        if constexpr (kCollect) {
          std::string expected = "must have the property ";
          json::WriteString(name, expected);
          expected += ", because it has ";
          json::WriteString(entry.name, expected);
          Report(id, path, entry.keyword, expected, entry.name);
        }
        if (!GoOn(ok)) return false;
      }
    }
    return ok;
  }

  // --- whatever the type

  bool ApplyAny(NodeId id, const Instruction& instruction, const json::Value& value, const Path* path,
                Evaluated* evaluated) {
    switch (instruction.op) {
      case Op::kEnum:
        return ApplyEnum(id, program_.enums[instruction.a], value, path);
      case Op::kConst: {
        const json::Value& constant = *program_.constants[instruction.a];
        if (json::Equal(value, constant)) return true;
        if constexpr (kCollect) Report(id, path, "const", "must be " + Brief(constant) + "; got " + Brief(value));
        return false;
      }
      case Op::kReference:
        return Check(instruction.a, value, path, evaluated);
      case Op::kDynamicReference:
        return Check(DynamicTarget(program_.dynamic_references[instruction.a]), value, path, evaluated);
      case Op::kAllOf: {
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
        return Report(id, path, "not", "must not be of the kind that `not` describes");
      case Op::kIf:
        return ApplyIf(program_.conditionals[instruction.a], value, path, evaluated);
      case Op::kUnevaluatedItems:
        return ApplyUnevaluatedItems(id, instruction.a, value, path, evaluated);
      default:
        return ApplyUnevaluatedProperties(id, instruction.a, value, path, evaluated);
    }
  }

  static bool IsAmong(const Enum& values, const json::Value& value) {
    switch (value.kind()) {
      case json::Kind::null:
        return values.has_null;
      case json::Kind::bool_:
        return value.get_bool() ? values.has_true : values.has_false;
      case json::Kind::string:
        return values.strings.Find(json::View(value.get_string())) != KeyTable::kNone;
      case json::Kind::int64: {
        const std::int64_t whole = value.get_int64();
        if (whole >= 0 && whole < 64) return ((values.small >> whole) & 1) != 0;
        return std::binary_search(values.integers.begin(), values.integers.end(), whole) ||
               IsAmongOthers(values, value);
      }
      case json::Kind::double_:
        if (const double real = value.get_double(); json::IsInteger(value) && real >= -0x1p63 && real < 0x1p63) {
          return std::binary_search(values.integers.begin(), values.integers.end(), static_cast<std::int64_t>(real));
        }
        return IsAmongOthers(values, value);
      default:
        return IsAmongOthers(values, value);
    }
  }
  static bool IsAmongOthers(const Enum& values, const json::Value& value) {
    return std::any_of(values.others.begin(), values.others.end(),
                       [&](const json::Value* other) { return json::Equal(*other, value); });
  }

  bool ApplyEnum(NodeId id, const Enum& values, const json::Value& value, const Path* path) {
    if (IsAmong(values, value)) [[likely]]
      return true;
    if constexpr (kCollect) Report(id, path, "enum", ExpectedEnum(values, value));
    return false;
  }

  // The outermost resource of the dynamic scope that has the anchor.
  NodeId DynamicTarget(const DynamicReference& reference) const {
    NodeId target = reference.fallback;
    for (const Scope* scope = state_.scope; scope != nullptr; scope = scope->outer) {
      for (const auto& [resource, node] : reference.by_resource) {
        if (resource == scope->resource) target = node;
      }
    }
    return target;
  }

  bool ApplyAnyOf(NodeId id, const std::vector<NodeId>& list, const json::Value& value, const Path* path,
                  Evaluated* evaluated) {
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
      ReportAlternatives(id, "anyOf", "must be of at least one of " + Counted(list.size(), "kind", "kinds"), list,
                         value, path);
    }
    return false;
  }

  bool ApplyOneOf(NodeId id, const std::vector<NodeId>& list, const json::Value& value, const Path* path,
                  Evaluated* evaluated) {
    std::size_t first = list.size();
    Runner<false> quiet(state_);
    for (std::size_t i = 0; i < list.size(); ++i) {
      Evaluated branch;
      const bool matched = quiet.Check(list[i], value, nullptr, evaluated == nullptr ? nullptr : &branch);
      if (state_.exhausted) return false;
      if (!matched) continue;
      if (first != list.size()) {
        return Report(id, path, "oneOf",
                      "must be of exactly one of " + Counted(list.size(), "kind", "kinds") + "; it is of the kinds " +
                          std::to_string(first + 1) + " and " + std::to_string(i + 1));
      }
      first = i;
      if (evaluated != nullptr) evaluated->Merge(branch);
    }
    if (first != list.size()) return true;
    if constexpr (kCollect) {
      ReportAlternatives(id, "oneOf", "must be of exactly one of " + Counted(list.size(), "kind", "kinds"), list, value,
                         path);
    }
    return false;
  }

  // Says why the alternative that came nearest was not met: the one whose first violation lies deepest, so that a wrong
  // field of the right variant beats a wrong variant.
  void ReportAlternatives(NodeId id, std::string_view keyword, std::string expected, const std::vector<NodeId>& list,
                          const json::Value& value, const Path* path) {
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
    if (!nearest.empty()) expected += ", the nearest of which says: " + Explain(nearest);
    Report(id, path, keyword, expected);
  }

  bool ApplyIf(const Conditional& conditional, const json::Value& value, const Path* path, Evaluated* evaluated) {
    Evaluated branch;
    const bool holds =
        Runner<false>(state_).Check(conditional.condition, value, nullptr, evaluated == nullptr ? nullptr : &branch);
    if (state_.exhausted) return false;
    if (holds && evaluated != nullptr) evaluated->Merge(branch);
    const NodeId next = holds ? conditional.then : conditional.otherwise;
    return next == kNoNode || Check(next, value, path, evaluated);
  }

  bool ApplyUnevaluatedItems(NodeId id, NodeId node, const json::Value& value, const Path* path, Evaluated* evaluated) {
    const json::Array* array = value.if_array();
    if (array == nullptr || evaluated->all()) return true;
    if (!Spend(array->size() / 4)) return false;
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

  bool ApplyUnevaluatedProperties(NodeId id, NodeId node, const json::Value& value, const Path* path,
                                  Evaluated* evaluated) {
    const json::Object* object = value.if_object();
    if (object == nullptr || evaluated->all()) return true;
    if (!Spend(object->size() / 4)) return false;
    bool ok = true;
    std::size_t index = 0;
    for (const auto& member : *object) {
      if (evaluated->IsMarked(index++)) continue;
      if constexpr (kCollect) {
        if (program_.nodes[node].types == 0) {
          const Path inner{path, KeyOf(member)};
          Report(id, &inner, "unevaluatedProperties", "is not a property that the schema describes");
          if (!GoOn(ok)) return false;
          continue;
        }
      }
      if (!CheckMember(node, KeyOf(member), member.value(), path) && !GoOn(ok)) return false;
    }
    if (ok) evaluated->MarkAll();
    return ok;
  }

  template <bool>
  friend class Runner;

  State& state_;
  const Program& program_;
};

}  // namespace

bool RunFast(const Program& program, NodeId start, const json::Value& instance, std::uint64_t& steps) {
  State state{program, steps};
  const bool ok = Runner<false>(state).Check(start, instance, nullptr, nullptr);
  steps = state.exhausted ? 0 : state.steps;
  return ok && !state.exhausted;
}

std::vector<Violation> RunCollecting(const Program& program, NodeId start, const json::Value& instance,
                                     std::size_t max_violations) {
  std::vector<Violation> found;
  State state{program, program.limits.max_run_steps};
  state.found = &found;
  state.max_found = max_violations;
  const bool ok = Runner<true>(state).Check(start, instance, nullptr, nullptr);
  if (state.exhausted) {
    // What was found until then may hang on what was not finished.
    found.clear();
    found.push_back({"", "", program.origins[start].pointer, "limit",
                     "the value is too deep or too large to be checked against this schema"});
  } else if (!ok && found.empty()) {
    found.push_back({"", "", program.origins[start].pointer, "false", "the value is not valid"});
  }
  return found;
}

}  // namespace openseat::schema
