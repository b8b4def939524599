#include "schema/quick.h"

#include <cstddef>
#include <cstring>

#include "schema/enums.h"
#include "schema/run.h"
#include "schema/unique.h"
#include "schema/utf8.h"

namespace openseat::schema {
namespace {

using Member = boost::json::key_value_pair;

// Objects up to this size are searched one by one, larger ones by their hash table.
constexpr std::size_t kFewMembers = 16;

class Quick {
 public:
  explicit Quick(State& state) : state_(state), nodes_(state.program.quick.nodes.data()) {}

  // Small enough to be part of every loop; what recurses is a call.
  [[gnu::always_inline]] bool Check(NodeId id, const json::Value& value) {
    const QuickNode& node = nodes_[id];
    if (node.kernel == Kernel::kTypes) return HasType(node.types, value);
    if (node.kernel == Kernel::kEnum) {
      return IsAmong(*static_cast<const Enum*>(node.rule), value) &&
             (node.types == kAllTypes || HasType(node.types, value));
    }
    if (node.kernel == Kernel::kNumber) return Number(node, *static_cast<const QuickRange*>(node.rule), value);
    if (EntersScope(node)) [[unlikely]]
      return CheckInScope(node, id, value);
    return CheckOther(node, id, value);
  }

  // For the parts of a node that has unevaluatedItems or -Properties, and what they apply in place.
  bool CheckNoting(NodeId id, const json::Value& value, Evaluated& evaluated) {
    const QuickNode& node = nodes_[id];
    const bool is_container = value.is_object() || value.is_array();
    if (!is_container || node.kernel <= Kernel::kEnum || node.kernel == Kernel::kNot) return Check(id, value);
    if (!HasType(node.types, value)) return false;
    if (node.kernel == Kernel::kGeneral) return ApplyGenerally(state_, id, value, &evaluated);
    if (!state_.Enter(1)) return false;
    const Scope inner{node.resource, state_.scope};
    const bool enters = EntersScope(node);
    if (enters) state_.scope = &inner;
    const bool ok = CombineNoting(node, value, evaluated);
    if (enters) state_.scope = inner.outer;
    state_.Leave();
    return ok;
  }

  bool ByMember(const QuickMembers& members, const json::Object& object) {
    std::uint32_t required = 0;
    std::uint32_t next = 0;
    if (!state_.Spend(object.size() / 4)) return false;
    const Member* const end = object.end();
    for (const Member* member = object.begin(); member != end; ++member) {
      const std::string_view name = KeyOf(*member);
      std::uint32_t number = next;
      // Members mostly come in the schema's order.
      if (next >= members.properties.size() || !IsNamed(*member, members, next)) {
        number = members.names->Find(name);
        if (number == KeyTable::kNone) {
          if (!Check(members.additional, member->value())) return false;
          continue;
        }
      }
      next = number + 1;
      const QuickMembers::Property& property = members.properties[number];
      required += property.is_required ? 1 : 0;
      if (property.is_plain ? !HasType(property.types, member->value()) : !Check(property.node, member->value())) {
        return false;
      }
    }
    return required == members.required_count;
  }

 private:
  [[gnu::noinline]] bool CheckOther(const QuickNode& node, NodeId id, const json::Value& value) {
    switch (node.kernel) {
      case Kernel::kMembers:
        if (!value.is_object()) return HasType(node.types, value);
        return (node.types & kObject) != 0 && Object(*static_cast<const QuickMembers*>(node.rule), value.get_object());
      case Kernel::kItems:
        if (!value.is_array()) return HasType(node.types, value);
        return (node.types & kArray) != 0 && Array(*static_cast<const QuickItems*>(node.rule), value.get_array());
      case Kernel::kText:
        if (!value.is_string()) return HasType(node.types, value);
        return (node.types & kString) != 0 &&
               Text(*static_cast<const QuickText*>(node.rule), json::View(value.get_string()));
      default:
        break;
    }
    if (!HasType(node.types, value)) return false;
    if (node.kernel == Kernel::kGeneral) return ApplyGenerally(state_, id, value, nullptr);
    if (!state_.Enter(1)) return false;
    const bool ok = Combine(node, value);
    state_.Leave();
    return ok;
  }

  bool EntersScope(const QuickNode& node) const {
    return node.resource != kNoResource && (state_.scope == nullptr || state_.scope->resource != node.resource);
  }
  [[gnu::noinline]] bool CheckInScope(const QuickNode& node, NodeId id, const json::Value& value) {
    const Scope inner{node.resource, state_.scope};
    state_.scope = &inner;
    const bool ok = CheckOther(node, id, value);
    state_.scope = inner.outer;
    return ok;
  }

  // The outermost resource of the dynamic scope that has the anchor.
  NodeId DynamicTarget(const QuickDynamic& reference) const {
    NodeId target = reference.fallback;
    for (const Scope* scope = state_.scope; scope != nullptr; scope = scope->outer) {
      for (const auto& [resource, node] : reference.by_resource) {
        if (resource == scope->resource) target = node;
      }
    }
    return target;
  }

  bool Combine(const QuickNode& node, const json::Value& value) {
    if (node.kernel == Kernel::kIf) {
      const auto& rule = *static_cast<const QuickIf*>(node.rule);
      const bool holds = Check(rule.condition, value);
      if (state_.exhausted) return false;
      const NodeId next = holds ? rule.then : rule.otherwise;
      return next == kNoNode || Check(next, value);
    }
    if (node.kernel == Kernel::kDynamicReference) {
      return Check(DynamicTarget(*static_cast<const QuickDynamic*>(node.rule)), value);
    }
    if (node.kernel == Kernel::kUnevaluated) {
      return Unevaluated(*static_cast<const QuickUnevaluated*>(node.rule), value, nullptr);
    }
    const auto& list = *static_cast<const QuickList*>(node.rule);
    switch (node.kernel) {
      case Kernel::kAllOf:
        for (const NodeId part : list) {
          if (!Check(part, value)) return false;
        }
        return true;
      case Kernel::kAnyOf:
        for (const NodeId part : list) {
          if (Check(part, value)) return true;
          if (state_.exhausted) return false;
        }
        return false;
      case Kernel::kOneOf: {
        int matches = 0;
        for (const NodeId part : list) {
          if (Check(part, value) && ++matches > 1) return false;
          if (state_.exhausted) return false;
        }
        return matches == 1;
      }
      default:  // kNot
        return !Check(list.front(), value) && !state_.exhausted;
    }
  }

  bool CombineNoting(const QuickNode& node, const json::Value& value, Evaluated& evaluated) {
    switch (node.kernel) {
      case Kernel::kMembers:
        return !value.is_object() ||
               MembersNoting(*static_cast<const QuickMembers*>(node.rule), value.get_object(), evaluated);
      case Kernel::kItems:
        return !value.is_array() ||
               ItemsNoting(*static_cast<const QuickItems*>(node.rule), value.get_array(), evaluated);
      case Kernel::kAllOf:
        for (const NodeId part : *static_cast<const QuickList*>(node.rule)) {
          if (!CheckNoting(part, value, evaluated)) return false;
        }
        return true;
      case Kernel::kAnyOf:
      case Kernel::kOneOf: {
        // Every branch counts: what one notes matters even where another was enough.
        std::size_t matches = 0;
        for (const NodeId part : *static_cast<const QuickList*>(node.rule)) {
          Evaluated branch;
          if (CheckNoting(part, value, branch)) {
            evaluated.Merge(branch);
            if (++matches > 1 && node.kernel == Kernel::kOneOf) return false;
          }
          if (state_.exhausted) return false;
        }
        return matches > 0;
      }
      case Kernel::kIf: {
        const auto& rule = *static_cast<const QuickIf*>(node.rule);
        Evaluated branch;
        const bool holds = CheckNoting(rule.condition, value, branch);
        if (state_.exhausted) return false;
        if (holds) evaluated.Merge(branch);
        const NodeId next = holds ? rule.then : rule.otherwise;
        return next == kNoNode || CheckNoting(next, value, evaluated);
      }
      case Kernel::kDynamicReference:
        return CheckNoting(DynamicTarget(*static_cast<const QuickDynamic*>(node.rule)), value, evaluated);
      default:  // kUnevaluated
        return Unevaluated(*static_cast<const QuickUnevaluated*>(node.rule), value, &evaluated);
    }
  }

  // What a node's own unevaluated* see is what was evaluated within the node, not beside it.
  bool Unevaluated(const QuickUnevaluated& rule, const json::Value& value, Evaluated* outer) {
    Evaluated own;
    for (const NodeId part : rule.parts) {
      if (!CheckNoting(part, value, own)) return false;
    }
    std::size_t index = 0;
    if (rule.items != kNoNode && value.is_array() && !own.all()) {
      for (const json::Value& item : value.get_array()) {
        if (!own.IsMarked(index++) && !Check(rule.items, item)) return false;
      }
      own.MarkAll();
    } else if (rule.properties != kNoNode && value.is_object() && !own.all()) {
      for (const Member& member : value.get_object()) {
        if (!own.IsMarked(index++) && !Check(rule.properties, member.value())) return false;
      }
      own.MarkAll();
    }
    if (outer != nullptr) outer->Merge(own);
    return true;
  }

  bool MembersNoting(const QuickMembers& members, const json::Object& object, Evaluated& evaluated) {
    if (members.additional == kNoNode) return ByProperty<true>(members, object, &evaluated);
    if (!ByMember(members, object)) return false;
    evaluated.MarkAll();
    return true;
  }

  bool ItemsNoting(const QuickItems& rule, const json::Array& array, Evaluated& evaluated) {
    if (!Array(rule, array)) return false;
    if (rule.rest != kNoNode) {
      evaluated.MarkAll();
    } else {
      for (std::size_t i = 0; i < rule.prefix.size() && i < array.size(); ++i) evaluated.Mark(i);
    }
    return true;
  }

  static bool Number(const QuickNode& node, const QuickRange& range, const json::Value& value) {
    if (value.is_int64()) {
      const std::int64_t whole = value.get_int64();
      return whole >= range.low && whole <= range.high;
    }
    if (value.is_double()) {
      const double real = value.get_double();
      return real >= range.real_low && real <= range.real_high && HasType(node.types, value);
    }
    if (!HasType(node.types, value)) return false;
    return !value.is_uint64() || UnsignedIsIn(range, value.get_uint64());
  }

  [[gnu::noinline]] static bool UnsignedIsIn(const QuickRange& range, std::uint64_t whole) {
    // Small ones do not come from a parser, but a program may have made them.
    if (whole < std::uint64_t{1} << 63) {
      const auto small = static_cast<std::int64_t>(whole);
      return small >= range.low && small <= range.high;
    }
    return whole >= range.unsigned_low && whole <= range.unsigned_high;
  }

  bool Text(const QuickText& rule, std::string_view text) {
    // A code point is one to four bytes: mostly the bytes alone decide.
    const std::size_t bytes = text.size();
    if (bytes < rule.min) return false;
    if (bytes > rule.max || bytes / 4 < rule.min) {
      if (bytes / 4 > rule.max) return false;
      const std::size_t characters = CountCodePoints(text);
      if (characters < rule.min || characters > rule.max) return false;
    }
    if (rule.pattern != kNoPattern && !MatchesPattern(state_, rule.pattern, text)) return false;
    return !rule.has_format || HasFormat(rule.format, text);
  }

  // Containers need no Enter: each is deeper in the instance, whose depth the parser bounds.
  bool Array(const QuickItems& rule, const json::Array& array) {
    const std::size_t size = array.size();
    if (size < rule.min || size > rule.max || !state_.Spend(size / 4)) return false;
    return Items(rule, array) && (!rule.is_unique || IsUnique(array));
  }

  bool IsUnique(const json::Array& array) {
    if (FindEqualItems(array, state_.steps)) return false;
    if (state_.steps == 0) state_.exhausted = true;
    return !state_.exhausted;
  }

  bool Items(const QuickItems& rule, const json::Array& array) {
    const json::Value* at = array.data();
    const json::Value* const end = at + array.size();
    for (const NodeId node : rule.prefix) {
      if (at == end) return true;
      if (!Check(node, *at++)) return false;
    }
    if (rule.rest == kNoNode) return true;
    const QuickNode rest = nodes_[rule.rest];
    if (rest.kernel == Kernel::kNumber) {
      const QuickRange range = *static_cast<const QuickRange*>(rest.rule);
      for (; at != end; ++at) {
        if (!Number(rest, range, *at)) return false;
      }
    } else if (rest.kernel == Kernel::kTypes) {
      for (; at != end; ++at) {
        if (!HasType(rest.types, *at)) return false;
      }
    } else if (rest.kernel == Kernel::kMembers && rest.types == kObject && rest.resource == kNoResource) {
      const auto& members = *static_cast<const QuickMembers*>(rest.rule);
      for (; at != end; ++at) {
        if (!at->is_object() || !Object(members, at->get_object())) return false;
      }
    } else {
      for (; at != end; ++at) {
        if (!Check(rule.rest, *at)) return false;
      }
    }
    return true;
  }

  [[gnu::noinline]] bool Object(const QuickMembers& members, const json::Object& object) {
    if (members.additional != kNoNode) return ByMember(members, object);
    return ByProperty<false>(members, object, nullptr);
  }

  static bool IsNamed(const Member& member, const QuickMembers& members, std::size_t number) {
    const PackedKey& key = members.properties[number].key;
    const auto name = member.key();
    if (name.size() != key.size || !key.EqualsEnds(name.data())) return false;
    return key.size <= 16 ||
           std::memcmp(name.data(), members.names->text(static_cast<std::uint32_t>(number)).data(), key.size) == 0;
  }

  // What is not named does not matter: find each property.
  template <bool kNote>
  bool ByProperty(const QuickMembers& members, const json::Object& object, Evaluated* evaluated) {
    const std::size_t size = object.size();
    const Member* const begin = object.begin();
    if (!state_.Spend(members.properties.size() / 2)) return false;
    std::size_t hint = 0;
    for (std::size_t number = 0; number < members.properties.size(); ++number) {
      const QuickMembers::Property& property = members.properties[number];
      std::size_t index = hint;
      // Members mostly come in the schema's order.
      if (index >= size || !IsNamed(begin[index], members, number)) {
        index = Find(members, number, object);
        if (index == size) {
          if (property.is_required) return false;
          continue;
        }
      }
      hint = index + 1;
      const json::Value& value = begin[index].value();
      if (property.is_plain ? !HasType(property.types, value) : !Check(property.node, value)) return false;
      if (kNote && property.is_evaluated) evaluated->Mark(index);
    }
    return true;
  }

  [[gnu::noinline]] static std::size_t Find(const QuickMembers& members, std::size_t number,
                                            const json::Object& object) {
    const std::size_t size = object.size();
    const Member* const begin = object.begin();
    if (size > kFewMembers) {
      const std::string& name = members.names->text(static_cast<std::uint32_t>(number));
      return static_cast<std::size_t>(object.find({name.data(), name.size()}) - begin);
    }
    for (std::size_t index = 0; index < size; ++index) {
      if (IsNamed(begin[index], members, number)) return index;
    }
    return size;
  }

  State& state_;
  const QuickNode* nodes_;
};

}  // namespace

bool RunFast(const Program& program, NodeId start, const json::Value& instance, std::uint64_t& steps) {
  State state{program, steps, program.limits.max_run_depth};
  const bool ok = Quick(state).Check(start, instance);
  steps = state.exhausted ? 0 : state.steps;
  return ok && !state.exhausted;
}

bool QuickCheck(State& state, NodeId id, const json::Value& value) {
  return Quick(state).Check(id, value);
}

bool QuickCheckNoting(State& state, NodeId id, const json::Value& value, Evaluated& evaluated) {
  return Quick(state).CheckNoting(id, value, evaluated);
}

}  // namespace openseat::schema
