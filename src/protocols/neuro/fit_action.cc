#include "protocols/neuro/fit_action.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "protocols/neuro/action_check.h"

namespace openseat::neuro {
namespace {

constexpr std::string_view kWrapped = "value";
// Longer lists of values are left out of a schema that stands for alternatives.
constexpr std::size_t kMostValues = 1000;

// Keywords whose value is a schema, a list of schemas, or an object of schemas by name; only those that the API allows.
constexpr auto kOfSchema = std::to_array<std::string_view>({"items", "contains", "propertyNames"});
constexpr auto kOfSchemas = std::to_array<std::string_view>({"prefixItems"});
constexpr auto kOfNamedSchemas = std::to_array<std::string_view>({"properties"});

constexpr auto kAlternatives = std::to_array<std::string_view>({"anyOf", "oneOf"});

bool SaysObject(const json::Value& schema) {
  const json::Value* type = json::Find(schema, "type");
  return type != nullptr && type->is_string() && json::View(type->get_string()) == "object";
}

// The values that enum or const allows; nullopt where neither limits them.
std::optional<json::Array> AllowedValues(const json::Object& schema) {
  if (const json::Value* only = schema.if_contains("const")) return json::Array{*only};
  const json::Value* values = schema.if_contains("enum");
  if (values == nullptr || !values->is_array()) return std::nullopt;
  return values->get_array();
}

std::optional<json::Array> EitherOf(std::optional<json::Array> values, const std::optional<json::Array>& more) {
  if (!values || !more || values->size() + more->size() > kMostValues) return std::nullopt;
  for (const json::Value& each : *more) {
    if (std::ranges::find(*values, each) == values->end()) values->push_back(each);
  }
  return values;
}

json::Value Either(const json::Value& left, const json::Value& right);

json::Object EitherProperties(const json::Object& left, const json::Object& right) {
  json::Object all = left;
  for (const auto& [name, schema] : right) {
    json::Value& known = all.emplace(name, schema).first->value();
    known = Either(known, schema);
  }
  return all;
}

json::Array InBoth(const json::Array& left, const json::Array& right) {
  json::Array both;
  std::ranges::copy_if(left, std::back_inserter(both),
                       [&](const json::Value& each) { return std::ranges::find(right, each) != right.end(); });
  return both;
}

// A schema without alternatives that allows all that one of the two fitted schemas allows, and often more.
json::Value Either(const json::Value& left, const json::Value& right) {
  if (left == right || !left.is_object() || !right.is_object()) return left == right ? left : json::Object();
  const json::Object& one = left.get_object();
  const json::Object& other = right.get_object();
  json::Object either;
  if (std::optional<json::Array> values = EitherOf(AllowedValues(one), AllowedValues(other))) {
    either["enum"] = *std::move(values);
  }
  for (const auto& [key, value] : one) {
    const json::Value* same = other.if_contains(key);
    if (same == nullptr || key == "enum" || key == "const") continue;
    if (*same == value) {
      either[key] = value;
    } else if (key == "properties" && value.is_object() && same->is_object()) {
      either[key] = EitherProperties(value.get_object(), same->get_object());
    } else if (key == "required" && value.is_array() && same->is_array()) {
      either[key] = InBoth(value.get_array(), same->get_array());
    } else if (std::ranges::find(kOfSchema, json::View(key)) != kOfSchema.end()) {
      either[key] = Either(value, *same);
    }
  }
  return either;
}

// Adds what every alternative of the list says, as far as the schema itself does not say it.
void AddAlternatives(json::Object& fitted, const json::Array& alternatives) {
  if (alternatives.empty()) return;
  json::Value either = FitSchema(alternatives[0]);
  for (std::size_t i = 1; i < alternatives.size(); ++i) either = Either(either, FitSchema(alternatives[i]));
  if (!either.is_object()) return;
  for (const auto& [key, value] : either.get_object()) fitted.emplace(key, value);
}

}  // namespace

json::Value FitSchema(const json::Value& schema) {
  const json::Object* given = schema.if_object();
  if (given == nullptr) return schema;
  json::Object fitted;
  for (const auto& [key, value] : *given) {
    const std::string_view keyword(key.data(), key.size());
    if (IsUnsupportedKeyword(keyword) || keyword == "additionalProperties") continue;
    if (std::ranges::find(kOfSchema, keyword) != kOfSchema.end()) {
      fitted[key] = FitSchema(value);
    } else if (std::ranges::find(kOfSchemas, keyword) != kOfSchemas.end() && value.is_array()) {
      json::Array list;
      for (const json::Value& each : value.get_array()) list.push_back(FitSchema(each));
      fitted[key] = std::move(list);
    } else if (std::ranges::find(kOfNamedSchemas, keyword) != kOfNamedSchemas.end() && value.is_object()) {
      json::Object named;
      for (const auto& [name, each] : value.get_object()) named[name] = FitSchema(each);
      fitted[key] = std::move(named);
    } else {
      fitted[key] = value;
    }
  }
  for (const std::string_view keyword : kAlternatives) {
    const json::Value* alternatives = given->if_contains(keyword);
    if (alternatives != nullptr && alternatives->is_array()) AddAlternatives(fitted, alternatives->get_array());
  }
  return fitted;
}

std::string FitName(std::string_view name) {
  std::string fitted;
  for (char c : name) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    const bool word = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    if (word) {
      fitted += c;
    } else if (!fitted.empty() && fitted.back() != '_' && fitted.back() != '-') {
      fitted += c == '-' ? '-' : '_';
    }
    if (fitted.size() == kMaxToolName) break;
  }
  while (!fitted.empty() && (fitted.back() == '_' || fitted.back() == '-')) fitted.pop_back();
  return fitted.empty() ? "action" : fitted;
}

std::string FittedActions::WireName(const std::string& action) const {
  for (const auto& [name, entry] : by_wire_name_) {
    if (entry.action == action) return name;
  }
  const std::string fitted = FitName(action);
  std::string name = fitted;
  for (int n = 2; by_wire_name_.contains(name); ++n) {
    const std::string suffix = "_" + std::to_string(n);
    name = fitted.substr(0, kMaxToolName - suffix.size()) + suffix;
  }
  return name;
}

ActionDefinition FittedActions::Put(const Action& action) {
  ActionDefinition definition{WireName(action.name), action.description, std::nullopt};
  Entry& entry = by_wire_name_[definition.name];
  entry = {action.name, false};
  if (definition.description.empty()) definition.description = action.name;
  if (!action.schema) return definition;
  json::Value schema = FitSchema(*action.schema);
  if (!SaysObject(schema)) {
    entry.wrapped = true;
    schema = json::Object{{"type", "object"},
                          {"properties", json::Object{{kWrapped, std::move(schema)}}},
                          {"required", json::Array{json::Value(kWrapped)}}};
  }
  definition.schema = std::move(schema);
  return definition;
}

std::string FittedActions::ActionName(std::string_view wire_name) const {
  const auto found = by_wire_name_.find(wire_name);
  return found == by_wire_name_.end() ? std::string(wire_name) : found->second.action;
}

Result<json::Value> FittedActions::Data(std::string_view wire_name, const std::optional<std::string>& text) const {
  if (!text) return json::Value();
  // Some send an empty text for an action that takes no data.
  if (std::ranges::all_of(*text, [](char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; })) {
    return json::Value();
  }
  Result<json::Value> data = json::Parse(*text, json::kInnerLimits);
  if (!data) return data;
  const auto found = by_wire_name_.find(wire_name);
  if (found == by_wire_name_.end() || !found->second.wrapped) return data;
  // If the member is missing, the referee reports that the data does not fit.
  if (const json::Value* value = json::Find(*data, kWrapped)) return json::Value(*value);
  return data;
}

}  // namespace openseat::neuro
