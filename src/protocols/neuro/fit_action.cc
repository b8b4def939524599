#include "protocols/neuro/fit_action.h"

#include <algorithm>
#include <array>
#include <limits>
#include <set>
#include <utility>
#include <vector>

#include "protocols/neuro/action_check.h"
#include "schema/measure.h"

namespace openseat::neuro {
namespace {

constexpr std::string_view kWrapped = "value";
// Longer lists of values are left out of a schema that stands for alternatives.
constexpr std::size_t kMostValues = 1000;
constexpr std::uint64_t kStepsOfMember = 20;  // of an object, in addition to its value

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

// Schemas, or values of one keyword in several schemas. Never empty.
using Several = std::vector<const json::Value*>;

bool AllEqual(const Several& several) {
  return std::ranges::all_of(several, [&](const json::Value* each) { return *each == *several.front(); });
}

// The members of that name; fewer than there are objects if one has none. REQUIRES objects.
Several MembersOf(const Several& objects, std::string_view name) {
  Several members;
  for (const json::Value* object : objects) {
    const json::Value* member = json::Find(*object, name);
    if (member == nullptr) break;
    members.push_back(member);
  }
  return members;
}

// REQUIRES objects.
std::optional<json::Array> ValuesOfAny(const Several& schemas) {
  json::Array values;
  std::set<std::string> known;  // as text
  for (const json::Value* schema : schemas) {
    const std::optional<json::Array> allowed = AllowedValues(schema->get_object());
    if (!allowed) return std::nullopt;
    for (const json::Value& each : *allowed) {
      if (known.insert(json::Write(each)).second) values.push_back(each);
    }
    if (values.size() > kMostValues) return std::nullopt;
  }
  return values;
}

// The strings that are in all of the lists. REQUIRES arrays.
json::Array InAll(const Several& lists) {
  json::Array common = lists.front()->get_array();
  for (const json::Value* list : lists) {
    std::set<std::string_view> listed;
    for (const json::Value& each : list->get_array()) {
      if (each.is_string()) listed.insert(json::View(each.get_string()));
    }
    json::Array kept;
    for (const json::Value& each : common) {
      if (each.is_string() && listed.contains(json::View(each.get_string()))) kept.push_back(each);
    }
    common = std::move(kept);
  }
  return common;
}

// Once its budget is exhausted, what it returns means nothing.
class Fitter {
 public:
  explicit Fitter(schema::Budget& budget) : budget_(budget) {}

  json::Value Fit(const json::Value& schema) {
    const json::Object* given = schema.if_object();
    if (given == nullptr) return SpendFor(schema) ? schema : json::Value();
    json::Object fitted;
    if (!budget_.Spend(given->size() * kStepsOfMember)) return fitted;
    for (const auto& [key, value] : *given) {
      const std::string_view keyword = json::View(key);
      if (IsUnsupportedKeyword(keyword) || keyword == "additionalProperties") continue;
      fitted[key] = FitMember(keyword, value);
    }
    for (const std::string_view keyword : kAlternatives) {
      const json::Value* alternatives = given->if_contains(keyword);
      if (alternatives != nullptr && alternatives->is_array()) AddAlternatives(fitted, alternatives->get_array());
    }
    return fitted;
  }

 private:
  // The cost of looking at all of a value, and of copying it.
  bool SpendFor(const json::Value& value) {
    if (budget_.exhausted()) return false;
    const schema::Measure measure =
        schema::MeasureValue(value, {budget_.left() * 4, budget_.left(), std::numeric_limits<std::size_t>::max()});
    return budget_.Spend(measure.nodes * 4 + measure.bytes / 4);
  }

  json::Value FitMember(std::string_view keyword, const json::Value& value) {
    if (std::ranges::find(kOfSchema, keyword) != kOfSchema.end()) return Fit(value);
    if (std::ranges::find(kOfSchemas, keyword) != kOfSchemas.end() && value.is_array()) {
      json::Array list;
      for (const json::Value& each : value.get_array()) list.push_back(Fit(each));
      return list;
    }
    if (std::ranges::find(kOfNamedSchemas, keyword) != kOfNamedSchemas.end() && value.is_object()) {
      json::Object named;
      if (!budget_.Spend(value.get_object().size() * kStepsOfMember)) return named;
      for (const auto& [name, each] : value.get_object()) named[name] = Fit(each);
      return named;
    }
    return SpendFor(value) ? value : json::Value();
  }

  // Adds what every alternative of the list says, as far as the schema itself does not say it.
  void AddAlternatives(json::Object& fitted, const json::Array& alternatives) {
    if (alternatives.empty()) return;
    std::vector<json::Value> each_fitted;
    for (const json::Value& alternative : alternatives) each_fitted.push_back(Fit(alternative));
    Several several;
    for (const json::Value& each : each_fitted) several.push_back(&each);
    json::Value any = AnyOf(several);
    if (!any.is_object()) return;
    for (auto& [key, value] : any.get_object()) fitted.emplace(key, std::move(value));
  }

  // A schema without alternatives that allows all that one of the fitted schemas allows, and often more.
  json::Value AnyOf(const Several& schemas) {
    if (!std::ranges::all_of(schemas, [this](const json::Value* each) { return SpendFor(*each); })) return nullptr;
    if (AllEqual(schemas)) return *schemas.front();
    json::Object any;
    if (!std::ranges::all_of(schemas, &json::Value::is_object)) return any;
    if (std::optional<json::Array> values = ValuesOfAny(schemas)) any["enum"] = *std::move(values);
    for (const auto& [key, value] : schemas.front()->get_object()) {
      if (key == "enum" || key == "const") continue;
      const Several members = MembersOf(schemas, json::View(key));
      if (members.size() < schemas.size()) continue;
      if (AllEqual(members)) {
        any[key] = value;
      } else if (key == "properties" && std::ranges::all_of(members, &json::Value::is_object)) {
        any[key] = AnyProperties(members);
      } else if (key == "required" && std::ranges::all_of(members, &json::Value::is_array)) {
        any[key] = InAll(members);
      } else if (std::ranges::find(kOfSchema, json::View(key)) != kOfSchema.end()) {
        any[key] = AnyOf(members);
      }
    }
    return any;
  }

  // REQUIRES objects of schemas.
  json::Object AnyProperties(const Several& objects) {
    json::Object all;
    std::map<std::string_view, Several> by_name;
    for (const json::Value* object : objects) {
      for (const auto& [name, schema] : object->get_object()) {
        all.emplace(name, nullptr);
        by_name[json::View(name)].push_back(&schema);
      }
    }
    for (auto& [name, schema] : all) schema = AnyOf(by_name[json::View(name)]);
    return all;
  }

  schema::Budget& budget_;
};

// Long stems whose names with a suffix might be the same share their suffixes.
std::string_view KeyOf(std::string_view stem) {
  constexpr std::size_t kLongestSuffix = 8;
  return stem.substr(0, kMaxToolName - kLongestSuffix);
}

}  // namespace

Result<json::Value> FitSchema(const json::Value& schema, schema::Budget& budget) {
  json::Value fitted = Fitter(budget).Fit(schema);
  if (budget.exhausted()) return Fail(budget.Exceeded("be fitted to the Neuro API"));
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

std::string Suffixes::Take(const std::string& stem, const std::function<bool(const std::string&)>& taken) {
  Stem& use = stems_[std::string(KeyOf(stem))];
  ++use.used;
  std::string name = stem;
  while (taken(name)) {
    const std::string suffix = "_" + std::to_string(++use.suffix);
    name = stem.substr(0, kMaxToolName - suffix.size()) + suffix;
  }
  return name;
}

void Suffixes::Free(const std::string& stem) {
  const auto found = stems_.find(KeyOf(stem));
  if (found != stems_.end() && --found->second.used == 0) stems_.erase(found);
}

std::string FittedActions::WireName(const std::string& action) {
  std::string& name = wire_names_[action];
  if (name.empty()) {
    name = suffixes_.Take(FitName(action), [this](const std::string& wire) { return by_wire_name_.contains(wire); });
  }
  return name;
}

void FittedActions::Remove(const std::string& wire_name) {
  const auto found = by_wire_name_.find(wire_name);
  if (found == by_wire_name_.end()) return;
  suffixes_.Free(FitName(found->second.action));
  wire_names_.erase(found->second.action);
  by_wire_name_.erase(found);
}

ActionDefinition FittedActions::Put(const Action& action, schema::Budget& budget) {
  ActionDefinition definition{WireName(action.name), action.description, std::nullopt};
  Entry& entry = by_wire_name_[definition.name];
  entry = {action.name, false};
  if (definition.description.empty()) definition.description = action.name;
  if (!action.schema) return definition;
  json::Value schema = *action.schema;
  if (action.compiled() != nullptr) {
    if (Result<json::Value> fitted = FitSchema(schema, budget)) schema = *std::move(fitted);
  }
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
