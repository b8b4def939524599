// The keywords of JSON Schema 2020-12: the vocabulary of each, and the required form of its value.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/json.h"

namespace openseat::schema {

// Bits, so a resource's set of active vocabularies is one byte.
enum Vocabulary : std::uint8_t {
  kCore = 1,
  kApplicator = 2,
  kUnevaluated = 4,
  kValidation = 8,
  kMetaData = 16,
  kFormatAnnotation = 32,
  kFormatAssertion = 64,
  kContent = 128,
};
inline constexpr std::uint8_t kStandardVocabularies = 0xFF & ~kFormatAssertion;

enum class Shape : std::uint8_t {
  kAny,
  kSchema,
  kSchemaArray,   // not empty
  kSchemaMap,     // name -> schema
  kPatternMap,    // regular expression -> schema
  kDependencies,  // name -> schema or array of strings
  kString,
  kBoolean,
  kArray,
  kNumber,
  kPositiveNumber,
  kNonNegativeInteger,
  kStringArray,     // distinct
  kStringArrayMap,  // name -> string array
  kType,
  kRegex,
  kId,
  kUri,
  kUriReference,
  kAnchor,
  kVocabularyMap,
};

struct KeywordInfo {
  std::string_view name;
  Vocabulary vocabulary;
  Shape shape;
};

// nullptr for keywords that no vocabulary defines. `definitions` and `dependencies`, which the meta-schema still
// describes, count as keywords of the applicator vocabulary; they are supported. `$recursiveRef` and
// `$recursiveAnchor`, which it also describes, are known but ignored.
const KeywordInfo* FindKeyword(std::string_view name);

// What is wrong with the form of a keyword's own value (not of subschemas inside): a predicate such as
// "must be a non-negative integer; got -1". nullopt if it is valid.
std::optional<std::string> CheckShape(const KeywordInfo& keyword, const json::Value& value);

// The vocabulary with this URI; nullopt if unknown.
std::optional<Vocabulary> VocabularyOf(std::string_view uri);

// `value` as shown in messages: JSON, cut after about 60 bytes.
std::string Brief(const json::Value& value);

}  // namespace openseat::schema
