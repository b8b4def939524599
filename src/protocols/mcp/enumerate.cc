#include "protocols/mcp/enumerate.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace openseat::mcp {
namespace {

using Values = std::vector<json::Value>;

constexpr int kMaxEnumerated = 8;

const json::Value* Member(const json::Object& schema, std::string_view name) {
  return json::Find(schema, name);
}

std::optional<std::int64_t> IntegerMember(const json::Object& schema, std::string_view name) {
  const json::Value* value = Member(schema, name);
  return value != nullptr && value->is_int64() ? std::optional(value->get_int64()) : std::nullopt;
}

std::optional<Values> Of(const json::Value& schema, std::size_t limit, int depth, schema::Budget& budget);

// The cost of looking at all of a value, and of copying it.
bool SpendForValue(const json::Value& value, schema::Budget& budget) {
  if (const json::Object* object = value.if_object()) {
    return budget.Spend(4 + object->size() * 4) &&
           std::ranges::all_of(*object, [&](const auto& member) { return SpendForValue(member.value(), budget); });
  }
  if (const json::Array* array = value.if_array()) {
    return budget.Spend(4 + array->size()) &&
           std::ranges::all_of(*array, [&](const json::Value& item) { return SpendForValue(item, budget); });
  }
  return budget.Spend(4 + (value.is_string() ? value.get_string().size() / 16 : 0));
}

// Every combination of one value each; `put` adds the value of part i to a combination.
template <typename Put>
std::optional<Values> Product(const std::vector<Values>& parts, json::Value empty, std::size_t limit,
                              schema::Budget& budget, const Put& put) {
  Values out{std::move(empty)};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (out.size() * parts[i].size() > limit) return std::nullopt;
    Values next;
    for (const json::Value& begun : out) {
      for (const json::Value& value : parts[i]) {
        if (!budget.Spend(10 + i * 10) || !SpendForValue(value, budget)) return std::nullopt;
        put(next.emplace_back(begun), i, value);
      }
    }
    out = std::move(next);
  }
  return out;
}

std::optional<Values> OfObject(const json::Object& schema, std::size_t limit, int depth, schema::Budget& budget) {
  std::vector<Values> parts;
  std::vector<std::string_view> names;
  const json::Value* properties = Member(schema, "properties");
  const json::Value* required = Member(schema, "required");
  if (properties != nullptr && properties->is_object()) {
    for (const auto& [name, member] : properties->get_object()) {
      if (!budget.Spend(4 + (required != nullptr && required->is_array() ? required->get_array().size() : 0))) {
        return std::nullopt;
      }
      const std::string_view view = json::View(name);
      const bool needed = required != nullptr && required->is_array() &&
                          std::ranges::any_of(required->get_array(), [&](const auto& each) {
                            return each.is_string() && json::View(each.get_string()) == view;
                          });
      // A player who wants an optional member names it.
      if (!needed) continue;
      std::optional<Values> values = Of(member, limit, depth, budget);
      if (!values) return std::nullopt;
      parts.push_back(std::move(*values));
      names.push_back(view);
    }
  }
  return Product(
      parts, json::Object(), limit, budget,
      [&](json::Value& object, std::size_t i, const json::Value& value) { object.get_object()[names[i]] = value; });
}

std::optional<Values> OfArray(const json::Object& schema, std::size_t limit, int depth, schema::Budget& budget) {
  std::vector<Values> parts;
  if (const json::Value* prefix = Member(schema, "prefixItems"); prefix != nullptr && prefix->is_array()) {
    for (const json::Value& item : prefix->get_array()) {
      std::optional<Values> values = Of(item, limit, depth, budget);
      if (!values) return std::nullopt;
      parts.push_back(std::move(*values));
    }
  } else {
    const json::Value* items = Member(schema, "items");
    const std::optional<std::int64_t> length = IntegerMember(schema, "minItems");
    if (items == nullptr || !length || length != IntegerMember(schema, "maxItems") || *length > 16) {
      return std::nullopt;
    }
    std::optional<Values> values = Of(*items, limit, depth, budget);
    if (!values) return std::nullopt;
    parts.assign(static_cast<std::size_t>(std::max<std::int64_t>(*length, 0)), *values);
  }
  return Product(parts, json::Array(), limit, budget,
                 [](json::Value& array, std::size_t, const json::Value& value) { array.get_array().push_back(value); });
}

std::optional<Values> Of(const json::Value& source, std::size_t limit, int depth, schema::Budget& budget) {
  if (!source.is_object() || depth == 0 || !budget.Spend(20)) return std::nullopt;
  const json::Object& schema = source.get_object();
  if (const json::Value* value = Member(schema, "const")) {
    if (!SpendForValue(*value, budget)) return std::nullopt;
    return Values{*value};
  }
  if (const json::Value* values = Member(schema, "enum"); values != nullptr && values->is_array()) {
    if (values->get_array().size() > limit || !SpendForValue(*values, budget)) return std::nullopt;
    return Values(values->get_array().begin(), values->get_array().end());
  }
  for (const char* choice : {"oneOf", "anyOf"}) {
    const json::Value* options = Member(schema, choice);
    if (options == nullptr || !options->is_array()) continue;
    Values out;
    for (const json::Value& option : options->get_array()) {
      std::optional<Values> values = Of(option, limit, depth - 1, budget);
      if (!values || out.size() + values->size() > limit) return std::nullopt;
      for (json::Value& value : *values) {
        if (!budget.Spend(1 + out.size() * 4)) return std::nullopt;
        if (std::ranges::none_of(out, [&](const json::Value& each) { return json::Equal(each, value); })) {
          out.push_back(std::move(value));
        }
      }
    }
    return out;
  }
  const json::Value* type = Member(schema, "type");
  if (type == nullptr || !type->is_string()) return std::nullopt;
  const std::string_view name = json::View(type->get_string());
  if (name == "object") return OfObject(schema, limit, depth - 1, budget);
  if (name == "array") return OfArray(schema, limit, depth - 1, budget);
  if (name == "boolean") return Values{true, false};
  if (name == "null") return Values{nullptr};
  const std::optional<std::int64_t> low = IntegerMember(schema, "minimum");
  const std::optional<std::int64_t> high = IntegerMember(schema, "maximum");
  if (name != "integer" || !low || !high || *high < *low ||
      static_cast<std::uint64_t>(*high) - static_cast<std::uint64_t>(*low) >= limit) {
    return std::nullopt;
  }
  Values out;
  for (std::int64_t value = *low; value <= *high; ++value) out.emplace_back(value);
  return out;
}

}  // namespace

std::optional<std::vector<json::Value>> Enumerate(const schema::Schema& schema, std::size_t limit,
                                                  schema::Budget& budget) {
  std::optional<Values> values = Of(schema.source(), limit, kMaxEnumerated, budget);
  if (!values) return std::nullopt;
  // Whatever other keywords forbid.
  std::erase_if(*values, [&](const json::Value& value) { return !schema.IsValid(value, budget); });
  if (values->empty() || budget.exhausted()) return std::nullopt;
  return values;
}

}  // namespace openseat::mcp
