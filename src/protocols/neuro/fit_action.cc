#include "protocols/neuro/fit_action.h"

#include <algorithm>
#include <array>
#include <utility>

#include "protocols/neuro/action_check.h"

namespace openseat::neuro {
namespace {

constexpr std::string_view kWrapped = "value";

// Keywords whose value is a schema, a list of schemas, or an object of schemas by name; only those that the API allows.
constexpr auto kOfSchema = std::to_array<std::string_view>({"items", "contains", "propertyNames"});
constexpr auto kOfSchemas = std::to_array<std::string_view>({"prefixItems"});
constexpr auto kOfNamedSchemas = std::to_array<std::string_view>({"properties"});

bool SaysObject(const json::Value& schema) {
  const json::Value* type = json::Find(schema, "type");
  return type != nullptr && type->is_string() && json::View(type->get_string()) == "object";
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
  Result<json::Value> data = json::Parse(*text);
  if (!data) return data;
  const auto found = by_wire_name_.find(wire_name);
  if (found == by_wire_name_.end() || !found->second.wrapped) return data;
  // If the member is missing, the referee reports that the data does not fit.
  if (const json::Value* value = json::Find(*data, kWrapped)) return json::Value(*value);
  return data;
}

}  // namespace openseat::neuro
