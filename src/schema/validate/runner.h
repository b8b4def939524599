// The general runner: every keyword, with or without messages for violations, and with marks of what
// was evaluated. Its containers and combinators are defined in runner_containers.h and runner_combinators.h; only
// run.cc includes them.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "schema/formats/uri.h"
#include "schema/keywords.h"
#include "schema/numbers.h"
#include "schema/utf8.h"
#include "schema/validate/evaluated.h"
#include "schema/validate/explain.h"
#include "schema/validate/program.h"
#include "schema/validate/quick.h"
#include "schema/validate/state.h"

namespace openseat::schema {

using Path = InstancePath;

// One body for both questions: with kCollect, every violation is described and kept and the search continues;
// without it, the first violation ends the search.
template <bool kCollect>
class Runner {
 public:
  explicit Runner(State& state) : state_(state), program_(state.program) {}

  // `evaluated` receives marks of what this node evaluates in `value`; null if nobody asks.
  bool Check(NodeId id, const json::Value& value, const Path* path, Evaluated* evaluated) {
    if constexpr (!kCollect) {
      if (evaluated == nullptr) return QuickCheck(state_, id, value);
      return QuickCheckNoting(state_, id, value, *evaluated);
    }
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

  // REQUIRES a value of a type that the node allows.
  bool Apply(NodeId id, const Node& node, const json::Value& value, const Path* path, Evaluated* evaluated) {
    if (!state_.Enter(1)) return false;
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
    state_.Leave();
    return ok;
  }

 private:
  // --- bookkeeping

  bool Spend(std::uint64_t steps) { return state_.Spend(steps); }

  bool IsFull() const { return state_.exhausted || state_.found->size() >= state_.max_found; }

  // `keyword` "" is the schema false.
  bool Report(NodeId id, const Path* path, std::string_view keyword, const std::string& expected,
              std::string_view name = {}) {
    if constexpr (kCollect) {
      if (IsFull()) return false;
      Violation violation;
      violation.instance_path = PathForPeople(path);
      violation.instance_pointer = PathAsPointer(path);
      violation.schema_pointer = program_.paths.PointerOf(program_.origins[id].path);
      if (!keyword.empty()) AppendPointerToken(violation.schema_pointer, keyword);
      if (!name.empty()) AppendPointerToken(violation.schema_pointer, name);
      violation.keyword = keyword.empty() ? "false" : keyword;
      violation.message = Subject(path) + " " + expected;
      // Long names make long messages, which many alternatives may request.
      if (!Spend((violation.schema_pointer.size() + violation.message.size()) / 16)) return false;
      state_.found->push_back(std::move(violation));
    }
    return false;
  }

  // Whether to continue after a part was invalid.
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

  // A node's own unevaluated* see what was evaluated within the node, not next to it.
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
        // What a failed subschema evaluated is unknown, so nothing can be said about the rest.
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
    if (!Spend(bytes / 64)) return false;
    switch (instruction.op) {
      case Op::kMinLength:
        // A code point is one to four bytes: usually the byte count decides.
        if (bytes < instruction.count) return false;
        return bytes / 4 >= instruction.count || CountCodePoints(text) >= instruction.count;
      case Op::kMaxLength:
        if (bytes <= instruction.count) return true;
        return bytes / 4 <= instruction.count && CountCodePoints(text) <= instruction.count;
      case Op::kPattern:
        return Matches(instruction.a, text);
      default:
        return MatchesFormat(state_, program_.formats[instruction.a], text);
    }
  }

  bool Matches(std::uint32_t pattern, std::string_view text) { return MatchesPattern(state_, pattern, text); }

  void ReportString(NodeId id, const Instruction& instruction, std::string_view text, const Path* path) {
    std::string expected;
    if (instruction.op == Op::kMinLength || instruction.op == Op::kMaxLength) {
      expected = ExpectedLength(instruction.op, instruction.count, CountCodePoints(text));
    } else {
      const json::Value got(boost::json::string_view(text.data(), text.size()));
      expected = instruction.op == Op::kPattern
                     ? "must match the pattern " + Ellipsize(program_.pattern_texts[instruction.a], kQuotedBytes) +
                           "; got " + Brief(got)
                     : "must have the format " + std::string(FormatName(program_.formats[instruction.a])) + "; got " +
                           Brief(got);
    }
    Report(id, path, KeywordOf(instruction.op), expected);
  }

  // --- arrays and objects (runner_containers.h)

  bool ApplyArrays(NodeId id, const Node& node, const json::Array& array, const Path* path, Evaluated* evaluated);
  bool ApplyArray(NodeId id, const Instruction& instruction, const json::Array& array, const Path* path,
                  Evaluated* evaluated);
  bool ReportSize(NodeId id, const Instruction& instruction, std::size_t size, const Path* path);
  bool ApplyItems(NodeId id, const Items& items, const json::Array& array, const Path* path, Evaluated* evaluated);
  bool ReportSurplus(NodeId id, const Items& items, const json::Array& array, const Path* path);
  bool ApplyContains(NodeId id, const Contains& contains, const json::Array& array, const Path* path,
                     Evaluated* evaluated);
  bool ApplyUnique(NodeId id, const json::Array& array, const Path* path);
  bool ApplyObjects(NodeId id, const Node& node, const json::Value& value, const Path* path, Evaluated* evaluated);
  bool ApplyObject(NodeId id, const Instruction& instruction, const json::Value& value, const Path* path,
                   Evaluated* evaluated);
  bool ApplyMembers(NodeId id, const Members& members, const json::Object& object, const Path* path,
                    Evaluated* evaluated);
  // An object much larger than the schema: look up what the schema names.
  bool ApplyFewMembers(const Members& members, const json::Object& object, const Path* path);
  bool CheckAdditional(NodeId id, const Members& members, std::string_view name, const json::Value& value,
                       const Path* path);
  bool ReportUnknown(NodeId id, const Members& members, std::string_view name, const Path* path);
  bool ApplyPropertyNames(NodeId names, const json::Object& object, const Path* path);
  bool ApplyDependentRequired(NodeId id, const DependentRequired& rule, const json::Object& object, const Path* path);

  // --- any type (runner_combinators.h)

  bool ApplyAny(NodeId id, const Instruction& instruction, const json::Value& value, const Path* path,
                Evaluated* evaluated);
  bool ApplyEnum(NodeId id, const Enum& values, const json::Value& value, const Path* path);
  // The outermost resource in the dynamic scope that has the anchor.
  NodeId DynamicTarget(const DynamicReference& reference) const;
  bool ApplyAnyOf(NodeId id, const std::vector<NodeId>& list, const json::Value& value, const Path* path,
                  Evaluated* evaluated);
  bool ApplyOneOf(NodeId id, const std::vector<NodeId>& list, const json::Value& value, const Path* path,
                  Evaluated* evaluated);
  // Explains why the closest alternative did not match: the one whose first violation is deepest, so a wrong
  // field of the right variant beats a wrong variant.
  void ReportAlternatives(NodeId id, std::string_view keyword, std::string expected, const std::vector<NodeId>& list,
                          const json::Value& value, const Path* path);
  bool ApplyIf(const Conditional& conditional, const json::Value& value, const Path* path, Evaluated* evaluated);
  bool ApplyUnevaluatedItems(NodeId id, NodeId node, const json::Value& value, const Path* path, Evaluated* evaluated);
  bool ApplyUnevaluatedProperties(NodeId id, NodeId node, const json::Value& value, const Path* path,
                                  Evaluated* evaluated);

  template <bool>
  friend class Runner;

  State& state_;
  const Program& program_;
};

}  // namespace openseat::schema
