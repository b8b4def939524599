#include "protocols/neuro/schema_advice.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/text.h"
#include "protocols/neuro/diagnostics.h"

namespace openseat::neuro {
namespace {

constexpr std::size_t kManyChoices = 100;  // values of one enum
constexpr std::size_t kLongText = 8192;    // bytes of the schema
constexpr std::size_t kDeepNesting = 4;    // nesting of objects and arrays in the data
constexpr std::size_t kShortRow = 4;       // plain values in an array that is still readable as one: a cell, a date

struct Applies {
  std::string_view keyword;
  std::string_view type;
};
constexpr auto kApplies = std::to_array<Applies>({
    {"minimum", "number"},
    {"maximum", "number"},
    {"exclusiveMinimum", "number"},
    {"exclusiveMaximum", "number"},
    {"minLength", "string"},
    {"maxLength", "string"},
    {"pattern", "string"},
    {"items", "array"},
    {"prefixItems", "array"},
    {"minItems", "array"},
    {"maxItems", "array"},
    {"contains", "array"},
    {"properties", "object"},
    {"required", "object"},
});

struct Bounds {
  std::string_view high;
  std::string_view low;
};
constexpr auto kBounds = std::to_array<Bounds>(
    {{"maximum", "minimum"}, {"maxLength", "minLength"}, {"maxItems", "minItems"}, {"maxContains", "minContains"}});

std::string Where(const schema::Inspection& inspection, const schema::KeywordUse& use) {
  const std::string pointer = inspection.paths.PointerOf(use.path);
  return pointer.empty() ? std::string("the root") : "`" + Ellipsize(pointer, kMaxQuoted) + "`";
}

// The word for an enum member's type; integers and other numbers count as one.
std::string_view RoughType(const json::Value& value) {
  return value.is_number() ? std::string_view("number") : json::TypeName(value);
}

bool IsShortRow(const json::Value& value) {
  const json::Array* row = value.if_array();
  if (row == nullptr || row->size() > kShortRow) return false;
  return std::ranges::none_of(*row, [](const json::Value& each) { return each.is_object() || each.is_array(); });
}

std::string CheckEnum(const json::Value& values) {
  const json::Array* list = values.if_array();
  if (list == nullptr) return {};
  if (list->size() > kManyChoices) {
    return " lists " + std::to_string(list->size()) + " values to choose from";
  }
  std::string_view type;
  for (const json::Value& value : *list) {
    if (value.is_null()) continue;
    const bool nested = value.is_object() || (value.is_array() && !IsShortRow(value));
    if (nested) return " lists objects or arrays as values";
    if (!type.empty() && RoughType(value) != type) return " mixes values of several types";
    type = RoughType(value);
  }
  return {};
}

std::string CheckType(const json::Value& type) {
  const json::Array* list = type.if_array();
  if (list == nullptr) return {};
  const auto named =
      std::ranges::count_if(*list, [](const json::Value& name) { return !json::Equal(name, json::Value("null")); });
  return named > 1 ? " allows several types" : "";
}

std::string CheckRequired(const json::Value& required, const json::Object& parent) {
  const json::Array* names = required.if_array();
  if (names == nullptr) return {};
  const json::Value* properties = json::Find(parent, "properties");
  for (const json::Value& name : *names) {
    if (!name.is_string()) continue;
    const std::string_view text = json::View(name.get_string());
    if (properties == nullptr || json::Find(*properties, text) == nullptr) {
      return " requires " + json::Excerpt(name, kMaxQuoted) + ", which its properties do not have";
    }
  }
  return {};
}

std::string CheckBounds(const schema::KeywordUse& use, const json::Value& high, const json::Object& parent) {
  const auto bounds = std::ranges::find(kBounds, use.keyword, &Bounds::high);
  if (bounds == kBounds.end()) return {};
  const json::Value* low = json::Find(parent, bounds->low);
  if (low == nullptr || !low->is_number() || !high.is_number()) return {};
  if (low->to_number<double>() <= high.to_number<double>()) return {};
  return " can never be met: its " + std::string(bounds->low) + " is above its " + std::string(use.keyword);
}

// A keyword that says nothing about values of the schema's type.
std::string CheckApplies(const schema::KeywordUse& use, const json::Object& parent) {
  const auto applies = std::ranges::find(kApplies, use.keyword, &Applies::keyword);
  if (applies == kApplies.end()) return {};
  const json::Value* type = json::Find(parent, "type");
  if (type == nullptr || !type->is_string()) return {};
  const std::string_view name = json::View(type->get_string());
  if (name == applies->type || (name == "integer" && applies->type == "number")) return {};
  return " has `" + std::string(use.keyword) + "`, which says nothing about type " + json::Excerpt(*type, kMaxQuoted);
}

// The rest of a sentence about the subschema, or nothing.
std::string Check(const schema::KeywordUse& use, const json::Value& value, const json::Object& parent) {
  if (use.keyword == "enum") return CheckEnum(value);
  if (use.keyword == "type") return CheckType(value);
  if (std::string reason = CheckApplies(use, parent); !reason.empty()) return reason;
  if (use.keyword == "required") return CheckRequired(value, parent);
  return CheckBounds(use, value, parent);
}

}  // namespace

std::vector<std::string> ConfusingParts(const schema::Inspection& inspection, std::size_t max_reasons) {
  std::vector<std::string> reasons;
  std::uint32_t nesting = 0;
  for (const schema::KeywordUse& use : inspection.uses) {
    nesting = std::max(nesting, use.data_depth);
    if (reasons.size() == max_reasons) continue;
    const std::string reason = Check(use, use.schema->at(use.keyword), *use.schema);
    if (!reason.empty()) reasons.push_back(Where(inspection, use) + reason);
  }
  if (nesting > kDeepNesting && reasons.size() < max_reasons) {
    reasons.push_back("the data nests " + std::to_string(nesting) + " levels deep");
  }
  if (inspection.bytes > kLongText && reasons.size() < max_reasons) {
    reasons.push_back("it is " + std::to_string(inspection.bytes) + " bytes long");
  }
  return reasons;
}

}  // namespace openseat::neuro
