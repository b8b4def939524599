#include "schema/validate/quick.h"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "schema/utf8.h"
#include "schema/validate/enums.h"
#include "schema/validate/run.h"
#include "schema/validate/unique.h"

namespace openseat::schema {
namespace {

using Member = boost::json::key_value_pair;

// Objects up to this size are searched linearly, larger ones through their hash table.
constexpr std::size_t kFewMembers = 16;

// A name for mutually recursive functions. Static, so the state is one pointer away.
struct Quick {
  // Inlined into every loop; recursion goes through a call.
  [[gnu::always_inline]] static bool Check(State& state, const QuickNode& node, const json::Value& value) {
    // The most common kinds before the jump, which is harder to predict than a branch.
    if (node.kernel == Kernel::kTypes) [[likely]]
      return node.types.Allow(value);
    switch (node.kernel) {
      case Kernel::kNumber:
        return Number(node, *RuleOf<QuickRange>(node), value);
      case Kernel::kEnum:
        return IsAmong(state, *RuleOf<Enum>(node), value) && node.types.Allow(value);
      case Kernel::kText:
        if (!node.types.Allow(value)) return false;
        return !value.is_string() || Text(state, *RuleOf<QuickText>(node), json::View(value.get_string()));
      case Kernel::kMembers:
        if (!node.types.Allow(value)) return false;
        return !value.is_object() || ByProperty<false>(state, *RuleOf<QuickMembers>(node), value.get_object(), nullptr);
      case Kernel::kClosed:
        if (!node.types.Allow(value)) return false;
        return !value.is_object() || ByMember<false>(state, *RuleOf<QuickMembers>(node), value.get_object(), nullptr);
      case Kernel::kItems:
        return node.types.Allow(value) &&
               (!value.is_array() || Items(state, *RuleOf<QuickItems>(node), value.get_array()));
      default:
        return CheckOther(state, node, value);
    }
  }

  [[gnu::always_inline]] static bool Check(State& state, NodeId id, const json::Value& value) {
    return Check(state, state.nodes[id], value);
  }

  // For the parts of a node that has unevaluatedItems or -Properties, and what they apply in place.
  static bool CheckNoting(State& state, NodeId id, const json::Value& value, Evaluated& evaluated) {
    const QuickNode& node = state.nodes[id];
    const bool is_container = value.is_object() || value.is_array();
    if (!is_container || node.kernel <= Kernel::kEnum || node.kernel == Kernel::kNot) return Check(state, id, value);
    if (!node.types.Allow(value)) return false;
    if (node.kernel == Kernel::kMembers) {
      return !value.is_object() || ByProperty<true>(state, *RuleOf<QuickMembers>(node), value.get_object(), &evaluated);
    }
    if (node.kernel == Kernel::kGeneral) return ApplyGenerally(state, node.id, value, &evaluated);
    // Marks may be merged: one bit for each part of the value.
    const std::size_t size = value.is_object() ? value.get_object().size() : value.get_array().size();
    if (!state.Enter(1 + size / 64)) return false;
    const bool ok = CombineNoting(state, node, value, evaluated);
    state.Leave();
    return ok;
  }

  template <typename T>
  static const T* RuleOf(const QuickNode& node) {
    return static_cast<const T*>(node.rule);
  }

  // --- keywords that apply other nodes to the same value: the only recursion not bounded by the instance's depth

  [[gnu::noinline]] static bool CheckOther(State& state, const QuickNode& node, const json::Value& value) {
    if (!node.types.Allow(value)) return false;
    if (node.kernel == Kernel::kGeneral) return ApplyGenerally(state, node.id, value, nullptr);
    if (!state.Enter(1)) return false;
    const bool ok = Combine(state, node, value);
    state.Leave();
    return ok;
  }

  // Parts without containers cost nothing themselves.
  [[gnu::always_inline]] static bool SpendList(State& state, const QuickNode& node) {
    return state.Spend(RuleOf<QuickList>(node)->size() / 4);
  }

  static bool Combine(State& state, const QuickNode& node, const json::Value& value) {
    switch (node.kernel) {
      case Kernel::kAllOf:
        if (!SpendList(state, node)) return false;
        for (const NodeId part : *RuleOf<QuickList>(node)) {
          if (!Check(state, part, value)) return false;
        }
        return true;
      case Kernel::kAnyOf:
        if (!SpendList(state, node)) return false;
        for (const NodeId part : *RuleOf<QuickList>(node)) {
          if (Check(state, part, value)) return true;
          if (state.exhausted) return false;
        }
        return false;
      case Kernel::kOneOf: {
        if (!SpendList(state, node)) return false;
        int matches = 0;
        for (const NodeId part : *RuleOf<QuickList>(node)) {
          if (Check(state, part, value) && ++matches > 1) return false;
          if (state.exhausted) return false;
        }
        return matches == 1;
      }
      case Kernel::kNot:
        return !Check(state, RuleOf<QuickList>(node)->front(), value) && !state.exhausted;
      case Kernel::kIf: {
        const QuickIf& rule = *RuleOf<QuickIf>(node);
        const bool holds = Check(state, rule.condition, value);
        if (state.exhausted) return false;
        const NodeId next = holds ? rule.then : rule.otherwise;
        return next == kNoNode || Check(state, next, value);
      }
      case Kernel::kDynamicReference:
        return Check(state, TargetOf(state, *RuleOf<QuickDynamic>(node)), value);
      case Kernel::kUnevaluated:
        return Unevaluated(state, *RuleOf<QuickUnevaluated>(node), value, nullptr);
      default:  // kScope
        return Within(state, *RuleOf<QuickScope>(node), [&](NodeId inner) { return Check(state, inner, value); });
    }
  }

  static bool CombineNoting(State& state, const QuickNode& node, const json::Value& value, Evaluated& evaluated) {
    switch (node.kernel) {
      case Kernel::kClosed:
        if (!value.is_object()) return true;
        evaluated.MarkAll();
        return ByMember<false>(state, *RuleOf<QuickMembers>(node), value.get_object(), nullptr);
      case Kernel::kItems:
        return !value.is_array() || ItemsNoting(state, *RuleOf<QuickItems>(node), value.get_array(), evaluated);
      case Kernel::kAllOf:
        for (const NodeId part : *RuleOf<QuickList>(node)) {
          if (!CheckNoting(state, part, value, evaluated)) return false;
        }
        return true;
      case Kernel::kAnyOf:
      case Kernel::kOneOf:
        return AlternativesNoting(state, node, value, evaluated);
      case Kernel::kIf: {
        const QuickIf& rule = *RuleOf<QuickIf>(node);
        Evaluated branch;
        const bool holds = CheckNoting(state, rule.condition, value, branch);
        if (state.exhausted) return false;
        if (holds) evaluated.Merge(branch);
        const NodeId next = holds ? rule.then : rule.otherwise;
        return next == kNoNode || CheckNoting(state, next, value, evaluated);
      }
      case Kernel::kDynamicReference:
        return CheckNoting(state, TargetOf(state, *RuleOf<QuickDynamic>(node)), value, evaluated);
      case Kernel::kUnevaluated:
        return Unevaluated(state, *RuleOf<QuickUnevaluated>(node), value, &evaluated);
      default:  // kScope
        return Within(state, *RuleOf<QuickScope>(node),
                      [&](NodeId inner) { return CheckNoting(state, inner, value, evaluated); });
    }
  }

  // Every alternative is evaluated: its marks matter even if another was enough.
  static bool AlternativesNoting(State& state, const QuickNode& node, const json::Value& value, Evaluated& evaluated) {
    std::size_t matches = 0;
    for (const NodeId part : *RuleOf<QuickList>(node)) {
      Evaluated branch;
      if (CheckNoting(state, part, value, branch)) {
        evaluated.Merge(branch);
        if (++matches > 1 && node.kernel == Kernel::kOneOf) return false;
      }
      if (state.exhausted) return false;
    }
    return matches > 0;
  }

  // A node's own unevaluated* see what was evaluated within the node, not next to it.
  static bool Unevaluated(State& state, const QuickUnevaluated& rule, const json::Value& value, Evaluated* outer) {
    Evaluated own;
    const std::size_t size = value.is_array()    ? value.get_array().size()
                             : value.is_object() ? value.get_object().size()
                                                 : 0;
    if (!state.Spend(size / 4 + 1)) return false;
    for (const NodeId part : rule.parts) {
      if (!CheckNoting(state, part, value, own)) return false;
    }
    std::size_t index = 0;
    if (own.AreMarked(size)) {
      // Nothing is left. Even if no keyword asked for the rest, everything was marked.
    } else if (rule.items != kNoNode && value.is_array()) {
      for (const json::Value& item : value.get_array()) {
        if (!own.IsMarked(index++) && !Check(state, rule.items, item)) return false;
      }
      own.MarkAll();
    } else if (rule.properties != kNoNode && value.is_object()) {
      for (const Member& member : value.get_object()) {
        if (!own.IsMarked(index++) && !Check(state, rule.properties, member.value())) return false;
      }
      own.MarkAll();
    }
    if (outer != nullptr) outer->Merge(own);
    return true;
  }

  // Calls `check` within the scope's resource.
  template <typename Function>
  static bool Within(State& state, const QuickScope& scope, Function check) {
    const Scope inner{scope.resource, state.scope};
    if (inner.outer == nullptr || inner.outer->resource != scope.resource) state.scope = &inner;
    const bool ok = check(scope.inner);
    state.scope = inner.outer;
    return ok;
  }

  // The outermost resource in the dynamic scope that has the anchor.
  static NodeId TargetOf(State& state, const QuickDynamic& reference) {
    NodeId target = reference.fallback;
    for (const Scope* scope = state.scope; scope != nullptr; scope = scope->outer) {
      if (const NodeId node = TargetIn(*reference.targets, scope->resource); node != kNoNode) target = node;
    }
    return target;
  }

  // --- numbers and strings

  [[gnu::always_inline]] static bool Number(const QuickNode& node, const QuickRange& range, const json::Value& value) {
    if (value.is_int64()) {
      const std::int64_t whole = value.get_int64();
      return whole >= range.low && whole <= range.high;
    }
    return OtherNumber(node, range, value);
  }
  [[gnu::noinline]] static bool OtherNumber(const QuickNode& node, const QuickRange& range, const json::Value& value) {
    if (value.is_double()) {
      const double real = value.get_double();
      return real >= range.real_low && real <= range.real_high && node.types.Allow(value);
    }
    if (!node.types.Allow(value)) return false;
    return !value.is_uint64() || IsUnsignedIn(range, value.get_uint64());
  }

  [[gnu::noinline]] static bool IsUnsignedIn(const QuickRange& range, std::uint64_t whole) {
    // A parser does not create small ones, but a program may.
    if (whole < std::uint64_t{1} << 63) {
      const auto small = static_cast<std::int64_t>(whole);
      return small >= range.low && small <= range.high;
    }
    return whole >= range.unsigned_low && whole <= range.unsigned_high;
  }

  // A code point is one to four bytes: usually the byte count decides.
  [[gnu::always_inline]] static bool Text(State& state, const QuickText& rule, std::string_view text) {
    if (rule.is_length_only && text.size() >= rule.enough && text.size() <= rule.max) return true;
    return TextInFull(state, rule, text);
  }
  [[gnu::noinline]] static bool TextInFull(State& state, const QuickText& rule, std::string_view text) {
    const std::size_t bytes = text.size();
    if (bytes < rule.min) return false;
    if (bytes > rule.max || bytes < rule.enough) {
      if (bytes / 4 > rule.max || !state.Spend(bytes / 64)) return false;
      const std::size_t characters = CountCodePoints(text);
      if (characters < rule.min || characters > rule.max) return false;
    }
    if (rule.shape) {
      if (!rule.shape->Matches(text)) return false;
    } else if (rule.pattern != kNoPattern && !MatchesPattern(state, rule.pattern, text)) {
      return false;
    }
    return !rule.has_format || MatchesFormat(state, rule.format, text);
  }

  // --- arrays

  // Containers need no Enter: each is deeper in the instance, whose depth the parser bounds.
  [[gnu::noinline]] static bool Items(State& state, const QuickItems& rule, const json::Array& array) {
    const std::size_t size = array.size();
    if (size < rule.min || size > rule.max || !state.Spend(size / 4 + 1)) return false;
    const json::Value* at = array.data();
    const json::Value* const end = at + size;
    for (const NodeId node : rule.prefix) {
      if (at == end) break;
      if (!Check(state, node, *at++)) return false;
    }
    if (rule.rest != kNoNode && !Rest(state, rule.others, at, end)) return false;
    return !rule.is_unique || IsUnique(state, array);
  }

  // One loop for each of the common kinds of item.
  [[gnu::always_inline]] static bool Rest(State& state, const QuickNode& node, const json::Value* at,
                                          const json::Value* end) {
    switch (node.kernel) {
      case Kernel::kTypes:
        for (; at != end; ++at) {
          if (!node.types.Allow(*at)) return false;
        }
        return true;
      case Kernel::kNumber: {
        const QuickRange& range = *RuleOf<QuickRange>(node);
        const std::uint64_t low = range.bits_low;
        const std::uint64_t count = range.bits_count;
#pragma GCC unroll 4
        for (; at != end; ++at) {
          if (at->is_double() && std::bit_cast<std::uint64_t>(at->get_double()) - low < count) [[likely]]
            continue;
          if (!Number(node, range, *at)) return false;
        }
        return true;
      }
      case Kernel::kEnum: {
        const Enum& values = *RuleOf<Enum>(node);
        for (; at != end; ++at) {
          if (!IsAmong(state, values, *at) || !node.types.Allow(*at)) return false;
        }
        return true;
      }
      default:
        for (; at != end; ++at) {
          if (!Check(state, node, *at)) return false;
        }
        return true;
    }
  }

  static bool ItemsNoting(State& state, const QuickItems& rule, const json::Array& array, Evaluated& evaluated) {
    if (!Items(state, rule, array)) return false;
    if (rule.rest != kNoNode) {
      evaluated.MarkAll();
    } else {
      for (std::size_t i = 0; i < rule.prefix.size() && i < array.size(); ++i) evaluated.Mark(i);
    }
    return true;
  }

  [[gnu::noinline]] static bool IsUnique(State& state, const json::Array& array) {
    if (FindEqualItems(array, state.steps)) return false;
    if (state.steps == 0) state.exhausted = true;
    return !state.exhausted;
  }

  // --- objects

  [[gnu::always_inline]] static bool IsNamed(const Member& member, const QuickMembers& members,
                                             const QuickMembers::Property& property) {
    const auto name = member.key();
    if (name.size() != property.size) [[unlikely]]
      return false;
    if (!HasEnds(name.data(), property.size, property.head, property.tail)) [[unlikely]]
      return false;
    if (property.size <= 16) [[likely]]
      return true;
    return IsNamedAtLength(name.data(), members, property);
  }
  [[gnu::noinline]] static bool IsNamedAtLength(const char* name, const QuickMembers& members,
                                                const QuickMembers::Property& property) {
    const std::string& text = NameOf(members, property);
    return std::memcmp(name, text.data(), text.size()) == 0;
  }
  static const std::string& NameOf(const QuickMembers& members, const QuickMembers::Property& property) {
    return members.names->text(static_cast<std::uint32_t>(&property - members.first));
  }

  // Unnamed members do not matter: find each property.
  template <bool kNote>
  [[gnu::noinline]] static bool ByProperty(State& state, const QuickMembers& members, const json::Object& object,
                                           Evaluated* evaluated) {
    // A small object and many properties: look up the members instead.
    if (object.size() * 2 < members.count) return ByMember<kNote>(state, members, object, evaluated);
    if (!state.Spend(members.count / 2 + 1)) return false;
    const Member* const begin = object.begin();
    const Member* const end = begin + object.size();
    const Member* next = begin;
    for (const QuickMembers::Property* property = members.first; property != members.last; ++property) {
      const Member* member = next;
      // Members are usually in the schema's order.
      if (member == end || !IsNamed(*member, members, *property)) [[unlikely]] {
        // Parts of one schema that record marks take turns on the same members, so the order rarely matches.
        member = begin + property->guess.Get();
        if (!kNote || member >= end || !IsNamed(*member, members, *property)) {
          member = FindMember(members, *property, object);
        }
        if (member == nullptr) {
          if (property->is_required) return false;
          continue;
        }
      }
      next = member + 1;
      if (!Check(state, property->check, member->value())) return false;
      if (kNote && property->is_evaluated) evaluated->Mark(static_cast<std::size_t>(member - begin));
    }
    return true;
  }

  // nullptr if there is none.
  [[gnu::noinline]] static const Member* FindMember(const QuickMembers& members, const QuickMembers::Property& property,
                                                    const json::Object& object) {
    const std::size_t size = object.size();
    const Member* const begin = object.begin();
    const std::size_t guess = property.guess.Get();
    if (guess < size && IsNamed(begin[guess], members, property)) return begin + guess;
    std::size_t index = 0;
    if (size > kFewMembers) {
      const std::string& name = NameOf(members, property);
      index = static_cast<std::size_t>(object.find({name.data(), name.size()}) - begin);
    } else {
      while (index < size && !IsNamed(begin[index], members, property)) ++index;
    }
    if (index == size) return nullptr;
    property.guess.Set(index);
    return begin + index;
  }

  // Checks every member; those not named by a property must satisfy `others`.
  template <bool kNote>
  [[gnu::noinline]] static bool ByMember(State& state, const QuickMembers& members, const json::Object& object,
                                         Evaluated* evaluated) {
    if (!state.Spend(object.size() / 4 + 1)) return false;
    std::uint32_t required = 0;
    const QuickMembers::Property* next = members.first;
    const Member* const end = object.end();
    for (const Member* member = object.begin(); member != end; ++member) {
      const QuickMembers::Property* property = next;
      // Members are usually in the schema's order.
      if (property == members.last || !IsNamed(*member, members, *property)) [[unlikely]] {
        property = FindProperty(members, *member);
        if (property == nullptr) {
          if (!Check(state, members.others, member->value())) return false;
          continue;
        }
      }
      next = property + 1;
      required += property->is_required ? 1 : 0;
      if (!Check(state, property->check, member->value())) return false;
      if (kNote && property->is_evaluated) evaluated->Mark(static_cast<std::size_t>(member - object.begin()));
    }
    return required == members.required_count;
  }

  [[gnu::noinline]] static const QuickMembers::Property* FindProperty(const QuickMembers& members,
                                                                      const Member& member) {
    const std::uint32_t number = members.names->Find(json::KeyOf(member));
    return number == KeyTable::kNone ? nullptr : members.first + number;
  }
};

}  // namespace

bool Schema::IsValid(const json::Value& instance) const {
  State state(*program_, program_->limits.max_run_steps);
  return Quick::Check(state, program_->root, instance) && !state.exhausted;
}

bool RunFast(const Program& program, NodeId start, const json::Value& instance, Budget& budget) {
  State state(program, budget.left());
  const bool ok = Quick::Check(state, start, instance);
  budget.SetLeft(state.exhausted ? 0 : state.steps);
  return ok && !state.exhausted;
}

bool QuickCheck(State& state, NodeId id, const json::Value& value) {
  return Quick::Check(state, id, value);
}

bool QuickCheckNoting(State& state, NodeId id, const json::Value& value, Evaluated& evaluated) {
  return Quick::CheckNoting(state, id, value, evaluated);
}

}  // namespace openseat::schema
