#include "schema/validate/kernels.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "schema/numbers.h"
#include "schema/validate/enums.h"
#include "schema/validate/fold.h"

namespace openseat::schema {
namespace {

// For integers of 2^63 and more.
void NarrowUnsigned(QuickRange& range, const Instruction& instruction, const json::Value& limit) {
  constexpr std::uint64_t kFirst = std::uint64_t{1} << 63;
  constexpr std::uint64_t kLast = std::numeric_limits<std::uint64_t>::max();
  const bool lower = instruction.op == Op::kMinimum || instruction.op == Op::kExclusiveMinimum;
  const bool exclusive = instruction.op == Op::kExclusiveMinimum || instruction.op == Op::kExclusiveMaximum;
  const auto allows = [&](std::uint64_t whole) {
    const int order = CompareNumbers(json::Value(whole), limit);
    return lower ? order > 0 || (order == 0 && !exclusive) : order < 0 || (order == 0 && !exclusive);
  };
  if (!allows(lower ? kLast : kFirst)) {
    range.unsigned_low = kLast;
    range.unsigned_high = kFirst;
    return;
  }
  // Finds the boundary between allowed and not by bisection.
  std::uint64_t good = lower ? kLast : kFirst;
  std::uint64_t bad = lower ? kFirst - 1 : kLast;
  if (!lower && allows(kLast)) return;
  while (lower ? good - bad > 1 : bad - good > 1) {
    const std::uint64_t middle = good / 2 + bad / 2 + (good & bad & 1);
    (allows(middle) ? good : bad) = middle;
  }
  if (lower) {
    range.unsigned_low = std::max(range.unsigned_low, good);
  } else {
    range.unsigned_high = std::min(range.unsigned_high, good);
  }
}

class Chooser {
 public:
  explicit Chooser(Program& program) : program_(program), quick_(program.quick) {}

  void Run() {
    quick_.nodes.resize(program_.nodes.size());
    for (NodeId id = 0; id < program_.nodes.size(); ++id) {
      quick_.nodes[id].id = id;
      quick_.nodes[id].types = QuickTypes(program_.nodes[id].types);
      if (program_.nodes[id].is_plain) quick_.nodes[id].kernel = Kernel::kTypes;
    }
    for (NodeId id = 0; id < program_.nodes.size(); ++id) Choose(id);
  }

 private:
  std::span<const Instruction> CodeOf(const Node& node, int group) const {
    return std::span(program_.code).subspan(node.begin[group], node.begin[group + 1] - node.begin[group]);
  }

  template <typename Table, typename T>
  QuickNode Keep(Kernel kernel, Table& table, T rule) {
    table.push_back(std::make_unique<T>(std::move(rule)));
    return {table.back().get(), kernel, QuickTypes()};
  }

  void Choose(NodeId id) {
    const Node& node = program_.nodes[id];
    if (node.is_plain) return;
    std::vector<QuickNode> parts;
    if (!CodeOf(node, kNumbers).empty() && !Add(parts, Numbers(node))) return;
    if (!CodeOf(node, kStrings).empty() && !Add(parts, Strings(node))) return;
    if (!CodeOf(node, kArrays).empty() && !Add(parts, Arrays(node))) return;
    if (!CodeOf(node, kObjects).empty() && !Add(parts, Objects(node))) return;
    QuickUnevaluated unevaluated;
    for (const Instruction& instruction : CodeOf(node, kEverything)) {
      if (instruction.op == Op::kUnevaluatedItems) {
        unevaluated.items = instruction.a;
      } else if (instruction.op == Op::kUnevaluatedProperties) {
        unevaluated.properties = instruction.a;
      } else if (!Add(parts, Combinator(instruction))) {
        return;
      }
    }
    QuickNode quick;
    if (node.tracks) {
      unevaluated.parts = ListOf(parts);
      quick = Keep(Kernel::kUnevaluated, quick_.unevaluated, std::move(unevaluated));
    } else {
      quick = parts.size() == 1 ? parts.front() : Keep(Kernel::kAllOf, quick_.lists, ListOf(parts));
    }
    quick.types = QuickTypes(node.types);
    if (program_.has_dynamic_references && quick.kernel > Kernel::kEnum) {
      const QuickScope scope{node.resource, ListOf({quick}).front()};
      quick = Keep(Kernel::kScope, quick_.scopes, scope);
    }
    quick_.nodes[id] = quick;
  }

  QuickList ListOf(const std::vector<QuickNode>& parts) {
    QuickList list;
    for (const QuickNode& part : parts) {
      list.push_back(static_cast<NodeId>(quick_.nodes.size()));
      quick_.nodes.push_back(part);
    }
    return list;
  }

  static bool Add(std::vector<QuickNode>& parts, const std::optional<QuickNode>& part) {
    if (part) parts.push_back(*part);
    return part.has_value();
  }

  std::optional<QuickNode> Numbers(const Node& node) {
    QuickRange range;
    bool never = (node.types & kInteger) == 0;
    for (const Instruction& instruction : CodeOf(node, kNumbers)) {
      if (instruction.op == Op::kMultipleOf) return std::nullopt;
      const json::Value& limit = *program_.numbers[instruction.a];
      const bool exclusive = instruction.op == Op::kExclusiveMinimum || instruction.op == Op::kExclusiveMaximum;
      if (instruction.op == Op::kMinimum || instruction.op == Op::kExclusiveMinimum) {
        range.low = std::max(range.low, instruction.whole);
        range.real_low = std::max(range.real_low, RealLowerBound(limit, exclusive));
      } else {
        range.high = std::min(range.high, instruction.whole);
        range.real_high = std::min(range.real_high, RealUpperBound(limit, exclusive));
      }
      never = never || instruction.never;
      NarrowUnsigned(range, instruction, limit);
    }
    // Non-negative doubles are ordered like their bits.
    const double real_low = std::max(range.real_low, 0.0);
    if ((node.types & kFraction) != 0 && range.real_high >= real_low) {
      range.bits_low = std::bit_cast<std::uint64_t>(real_low);
      range.bits_count = std::bit_cast<std::uint64_t>(range.real_high) - range.bits_low + 1;
    }
    if (never) {
      range.low = std::numeric_limits<std::int64_t>::max();
      range.high = std::numeric_limits<std::int64_t>::min();
    }
    return Keep(Kernel::kNumber, quick_.ranges, range);
  }

  std::optional<QuickNode> Strings(const Node& node) {
    constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
    QuickText text;
    for (const Instruction& instruction : CodeOf(node, kStrings)) {
      switch (instruction.op) {
        case Op::kMinLength:
          text.min = instruction.count;
          break;
        case Op::kMaxLength:
          text.max = instruction.count;
          break;
        case Op::kPattern:
          text.shape = program_.patterns[instruction.a].shape();
          if (!text.shape) text.pattern = instruction.a;
          break;
        default:
          text.has_format = true;
          text.format = program_.formats[instruction.a];
          break;
      }
    }
    text.is_length_only = text.pattern == kNoPattern && !text.shape && !text.has_format;
    // This many bytes are certainly enough characters: a character has at most four.
    text.enough = text.min <= 1 ? text.min : text.min > kMost / 4 ? kMost : (text.min - 1) * 4 + 1;
    return Keep(Kernel::kText, quick_.texts, text);
  }

  std::optional<QuickNode> Arrays(const Node& node) {
    QuickItems array;
    for (const Instruction& instruction : CodeOf(node, kArrays)) {
      switch (instruction.op) {
        case Op::kMinItems:
          array.min = instruction.count;
          break;
        case Op::kMaxItems:
          array.max = instruction.count;
          break;
        case Op::kUniqueItems:
          array.is_unique = true;
          break;
        case Op::kItems:
          array.prefix = program_.items[instruction.a].prefix;
          array.rest = program_.items[instruction.a].rest;
          break;
        default:
          return std::nullopt;
      }
    }
    return Keep(Kernel::kItems, quick_.items, std::move(array));
  }

  std::optional<QuickNode> Objects(const Node& node) {
    const std::span<const Instruction> code = CodeOf(node, kObjects);
    if (code.size() != 1 || code[0].op != Op::kMembers) return std::nullopt;
    const Members& members = program_.members[code[0].a];
    if (!members.patterns.empty()) return std::nullopt;
    QuickMembers quick;
    quick.names = &members.names;
    quick.required_count = members.required_count;
    quick.additional = members.additional;
    for (std::uint32_t number = 0; number < members.properties.size(); ++number) {
      const Members::Property& from = members.properties[number];
      QuickMembers::Property property;
      const PackedKey key = PackedKey::Of(members.names.text(number));
      property.head = key.head;
      property.tail = key.tail;
      property.size = key.size;
      property.node = from.node != kNoNode ? from.node : members.additional;
      property.is_required = from.required;
      property.is_evaluated = from.node != kNoNode;
      quick.properties.push_back(property);
    }
    const Kernel kernel = quick.additional == kNoNode ? Kernel::kMembers : Kernel::kClosed;
    return Keep(kernel, quick_.members, std::move(quick));
  }

  std::optional<QuickNode> Combinator(const Instruction& instruction) {
    switch (instruction.op) {
      case Op::kEnum:
        return QuickNode{&program_.enums[instruction.a], Kernel::kEnum, QuickTypes()};
      case Op::kConst: {
        const json::Value* constant = program_.constants[instruction.a];
        return Keep(Kernel::kEnum, quick_.enums, EnumOf({constant, 1}));
      }
      case Op::kReference:
        return Keep(Kernel::kAllOf, quick_.lists, QuickList{instruction.a});
      case Op::kAllOf:
        return Keep(Kernel::kAllOf, quick_.lists, program_.lists[instruction.a]);
      case Op::kAnyOf:
        return Keep(Kernel::kAnyOf, quick_.lists, program_.lists[instruction.a]);
      case Op::kOneOf:
        return Keep(Kernel::kOneOf, quick_.lists, program_.lists[instruction.a]);
      case Op::kNot:
        return Keep(Kernel::kNot, quick_.lists, QuickList{instruction.a});
      case Op::kIf: {
        const Conditional& from = program_.conditionals[instruction.a];
        return Keep(Kernel::kIf, quick_.conditionals, QuickIf{from.condition, from.then, from.otherwise});
      }
      case Op::kDynamicReference: {
        const DynamicReference& from = program_.dynamic_references[instruction.a];
        return Keep(Kernel::kDynamicReference, quick_.dynamics, QuickDynamic{from.fallback, from.targets});
      }
      default:
        return std::nullopt;
    }
  }

  Program& program_;
  QuickProgram& quick_;
};

}  // namespace

void ChooseKernels(Program& program) {
  Chooser(program).Run();
  Fold(program.quick);
}

}  // namespace openseat::schema
