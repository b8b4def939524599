// QuickProgram: a second form of the program, for the fast path to a verdict (quick.h). Each node is one of a few kinds
// of check, each with its own rule that holds just what it needs, laid out to be read in order.
//
// A node with several parts is split: quick nodes beyond the program's own represent parts of one.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/json.h"
#include "schema/formats/formats.h"
#include "schema/regex/regex_short.h"
#include "schema/validate/enums.h"
#include "schema/validate/key_table.h"

namespace openseat::schema {

using NodeId = std::uint32_t;
inline constexpr NodeId kNoNode = 0xFFFFFFFF;

// Types as bits. A JSON number is kInteger or kFraction, never both.
enum TypeBit : std::uint8_t {
  kNull = 1,
  kBoolean = 2,
  kInteger = 4,
  kFraction = 8,
  kString = 16,
  kArray = 32,
  kObject = 64,
};
inline constexpr std::uint8_t kAllTypes = 127;

enum class Kernel : std::uint8_t {
  kTypes,             // only `types`
  kNumber,            // QuickRange
  kText,              // QuickText
  kEnum,              // Enum
  kMembers,           // QuickMembers without `additional`
  kClosed,            // QuickMembers with it
  kItems,             // QuickItems
  kAllOf,             // QuickList
  kAnyOf,             // QuickList
  kOneOf,             // QuickList
  kNot,               // QuickList of one
  kIf,                // QuickIf
  kDynamicReference,  // QuickDynamic
  kUnevaluated,       // QuickUnevaluated
  kScope,             // QuickScope
  kGeneral,           // anything else: left to the general runner (runner.h)
};

// The kinds of value that the types accept at once; of the others, only a double with `kInteger` may still be valid.
constexpr std::uint8_t KindsOf(std::uint8_t types) {
  std::uint8_t kinds = 0;
  const auto add = [&](std::uint8_t type, json::Kind kind) {
    if ((types & type) != 0) kinds = static_cast<std::uint8_t>(kinds | (1u << static_cast<unsigned>(kind)));
  };
  add(kNull, json::Kind::null);
  add(kBoolean, json::Kind::bool_);
  add(kInteger, json::Kind::int64);
  add(kInteger, json::Kind::uint64);
  add(kFraction, json::Kind::double_);
  add(kString, json::Kind::string);
  add(kArray, json::Kind::array);
  add(kObject, json::Kind::object);
  return kinds;
}

class QuickTypes {
 public:
  QuickTypes() = default;
  explicit QuickTypes(std::uint8_t types) : kinds_(KindsOf(types)), has_integer_((types & kInteger) != 0) {}
  bool Allow(const json::Value& value) const {
    if (((kinds_ >> static_cast<unsigned>(value.kind())) & 1) != 0) [[likely]]
      return true;
    return has_integer_ && value.is_double() && json::IsInteger(value);
  }
  bool AllowEverything() const { return kinds_ == 0xFF; }
  // The types that both allow. (Types that allow fractions allow integers.)
  QuickTypes And(const QuickTypes& other) const {
    QuickTypes both;
    both.kinds_ = kinds_ & other.kinds_;
    both.has_integer_ = has_integer_ && other.has_integer_;
    return both;
  }

 private:
  std::uint8_t kinds_ = 0xFF;
  bool has_integer_ = true;
};

struct QuickNode {
  const void* rule = nullptr;  // the kernel's rule
  Kernel kernel = Kernel::kGeneral;
  QuickTypes types;
  NodeId id = kNoNode;  // for kGeneral: the program's node
};
static_assert(sizeof(QuickNode) == 16);

// Both ends included. If no integer is allowed, low is above high.
struct QuickRange {
  std::int64_t low = std::numeric_limits<std::int64_t>::min();
  std::int64_t high = std::numeric_limits<std::int64_t>::max();
  double real_low = -std::numeric_limits<double>::infinity();
  double real_high = std::numeric_limits<double>::infinity();
  // Doubles whose bits, as a number, are in `bits_low` to `bits_low` + `bits_count` are in bounds: one comparison.
  // Others may be.
  std::uint64_t bits_low = 0;
  std::uint64_t bits_count = 0;
  // For integers beyond int64.
  std::uint64_t unsigned_low = 0;
  std::uint64_t unsigned_high = std::numeric_limits<std::uint64_t>::max();
};

inline constexpr std::uint32_t kNoPattern = 0xFFFFFFFF;

struct QuickText {
  std::uint64_t min = 0;
  std::uint64_t max = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t enough = 0;         // this many bytes are certainly `min` characters
  std::optional<RegexShort> shape;  // instead of `pattern`
  std::uint32_t pattern = kNoPattern;
  bool is_length_only = true;
  bool has_format = false;
  Format format = Format::kDate;
};

struct QuickItems {
  std::uint64_t min = 0;
  std::uint64_t max = std::numeric_limits<std::uint64_t>::max();
  std::vector<NodeId> prefix;
  NodeId rest = kNoNode;
  QuickNode others;  // the node `rest`
  bool is_unique = false;
};

struct QuickMembers {
  // Where a property was found if it was not at its place in the schema's order: tried first the next time. Only a
  // guess, which any thread may change.
  class Guess {
   public:
    Guess() = default;
    Guess(const Guess& other) : index_(static_cast<std::uint8_t>(other.Get())) {}
    Guess& operator=(const Guess&) = delete;
    std::size_t Get() const { return index_.load(std::memory_order_relaxed); }
    void Set(std::size_t index) const { index_.store(static_cast<std::uint8_t>(index), std::memory_order_relaxed); }

   private:
    mutable std::atomic<std::uint8_t> index_{0};
  };

  struct Property {
    std::uint64_t head = 0;  // of its PackedKey, like `tail` and `size`
    std::uint64_t tail = 0;
    QuickNode check;  // the node `node`
    std::uint32_t size = 0;
    // kNoNode: any value. If only `required` names it, what additionalProperties says.
    NodeId node = kNoNode;
    bool is_required = false;
    bool is_evaluated = false;  // named by `properties`
    Guess guess;
  };
  std::vector<Property> properties;  // by number in `names`
  const Property* first = nullptr;   // of `properties`, for code that only runs
  const Property* last = nullptr;    // past the last
  std::uint32_t count = 0;
  const KeyTable* names = nullptr;
  std::uint32_t required_count = 0;
  NodeId additional = kNoNode;
  QuickNode others;  // the node `additional`, or all that is allowed
};

using QuickList = std::vector<NodeId>;

struct QuickIf {
  NodeId condition = kNoNode;
  NodeId then = kNoNode;
  NodeId otherwise = kNoNode;
};

struct QuickDynamic {
  NodeId fallback = kNoNode;
  const std::vector<std::pair<std::uint32_t, NodeId>>* targets = nullptr;  // owned by the program
};

// Entering the node enters the resource, which a $dynamicRef inside may refer to.
struct QuickScope {
  std::uint32_t resource = 0;
  NodeId inner = kNoNode;
};

// The node's other parts, which mark what they evaluate, and then the check of the rest.
struct QuickUnevaluated {
  QuickList parts;
  NodeId items = kNoNode;
  NodeId properties = kNoNode;
};

// Owns the rules; the nodes point into them.
struct QuickProgram {
  std::vector<QuickNode> nodes;
  std::vector<std::unique_ptr<const QuickRange>> ranges;
  std::vector<std::unique_ptr<const QuickText>> texts;
  std::vector<std::unique_ptr<const Enum>> enums;
  std::vector<std::unique_ptr<QuickItems>> items;
  std::vector<std::unique_ptr<QuickMembers>> members;
  std::vector<std::unique_ptr<const KeyTable>> names;  // of merged members
  std::vector<std::unique_ptr<QuickList>> lists;
  std::vector<std::unique_ptr<const QuickIf>> conditionals;
  std::vector<std::unique_ptr<const QuickDynamic>> dynamics;
  std::vector<std::unique_ptr<QuickUnevaluated>> unevaluated;
  std::vector<std::unique_ptr<const QuickScope>> scopes;
};

}  // namespace openseat::schema
