#include "testing/dialect_check.h"

#include <algorithm>
#include <functional>
#include <set>
#include <string_view>

namespace openseat::testing {
namespace {

using Faults = std::vector<std::string>;
using Visit = std::function<void(const json::Object& schema, const std::string& where, std::size_t level)>;

std::string Name(const boost::json::key_value_pair& member) {
  return std::string(member.key().data(), member.key().size());
}

// Calls `visit` for every subschema. A value that is not an object where a schema belongs is a fault. The parser bounds
// the depth.
void Walk(const json::Value& schema, const std::string& where, std::size_t level, Faults& faults, const Visit& visit) {
  const json::Object* object = schema.if_object();
  if (object == nullptr) {
    if (!schema.is_bool()) faults.push_back(where + " is not a schema");
    return;
  }
  visit(*object, where, level);
  for (const auto& member : *object) {
    const std::string name = Name(member);
    const std::string at = where + "/" + name;
    const json::Value& value = member.value();
    if (name == "properties" || name == "$defs") {
      if (!value.is_object()) {
        faults.push_back(at + " is not an object");
        continue;
      }
      const std::size_t deeper = name == "$defs" ? 0 : level + 1;
      for (const auto& each : value.get_object()) Walk(each.value(), at + "/" + Name(each), deeper, faults, visit);
    } else if (name == "anyOf" || name == "oneOf" || name == "allOf" || name == "prefixItems") {
      if (!value.is_array() || value.get_array().empty()) {
        faults.push_back(at + " is not a list of schemas");
        continue;
      }
      for (const json::Value& each : value.get_array()) {
        Walk(each, at, name == "prefixItems" ? level + 1 : level, faults, visit);
      }
    } else if (name == "items" || name == "additionalProperties" || name == "not") {
      Walk(value, at, level + 1, faults, visit);
    }
  }
}

void OnlyKnown(const json::Object& schema, const std::string& where, const std::set<std::string>& known,
               Faults& faults) {
  for (const auto& member : schema) {
    if (!known.contains(Name(member))) faults.push_back(where + ": the keyword " + Name(member) + " is not supported");
  }
}

bool SaysObject(const json::Object& schema) {
  const json::Value* type = json::Find(schema, "type");
  if (type == nullptr) return false;
  if (type->is_array()) {
    const json::Array& types = type->get_array();
    return std::find(types.begin(), types.end(), json::Value("object")) != types.end();
  }
  return *type == json::Value("object");
}

void RootIsObject(const json::Value& schema, Faults& faults) {
  const json::Value* type = json::Find(schema, "type");
  if (type == nullptr || *type != json::Value("object")) faults.emplace_back("the root's type must be \"object\"");
}

}  // namespace

Faults OpenAiStrictFaults(const json::Value& schema) {
  static const std::set<std::string> kKnown{"type",
                                            "properties",
                                            "required",
                                            "additionalProperties",
                                            "items",
                                            "enum",
                                            "const",
                                            "anyOf",
                                            "$ref",
                                            "$defs",
                                            "title",
                                            "description",
                                            "pattern",
                                            "format",
                                            "minimum",
                                            "maximum",
                                            "exclusiveMinimum",
                                            "exclusiveMaximum",
                                            "multipleOf",
                                            "minItems",
                                            "maxItems"};
  Faults faults;
  RootIsObject(schema, faults);
  if (json::Find(schema, "anyOf") != nullptr) faults.emplace_back("the root must not be an anyOf");
  std::size_t properties = 0;
  std::size_t values = 0;
  std::size_t text = 0;
  Walk(schema, "", 0, faults, [&](const json::Object& at, const std::string& where, std::size_t level) {
    OnlyKnown(at, where, kKnown, faults);
    if (level > 10) faults.push_back(where + " lies deeper than ten levels");
    if (at.contains("$ref")) {
      if (at.size() != 1) faults.push_back(where + ": $ref stands alone");
      return;
    }
    if (!at.contains("type") && !at.contains("anyOf")) faults.push_back(where + " has neither type nor anyOf");
    if (SaysObject(at)) {
      const json::Value* closed = json::Find(at, "additionalProperties");
      if (closed == nullptr || *closed != json::Value(false)) {
        faults.push_back(where + ": additionalProperties must be false");
      }
      const json::Value* named = json::Find(at, "properties");
      const json::Value* required = json::Find(at, "required");
      if (named == nullptr || !named->is_object() || required == nullptr || !required->is_array()) {
        faults.push_back(where + " needs properties and required");
      } else {
        for (const auto& member : named->get_object()) {
          ++properties;
          text += member.key().size();
          const json::Array& list = required->get_array();
          if (std::find(list.begin(), list.end(), json::Value(member.key())) == list.end()) {
            faults.push_back(where + ": " + Name(member) + " must be required");
          }
        }
        if (required->get_array().size() != named->get_object().size()) {
          faults.push_back(where + " requires what it does not have");
        }
      }
    }
    if (const json::Value* type = json::Find(at, "type"); type != nullptr && *type == json::Value("array")) {
      if (!at.contains("items")) faults.push_back(where + ": an array needs items");
    }
    if (const json::Value* list = json::Find(at, "enum"); list != nullptr && list->is_array()) {
      values += list->get_array().size();
      std::size_t own = 0;
      for (const json::Value& value : list->get_array()) {
        if (value.is_array() || value.is_object()) faults.push_back(where + ": an enum has plain values only");
        if (value.is_string()) own += value.get_string().size();
      }
      if (list->get_array().empty()) faults.push_back(where + ": an enum is not empty");
      if (list->get_array().size() > 250 && own > 15'000) faults.push_back(where + ": the enum has too much text");
      text += own;
    }
  });
  if (properties > 5'000) faults.emplace_back("more than 5,000 properties");
  if (values > 1'000) faults.emplace_back("more than 1,000 values in enums");
  if (text > 120'000) faults.emplace_back("more than 120,000 characters of names and values");
  return faults;
}

Faults CommonSchemaFaults(const json::Value& schema) {
  Faults faults = OpenAiStrictFaults(schema);
  Walk(schema, "", 0, faults, [&](const json::Object& at, const std::string& where, std::size_t) {
    for (const char* keyword : {"pattern", "format", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum",
                                "multipleOf", "minItems", "maxItems"}) {
      if (at.contains(keyword)) faults.push_back(where + ": " + keyword + " is not taken everywhere");
    }
  });
  return faults;
}

Faults GeminiSchemaFaults(const json::Value& schema) {
  static const std::set<std::string> kKnown{"$id",
                                            "$defs",
                                            "$ref",
                                            "$anchor",
                                            "type",
                                            "format",
                                            "title",
                                            "enum",
                                            "items",
                                            "description",
                                            "prefixItems",
                                            "minItems",
                                            "maxItems",
                                            "minimum",
                                            "maximum",
                                            "anyOf",
                                            "oneOf",
                                            "properties",
                                            "additionalProperties",
                                            "required",
                                            "propertyOrdering"};
  Faults faults;
  if (!schema.is_object()) faults.emplace_back("the root must be an object");
  Walk(schema, "", 0, faults, [&](const json::Object& at, const std::string& where, std::size_t) {
    OnlyKnown(at, where, kKnown, faults);
    if (const json::Value* list = json::Find(at, "enum"); list != nullptr && list->is_array()) {
      for (const json::Value& value : list->get_array()) {
        if (!value.is_string() && !value.is_number()) {
          faults.push_back(where + ": an enum has strings and numbers only");
        }
      }
    }
    if (at.contains("$ref")) {
      for (const auto& member : at) {
        if (!member.key().starts_with('$')) faults.push_back(where + ": a $ref must be the only keyword");
      }
    }
  });
  return faults;
}

Faults AnthropicSchemaFaults(const json::Value& schema) {
  Faults faults;
  RootIsObject(schema, faults);
  for (const char* keyword : {"oneOf", "allOf", "anyOf"}) {
    if (json::Find(schema, keyword) != nullptr) {
      faults.push_back("input_schema does not support oneOf, allOf, or anyOf at the top level");
    }
  }
  Walk(schema, "", 0, faults, [&](const json::Object& at, const std::string& where, std::size_t) {
    if (at.contains("$ref")) faults.push_back(where + ": references are not taken");
    const json::Value* named = json::Find(at, "properties");
    if (named == nullptr || !named->is_object()) return;
    for (const auto& member : named->get_object()) {
      const std::string name = Name(member);
      const bool fits = !name.empty() && name.size() <= 64 && std::all_of(name.begin(), name.end(), [](char c) {
        return std::string_view("_.-").find(c) != std::string_view::npos || (c >= '0' && c <= '9') ||
               (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
      });
      if (!fits) faults.push_back(where + ": the property \"" + name + "\" has a name that is not taken");
    }
  });
  return faults;
}

}  // namespace openseat::testing
