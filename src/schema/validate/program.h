// Program: the compiled form of a schema. Flat: subschemas are numbered nodes, keywords are instructions in one array,
// and everything larger (property tables, enums, patterns) is in side tables by index. docs/schema.md describes it.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/json.h"
#include "schema/formats/formats.h"
#include "schema/paths.h"
#include "schema/regex/regex.h"
#include "schema/schema.h"
#include "schema/validate/enums.h"
#include "schema/validate/key_table.h"
#include "schema/validate/quick_program.h"

namespace openseat::schema {

enum class Op : std::uint8_t {
  // numbers
  kMinimum,
  kExclusiveMinimum,
  kMaximum,
  kExclusiveMaximum,
  kMultipleOf,
  // strings
  kMinLength,
  kMaxLength,
  kPattern,
  kFormat,
  // arrays
  kMinItems,
  kMaxItems,
  kItems,
  kContains,
  kUniqueItems,
  // objects
  kMinProperties,
  kMaxProperties,
  kMembers,
  kPropertyNames,
  kDependentRequired,
  kDependentSchemas,
  // whatever the type
  kEnum,
  kConst,
  kReference,
  kDynamicReference,
  kAllOf,
  kAnyOf,
  kOneOf,
  kNot,
  kIf,
  kUnevaluatedItems,
  kUnevaluatedProperties,
};

struct Instruction {
  Op op;
  bool never = false;       // for minimum and the like: no int64 satisfies it
  std::uint32_t a = 0;      // a node, or an index into the side table of the op
  std::uint64_t count = 0;  // of min/maxLength, -Items, -Properties; for const: the cost of comparing
  std::int64_t whole = 0;   // for minimum and the like: the nearest int64 that satisfies it; the usual case
};

// The groups of instructions, by kind of instance.
enum Group : std::uint8_t { kNumbers, kStrings, kArrays, kObjects, kEverything, kGroupCount };

struct Node {
  std::uint8_t types = kAllTypes;  // the types allowed by `type`; 0 for the schema `false`
  bool is_plain = true;            // has nothing but `types`
  bool tracks = false;             // has an unevaluatedItems or -Properties that must know what was evaluated
  std::uint32_t begin[kGroupCount + 1] = {};  // group g: code[begin[g]] to code[begin[g + 1]]
  std::uint32_t resource = 0;
};

// properties, patternProperties, additionalProperties and required, checked in one pass over the members.
struct Members {
  struct Property {
    NodeId node = kNoNode;  // none: only `required`
    bool required = false;
  };
  KeyTable names;
  std::vector<Property> properties;  // by the number in `names`
  std::uint32_t required_count = 0;
  std::vector<std::uint32_t> required;                     // numbers, in the schema's order
  std::vector<std::pair<std::uint32_t, NodeId>> patterns;  // regex, node
  NodeId additional = kNoNode;
  bool additional_is_unevaluated = false;  // `additional` stands for unevaluatedProperties
};

struct Items {
  std::vector<NodeId> prefix;
  NodeId rest = kNoNode;
  bool rest_is_unevaluated = false;  // `rest` stands for unevaluatedItems
};

struct Contains {
  NodeId node = kNoNode;
  std::uint64_t min = 1;
  std::uint64_t max = std::numeric_limits<std::uint64_t>::max();
  bool has_min = false;
};

struct DependentRequired {
  struct Entry {
    std::string name;
    std::vector<std::string> required;
    const char* keyword;  // as the schema spells it
  };
  std::vector<Entry> entries;
};

struct DependentSchemas {
  std::vector<std::pair<std::string, NodeId>> entries;
};

// The resources that have a $dynamicAnchor of one name, ascending, and its target in each.
using DynamicTargets = std::vector<std::pair<std::uint32_t, NodeId>>;

struct DynamicReference {
  NodeId fallback = kNoNode;
  const DynamicTargets* targets = nullptr;  // one of dynamic_targets
};

struct Conditional {
  NodeId condition = kNoNode;
  NodeId then = kNoNode;
  NodeId otherwise = kNoNode;
};

struct Program {
  json::Value source;
  std::vector<std::shared_ptr<const json::Value>> documents;  // that the tables point into, besides the source
  CompileLimits limits;
  std::size_t memory = 0;  // see Schema::memory

  NodeId root = 0;
  bool has_dynamic_references = false;
  std::vector<Node> nodes;
  std::vector<Instruction> code;
  std::vector<const json::Value*> numbers;  // the limits of minimum and its like, the divisors of multipleOf
  std::vector<Regex> patterns;
  std::vector<std::string> pattern_texts;
  std::vector<Format> formats;
  std::vector<Members> members;
  std::vector<Items> items;
  std::vector<Contains> contains;
  std::vector<Enum> enums;
  std::vector<const json::Value*> constants;
  std::vector<std::vector<NodeId>> lists;  // of allOf, anyOf, oneOf
  std::vector<DependentRequired> dependent_required;
  std::vector<DependentSchemas> dependent_schemas;
  std::vector<DynamicReference> dynamic_references;
  std::map<std::string, DynamicTargets, std::less<>> dynamic_targets;  // by the anchor's name
  std::vector<Conditional> conditionals;

  QuickProgram quick;

  // By node, for messages and the generator.
  struct Origin {
    const json::Value* schema = nullptr;
    PathId path{};
  };
  std::vector<Origin> origins;
  Paths paths;
};

}  // namespace openseat::schema
