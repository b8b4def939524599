#include "schema/validate/explain.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "base/text.h"
#include "schema/formats/uri.h"
#include "schema/keywords.h"

namespace openseat::schema {
namespace {

constexpr std::size_t kMaxListed = 20;
constexpr std::size_t kMaxListBytes = 400;
constexpr std::size_t kMaxPathBytes = 300;
constexpr std::size_t kMaxExplainedBytes = 3000;

bool IsIdentifier(std::string_view name) {
  const auto is_start = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$'; };
  return !name.empty() && is_start(name[0]) &&
         std::ranges::all_of(name, [&](char c) { return is_start(c) || (c >= '0' && c <= '9') || c == '-'; });
}

std::vector<const InstancePath*> FromRoot(const InstancePath* path) {
  std::vector<const InstancePath*> steps;
  for (; path != nullptr; path = path->outer) steps.push_back(path);
  std::ranges::reverse(steps);
  return steps;
}

std::string JoinWithOr(const std::vector<std::string>& words) {
  std::string out;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) out += i + 1 == words.size() ? " or " : ", ";
    out += words[i];
  }
  return out;
}

}  // namespace

std::string QuotedName(std::string_view name) {
  std::string out;
  json::WriteString(Ellipsize(name, 60), out);
  return out;
}

std::string PathForPeople(const InstancePath* path) {
  std::string out;
  for (const InstancePath* step : FromRoot(path)) {
    if (step->is_property_name) continue;
    if (step->is_index) {
      out.append("[").append(std::to_string(step->index)).append("]");
    } else if (IsIdentifier(step->name)) {
      if (!out.empty()) out += ".";
      out += Ellipsize(step->name, kMaxPathBytes);
    } else {
      out += "[" + QuotedName(step->name) + "]";
    }
    if (out.size() > kMaxPathBytes) return Ellipsize(out, kMaxPathBytes);
  }
  return out;
}

std::string PathAsPointer(const InstancePath* path) {
  std::string out;
  for (const InstancePath* step : FromRoot(path)) {
    if (step->is_property_name) continue;
    AppendPointerToken(out, step->is_index ? std::string_view(std::to_string(step->index)) : step->name);
  }
  return out;
}

std::string Subject(const InstancePath* path) {
  if (path == nullptr) return "the value";
  std::string out;
  if (!path->is_property_name) return out.append("`").append(PathForPeople(path)).append("`");
  out = "the property name " + QuotedName(path->name);
  if (path->outer != nullptr) out += " in " + Subject(path->outer);
  return out;
}

std::string ExpectedType(std::uint8_t types, const json::Value& got) {
  if (types == 0) return "is not allowed here; got " + Brief(got);
  std::vector<std::string> words;
  if ((types & kObject) != 0) words.emplace_back("an object");
  if ((types & kArray) != 0) words.emplace_back("an array");
  if ((types & kString) != 0) words.emplace_back("a string");
  if ((types & kFraction) != 0) {
    words.emplace_back("a number");
  } else if ((types & kInteger) != 0) {
    words.emplace_back("an integer");
  }
  if ((types & kBoolean) != 0) words.emplace_back("true or false");
  if ((types & kNull) != 0) words.emplace_back("null");
  const std::string_view name = json::TypeName(got);
  const bool short_enough = !got.is_object() && !got.is_array();
  return "must be " + JoinWithOr(words) + "; got " +
         (got.is_null() ? "null"
                        : "the " + std::string(name) + (short_enough ? " " : "") + (short_enough ? Brief(got) : ""));
}

std::string ExpectedNumber(const Program& program, const Instruction& instruction, const json::Value& got) {
  std::string_view relation;
  switch (instruction.op) {
    case Op::kMinimum:
      relation = "at least";
      break;
    case Op::kExclusiveMinimum:
      relation = "greater than";
      break;
    case Op::kMaximum:
      relation = "at most";
      break;
    case Op::kExclusiveMaximum:
      relation = "less than";
      break;
    default:
      relation = "a multiple of";
      break;
  }
  return "must be " + std::string(relation) + " " + Brief(*program.numbers[instruction.a]) + "; got " + Brief(got);
}

std::string Counted(std::uint64_t count, std::string_view singular, std::string_view plural) {
  return std::to_string(count) + " " + std::string(count == 1 ? singular : plural);
}

std::string ExpectedLength(Op op, std::uint64_t limit, std::size_t got) {
  const bool least = op == Op::kMinLength || op == Op::kMinItems || op == Op::kMinProperties;
  std::string_view singular = "property";
  std::string_view plural = "properties";
  if (op == Op::kMinLength || op == Op::kMaxLength) {
    singular = "character";
    plural = "characters";
  } else if (op == Op::kMinItems || op == Op::kMaxItems) {
    singular = "item";
    plural = "items";
  }
  return std::string("must have at ") + (least ? "least " : "most ") + Counted(limit, singular, plural) + "; got " +
         std::to_string(got);
}

std::string ExpectedEnum(const Enum& values, const json::Value& got) {
  const std::span<const json::Value> all = values.values;
  if (all.empty()) return "cannot be valid: its enum is empty; got " + Brief(got);
  if (all.size() == 1) return "must be " + Brief(all[0]) + "; got " + Brief(got);
  std::string out = "must be one of ";
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i >= kMaxListed || out.size() > kMaxListBytes) {
      out += " … (" + std::to_string(all.size()) + " in total)";
      break;
    }
    if (i > 0) out += ", ";
    out += Brief(all[i]);
  }
  return out + "; got " + Brief(got);
}

std::string_view KeywordOf(Op op) {
  switch (op) {
    case Op::kMinimum:
      return "minimum";
    case Op::kExclusiveMinimum:
      return "exclusiveMinimum";
    case Op::kMaximum:
      return "maximum";
    case Op::kExclusiveMaximum:
      return "exclusiveMaximum";
    case Op::kMultipleOf:
      return "multipleOf";
    case Op::kMinLength:
      return "minLength";
    case Op::kMaxLength:
      return "maxLength";
    case Op::kPattern:
      return "pattern";
    case Op::kFormat:
      return "format";
    case Op::kMinItems:
      return "minItems";
    case Op::kMaxItems:
      return "maxItems";
    case Op::kItems:
      return "items";
    case Op::kContains:
      return "contains";
    case Op::kUniqueItems:
      return "uniqueItems";
    case Op::kMinProperties:
      return "minProperties";
    case Op::kMaxProperties:
      return "maxProperties";
    case Op::kMembers:
      return "properties";
    case Op::kPropertyNames:
      return "propertyNames";
    case Op::kDependentRequired:
      return "dependentRequired";
    case Op::kDependentSchemas:
      return "dependentSchemas";
    case Op::kEnum:
      return "enum";
    case Op::kConst:
      return "const";
    case Op::kReference:
      return "$ref";
    case Op::kDynamicReference:
      return "$dynamicRef";
    case Op::kAllOf:
      return "allOf";
    case Op::kAnyOf:
      return "anyOf";
    case Op::kOneOf:
      return "oneOf";
    case Op::kNot:
      return "not";
    case Op::kIf:
      return "if";
    case Op::kUnevaluatedItems:
      return "unevaluatedItems";
    case Op::kUnevaluatedProperties:
      return "unevaluatedProperties";
  }
  return "";
}

std::string Explain(const std::vector<Violation>& violations) {
  std::string out;
  for (std::size_t i = 0; i < violations.size(); ++i) {
    if (out.size() > kMaxExplainedBytes) return out + "; … and " + std::to_string(violations.size() - i) + " more";
    if (!out.empty()) out += "; ";
    out += violations[i].message;
  }
  return out;
}

}  // namespace openseat::schema
