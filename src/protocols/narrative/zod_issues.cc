#include "protocols/narrative/zod_issues.h"

#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"

namespace openseat::narrative {
namespace {

struct Issue {
  std::vector<std::size_t> order;  // of its places in the schema, from the root
  json::Array path;
  std::string message;
};

// The tokens of a JSON pointer, unescaped.
std::vector<std::string> Tokens(std::string_view pointer) {
  std::vector<std::string> tokens;
  while (!pointer.empty()) {
    pointer.remove_prefix(1);
    const std::string_view token = pointer.substr(0, pointer.find('/'));
    pointer.remove_prefix(token.size());
    std::string& text = tokens.emplace_back();
    for (std::size_t i = 0; i < token.size(); ++i) {
      if (token[i] == '~' && i + 1 < token.size()) {
        text += token[++i] == '1' ? '/' : '~';
      } else {
        text += token[i];
      }
    }
  }
  return tokens;
}

const json::Value* Step(const json::Value& value, const std::string& token) {
  if (value.is_object()) return json::Find(value, token);
  const json::Array* list = value.if_array();
  std::size_t index = 0;
  const auto parsed = std::from_chars(token.data(), token.data() + token.size(), index);
  if (list == nullptr || parsed.ec != std::errc() || index >= list->size()) return nullptr;
  return &(*list)[index];
}

const json::Value* At(const json::Value& root, const std::vector<std::string>& tokens) {
  const json::Value* value = &root;
  for (const std::string& token : tokens) {
    value = Step(*value, token);
    if (value == nullptr) return nullptr;
  }
  return value;
}

std::string_view TypeOf(const json::Value& value) {
  return value.is_number() ? "number" : value.is_bool() ? "boolean" : json::TypeName(value);
}

// Text in single quotes, other values as JSON.
std::string Quoted(const json::Value& value) {
  return value.is_string() ? "'" + Ellipsize(json::View(value.get_string()), kQuotedBytes) + "'" : json::Excerpt(value);
}

std::string ExpectedType(const json::Value& type, const json::Value& got) {
  const std::string wanted = type.is_string() ? std::string(json::View(type.get_string())) : json::Write(type);
  if (wanted == "integer" && got.is_number()) return "Expected integer, received float";
  return "Expected " + (wanted == "integer" ? "number" : wanted) + ", received " + std::string(TypeOf(got));
}

std::string ExpectedEnum(const json::Array& values, const json::Value& got) {
  if (!got.is_string()) {
    std::string wanted;
    for (const json::Value& value : values) wanted += (wanted.empty() ? "" : " | ") + Quoted(value);
    return "Expected " + wanted + ", received " + std::string(TypeOf(got));
  }
  std::string message = "Invalid enum value. Expected ";
  for (std::size_t i = 0; i < values.size(); ++i) message += (i == 0 ? "" : " | ") + Quoted(values[i]);
  return message + ", received " + Quoted(got);
}

// `limit` is the keyword's value, `schema` the schema that contains it. "" if Zod has no message for it.
std::string MessageFor(std::string_view keyword, const json::Value& schema, const json::Value& limit,
                       const json::Value& got) {
  const std::string number = json::Write(limit);
  if (keyword == "type") {
    const json::Value* values = json::Find(schema, "enum");
    if (values != nullptr && values->is_array()) return ExpectedEnum(values->get_array(), got);
    return ExpectedType(limit, got);
  }
  if (keyword == "enum" && limit.is_array()) return ExpectedEnum(limit.get_array(), got);
  if (keyword == "minLength") return "String must contain at least " + number + " character(s)";
  if (keyword == "maxLength") return "String must contain at most " + number + " character(s)";
  if (keyword == "minItems") return "Array must contain at least " + number + " element(s)";
  if (keyword == "maxItems") return "Array must contain at most " + number + " element(s)";
  if (keyword == "minimum") return "Number must be greater than or equal to " + number;
  if (keyword == "maximum") return "Number must be less than or equal to " + number;
  if (keyword == "exclusiveMinimum") return "Number must be greater than " + number;
  if (keyword == "exclusiveMaximum") return "Number must be less than " + number;
  if (keyword == "multipleOf") return "Number must be a multiple of " + number;
  if (keyword == "pattern") {
    // The title names what the pattern describes: "Invalid uuid".
    const json::Value* title = json::Find(schema, "title");
    return title != nullptr && title->is_string() ? "Invalid " + std::string(json::View(title->get_string()))
                                                  : "Invalid";
  }
  return {};
}

class Issues {
 public:
  explicit Issues(const json::Value& schema, const json::Value& value) : schema_(schema), value_(value) {}

  void Add(const schema::Violation& violation) {
    const std::vector<std::string> where = Tokens(violation.instance_pointer);
    std::vector<std::string> keyword = Tokens(violation.schema_pointer);
    if (!keyword.empty()) keyword.pop_back();
    const json::Value* schema = At(schema_, keyword);
    if (schema == nullptr || !schema->is_object()) return Push(where, violation.message, 0);
    const json::Value* limit = json::Find(*schema, violation.keyword);
    const json::Value* got = At(value_, where);
    if (violation.keyword == "required" && got != nullptr && limit != nullptr && limit->is_array()) {
      return AddMissing(where, limit->get_array(), *got);
    }
    if (violation.keyword == "additionalProperties" && !where.empty()) return AddUnknown(where);
    const std::string message =
        limit != nullptr && got != nullptr ? MessageFor(violation.keyword, *schema, *limit, *got) : std::string();
    Push(where, message.empty() ? violation.message : message, 0);
  }

  json::Array Sorted() && {
    std::ranges::stable_sort(issues_, [](const Issue& a, const Issue& b) { return a.order < b.order; });
    json::Array out;
    for (Issue& issue : issues_) {
      if (out.size() == kMaxIssues) break;
      out.push_back(json::Object{{"path", std::move(issue.path)}, {"message", std::move(issue.message)}});
    }
    return out;
  }

 private:
  // One violation per missing member, but each is reported for the object alone: all of them at the first.
  void AddMissing(const std::vector<std::string>& where, const json::Array& required, const json::Value& got) {
    if (std::ranges::find(missing_, where) != missing_.end()) return;
    missing_.push_back(where);
    for (const json::Value& name : required) {
      if (json::Find(got, json::View(name.as_string())) != nullptr) continue;
      std::vector<std::string> member = where;
      member.emplace_back(json::View(name.as_string()));
      Push(member, "Required", 0);
    }
  }

  // Unknown keys of one object are one issue, at the object.
  void AddUnknown(std::vector<std::string> where) {
    const std::string key = Ellipsize(where.back(), kQuotedBytes);
    where.pop_back();
    const auto same = std::ranges::find(unknown_, where, &std::pair<std::vector<std::string>, std::size_t>::first);
    if (same != unknown_.end()) {
      std::string& message = issues_[same->second].message;
      message = Ellipsize(message + ", '" + key + "'", kListedBytes);
      return;
    }
    unknown_.emplace_back(where, issues_.size());
    Push(where, "Unrecognized key(s) in object: '" + key + "'", 1);
  }

  // `behind`: whether it comes after the issues of the members of the object there.
  void Push(const std::vector<std::string>& where, std::string message, std::size_t behind) {
    Issue issue{{}, {}, std::move(message)};
    const json::Value* schema = &schema_;
    const json::Value* value = &value_;
    for (const std::string& token : where) {
      std::size_t place = 0;
      const bool indexed = value != nullptr && value->is_array();
      if (indexed) {
        std::from_chars(token.data(), token.data() + token.size(), place);
        issue.path.emplace_back(place);
        schema = schema == nullptr ? nullptr : json::Find(*schema, "items");
      } else {
        issue.path.emplace_back(Ellipsize(token, kQuotedBytes));
        place = PlaceOf(schema, token);
        const json::Value* properties = schema == nullptr ? nullptr : json::Find(*schema, "properties");
        schema = properties == nullptr ? nullptr : json::Find(*properties, token);
      }
      issue.order.push_back(place);
      value = value == nullptr ? nullptr : Step(*value, token);
    }
    if (behind != 0) issue.order.push_back(static_cast<std::size_t>(-1));
    issues_.push_back(std::move(issue));
  }

  static std::size_t PlaceOf(const json::Value* schema, const std::string& name) {
    const json::Value* properties = schema == nullptr ? nullptr : json::Find(*schema, "properties");
    const json::Object* all = properties == nullptr ? nullptr : properties->if_object();
    if (all == nullptr) return 0;
    std::size_t place = 0;
    for (const auto& member : *all) {
      if (json::View(member.key()) == name) break;
      ++place;
    }
    return place;
  }

  const json::Value& schema_;
  const json::Value& value_;
  std::vector<Issue> issues_;
  std::vector<std::vector<std::string>> missing_;
  std::vector<std::pair<std::vector<std::string>, std::size_t>> unknown_;  // with their issue
};

}  // namespace

json::Array ZodIssues(const schema::Schema& schema, const json::Value& value) {
  if (schema.IsValid(value)) return {};
  Issues issues(schema.source(), value);
  for (const schema::Violation& violation : schema.Validate(value, kMaxIssues)) issues.Add(violation);
  return std::move(issues).Sorted();
}

}  // namespace openseat::narrative
