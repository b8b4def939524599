#include "schema/keywords.h"

#include <algorithm>
#include <array>
#include <set>

#include "base/text.h"
#include "schema/formats/uri.h"

namespace openseat::schema {
namespace {

// Sorted by name.
constexpr std::array kKeywords = {
    KeywordInfo{"$anchor", kCore, Shape::kAnchor},
    KeywordInfo{"$comment", kCore, Shape::kString},
    KeywordInfo{"$defs", kCore, Shape::kSchemaMap},
    KeywordInfo{"$dynamicAnchor", kCore, Shape::kAnchor},
    KeywordInfo{"$dynamicRef", kCore, Shape::kUriReference},
    KeywordInfo{"$id", kCore, Shape::kId},
    KeywordInfo{"$recursiveAnchor", kCore, Shape::kAny},  // true in 2019-09, a name in 2020-12's meta-schema
    KeywordInfo{"$recursiveRef", kCore, Shape::kUriReference},
    KeywordInfo{"$ref", kCore, Shape::kUriReference},
    KeywordInfo{"$schema", kCore, Shape::kUri},
    KeywordInfo{"$vocabulary", kCore, Shape::kVocabularyMap},
    KeywordInfo{"additionalProperties", kApplicator, Shape::kSchema},
    KeywordInfo{"allOf", kApplicator, Shape::kSchemaArray},
    KeywordInfo{"anyOf", kApplicator, Shape::kSchemaArray},
    KeywordInfo{"const", kValidation, Shape::kAny},
    KeywordInfo{"contains", kApplicator, Shape::kSchema},
    KeywordInfo{"contentEncoding", kContent, Shape::kString},
    KeywordInfo{"contentMediaType", kContent, Shape::kString},
    KeywordInfo{"contentSchema", kContent, Shape::kSchema},
    KeywordInfo{"default", kMetaData, Shape::kAny},
    KeywordInfo{"definitions", kApplicator, Shape::kSchemaMap},
    KeywordInfo{"dependencies", kApplicator, Shape::kDependencies},
    KeywordInfo{"dependentRequired", kValidation, Shape::kStringArrayMap},
    KeywordInfo{"dependentSchemas", kApplicator, Shape::kSchemaMap},
    KeywordInfo{"deprecated", kMetaData, Shape::kBoolean},
    KeywordInfo{"description", kMetaData, Shape::kString},
    KeywordInfo{"else", kApplicator, Shape::kSchema},
    KeywordInfo{"enum", kValidation, Shape::kArray},
    KeywordInfo{"examples", kMetaData, Shape::kArray},
    KeywordInfo{"exclusiveMaximum", kValidation, Shape::kNumber},
    KeywordInfo{"exclusiveMinimum", kValidation, Shape::kNumber},
    KeywordInfo{"format", kFormatAnnotation, Shape::kString},
    KeywordInfo{"if", kApplicator, Shape::kSchema},
    KeywordInfo{"items", kApplicator, Shape::kSchema},
    KeywordInfo{"maxContains", kValidation, Shape::kNonNegativeInteger},
    KeywordInfo{"maxItems", kValidation, Shape::kNonNegativeInteger},
    KeywordInfo{"maxLength", kValidation, Shape::kNonNegativeInteger},
    KeywordInfo{"maxProperties", kValidation, Shape::kNonNegativeInteger},
    KeywordInfo{"maximum", kValidation, Shape::kNumber},
    KeywordInfo{"minContains", kValidation, Shape::kNonNegativeInteger},
    KeywordInfo{"minItems", kValidation, Shape::kNonNegativeInteger},
    KeywordInfo{"minLength", kValidation, Shape::kNonNegativeInteger},
    KeywordInfo{"minProperties", kValidation, Shape::kNonNegativeInteger},
    KeywordInfo{"minimum", kValidation, Shape::kNumber},
    KeywordInfo{"multipleOf", kValidation, Shape::kPositiveNumber},
    KeywordInfo{"not", kApplicator, Shape::kSchema},
    KeywordInfo{"oneOf", kApplicator, Shape::kSchemaArray},
    KeywordInfo{"pattern", kValidation, Shape::kRegex},
    KeywordInfo{"patternProperties", kApplicator, Shape::kPatternMap},
    KeywordInfo{"prefixItems", kApplicator, Shape::kSchemaArray},
    KeywordInfo{"properties", kApplicator, Shape::kSchemaMap},
    KeywordInfo{"propertyNames", kApplicator, Shape::kSchema},
    KeywordInfo{"readOnly", kMetaData, Shape::kBoolean},
    KeywordInfo{"required", kValidation, Shape::kStringArray},
    KeywordInfo{"then", kApplicator, Shape::kSchema},
    KeywordInfo{"title", kMetaData, Shape::kString},
    KeywordInfo{"type", kValidation, Shape::kType},
    KeywordInfo{"unevaluatedItems", kUnevaluated, Shape::kSchema},
    KeywordInfo{"unevaluatedProperties", kUnevaluated, Shape::kSchema},
    KeywordInfo{"uniqueItems", kValidation, Shape::kBoolean},
    KeywordInfo{"writeOnly", kMetaData, Shape::kBoolean},
};
static_assert(std::ranges::is_sorted(kKeywords, {}, &KeywordInfo::name));

constexpr std::array<std::string_view, 7> kTypes = {"array",  "boolean", "integer", "null",
                                                    "number", "object",  "string"};

bool IsAnchorName(std::string_view text) {
  const auto is_start = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  return !text.empty() && is_start(text[0]) && std::ranges::all_of(text, [&](char c) {
    return is_start(c) || (c >= '0' && c <= '9') || c == '-' || c == '.';
  });
}

bool IsTypeName(const json::Value& value) {
  return value.is_string() && std::ranges::find(kTypes, json::View(value.get_string())) != kTypes.end();
}

bool AreDistinctStrings(const json::Value& value) {
  const json::Array* array = value.if_array();
  if (array == nullptr) return false;
  std::set<std::string_view> seen;
  return std::ranges::all_of(*array, [&](const json::Value& item) {
    return item.is_string() && seen.insert(json::View(item.get_string())).second;
  });
}

bool IsPositive(const json::Value& value) {
  if (const std::int64_t* number = value.if_int64()) return *number > 0;
  if (const double* number = value.if_double()) return *number > 0;
  return value.is_uint64() && value.get_uint64() > 0;
}

bool IsNonNegativeInteger(const json::Value& value) {
  if (!json::IsInteger(value)) return false;
  if (const std::int64_t* number = value.if_int64()) return *number >= 0;
  if (const double* number = value.if_double()) return *number >= 0;
  return true;
}

bool IsSchema(const json::Value& value) {
  return value.is_object() || value.is_bool();
}

// The requirement that `value` violates, or "".
std::string_view Broken(Shape shape, const json::Value& value) {
  const auto every_member = [&](auto&& holds) {
    const json::Object* object = value.if_object();
    return object != nullptr &&
           std::ranges::all_of(*object, [&](const auto& member) { return holds(member.key(), member.value()); });
  };
  const auto text = [&] { return json::View(value.get_string()); };
  switch (shape) {
    case Shape::kAny:
      return "";
    case Shape::kSchema:
      return IsSchema(value) ? "" : "must be a schema (an object or a boolean)";
    case Shape::kSchemaArray: {
      const json::Array* array = value.if_array();
      return array != nullptr && !array->empty() && std::ranges::all_of(*array, IsSchema)
                 ? ""
                 : "must be an array of at least one schema";
    }
    case Shape::kSchemaMap:
    case Shape::kPatternMap:
      return every_member([](auto, const json::Value& member) { return IsSchema(member); })
                 ? ""
                 : "must be an object whose values are schemas";
    case Shape::kDependencies:
      return every_member(
                 [](auto, const json::Value& member) { return IsSchema(member) || AreDistinctStrings(member); })
                 ? ""
                 : "must be an object whose values are schemas or arrays of distinct strings";
    case Shape::kString:
      return value.is_string() ? "" : "must be a string";
    case Shape::kRegex:
      return value.is_string() ? "" : "must be a string (a regular expression)";
    case Shape::kBoolean:
      return value.is_bool() ? "" : "must be true or false";
    case Shape::kArray:
      return value.is_array() ? "" : "must be an array";
    case Shape::kNumber:
      return value.is_number() ? "" : "must be a number";
    case Shape::kPositiveNumber:
      return IsPositive(value) ? "" : "must be a number greater than 0";
    case Shape::kNonNegativeInteger:
      return IsNonNegativeInteger(value) ? "" : "must be a non-negative integer";
    case Shape::kStringArray:
      return AreDistinctStrings(value) ? "" : "must be an array of distinct strings";
    case Shape::kStringArrayMap:
      return every_member([](auto, const json::Value& member) { return AreDistinctStrings(member); })
                 ? ""
                 : "must be an object whose values are arrays of distinct strings";
    case Shape::kType: {
      const json::Array* array = value.if_array();
      const bool good = array == nullptr
                            ? IsTypeName(value)
                            : !array->empty() && std::ranges::all_of(*array, IsTypeName) && AreDistinctStrings(value);
      return good ? ""
                  : "must be one of \"array\", \"boolean\", \"integer\", \"null\", \"number\", \"object\", \"string\", "
                    "or an array of distinct ones";
    }
    case Shape::kId:
      return value.is_string() && IsUriReference(text(), false) && FragmentOf(text()).empty()
                 ? ""
                 : "must be a URI reference without a fragment";
    case Shape::kUri:
      return value.is_string() && IsUri(text(), false) ? "" : "must be an absolute URI";
    case Shape::kUriReference:
      return value.is_string() && IsUriReference(text(), false) ? "" : "must be a URI reference";
    case Shape::kAnchor:
      return value.is_string() && IsAnchorName(text())
                 ? ""
                 : "must be a letter or underscore, followed by letters, digits, \"-\", \"_\" and \".\"";
    case Shape::kVocabularyMap:
      return every_member([](auto name, const json::Value& member) {
        return member.is_bool() && IsUri({name.data(), name.size()}, false);
      })
                 ? ""
                 : "must be an object of URIs with true or false";
  }
  return "";
}

}  // namespace

const KeywordInfo* FindKeyword(std::string_view name) {
  const auto found = std::ranges::lower_bound(kKeywords, name, {}, &KeywordInfo::name);
  return found != kKeywords.end() && found->name == name ? &*found : nullptr;
}

std::optional<std::string> CheckShape(const KeywordInfo& keyword, const json::Value& value) {
  const std::string_view broken = Broken(keyword.shape, value);
  if (broken.empty()) return std::nullopt;
  return std::string(broken) + "; got " + Brief(value);
}

std::optional<Vocabulary> VocabularyOf(std::string_view uri) {
  constexpr std::string_view kPrefix = "https://json-schema.org/draft/2020-12/vocab/";
  if (!uri.starts_with(kPrefix)) return std::nullopt;
  const std::string_view name = uri.substr(kPrefix.size());
  if (name == "core") return kCore;
  if (name == "applicator") return kApplicator;
  if (name == "unevaluated") return kUnevaluated;
  if (name == "validation") return kValidation;
  if (name == "meta-data") return kMetaData;
  if (name == "format-annotation") return kFormatAnnotation;
  if (name == "format-assertion") return kFormatAssertion;
  if (name == "content") return kContent;
  return std::nullopt;
}

std::string Brief(const json::Value& value) {
  constexpr std::size_t kMaxBytes = 60;
  if (const json::Array* array = value.if_array(); array != nullptr && array->size() > 8) {
    return "an array of " + std::to_string(array->size()) + " items";
  }
  if (const json::Object* object = value.if_object(); object != nullptr && object->size() > 8) {
    return "an object of " + std::to_string(object->size()) + " members";
  }
  std::string text;
  if (const json::String* string = value.if_string()) {
    // "é" is easier to read than its escape; only characters that would break the line are escaped.
    text.push_back('"');
    for (const char c : Ellipsize(json::View(*string), kMaxBytes)) {
      if (c == '"' || c == '\\') text.push_back('\\');
      if (static_cast<unsigned char>(c) >= 0x20) {
        text.push_back(c);
      } else {
        text += c == '\n' ? "\\n" : c == '\t' ? "\\t" : "\\?";
      }
    }
    text.push_back('"');
    return text;
  }
  return json::Excerpt(value, kMaxBytes);
}

}  // namespace openseat::schema
