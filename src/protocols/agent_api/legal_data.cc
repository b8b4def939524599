#include "protocols/agent_api/legal_data.h"

#include <algorithm>
#include <string>

namespace openseat::agent_api {
namespace {

bool Requires(const json::Object& schema, std::string_view name) {
  const json::Value* required = json::Find(schema, "required");
  if (required == nullptr || !required->is_array()) return false;
  return std::ranges::any_of(required->get_array(), [&](const json::Value& each) {
    return each.is_string() && json::View(each.get_string()) == name;
  });
}

// Whether everything that the schema allows was listed.
bool List(const json::Object& schema, std::size_t limit, std::vector<json::Value>& out) {
  if (const json::Value* any = json::Find(schema, "anyOf"); any != nullptr && any->is_array()) {
    return std::ranges::all_of(any->get_array(), [&](const json::Value& each) {
      return each.is_object() && List(each.get_object(), limit, out);
    });
  }
  const json::Value* properties = json::Find(schema, "properties");
  if (properties == nullptr || !properties->is_object()) return false;
  std::vector<json::Object> rows(1);
  for (const auto& [name, member] : properties->get_object()) {
    const json::Value* values = json::Find(member, "enum");
    if (values == nullptr || !values->is_array()) return false;
    std::vector<json::Object> next;
    for (const json::Object& row : rows) {
      if (!Requires(schema, json::View(name))) next.push_back(row);
      for (const json::Value& value : values->get_array()) {
        json::Object& longer = next.emplace_back(row);
        longer[name] = value;
        if (next.size() > limit) return false;
      }
    }
    rows = std::move(next);
  }
  for (json::Object& row : rows) out.emplace_back(std::move(row));
  return out.size() <= limit;
}

}  // namespace

std::vector<json::Value> LegalData(const Action& action, std::size_t limit) {
  if (!action.schema || action.schema->is_null()) return {nullptr};
  std::vector<json::Value> out;
  if (!action.schema->is_object() || !List(action.schema->get_object(), limit, out)) return {};
  return out;
}

}  // namespace openseat::agent_api
