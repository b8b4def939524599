// What a language model wrote, as JSON: strictly, and, where that fails, mended. Pure functions of their text; linear
// in its length, and bounded in depth.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace openseat::schema {

// An answer is not larger or deeper than this, and has no more values.
inline constexpr json::Limits kAnswerLimits{.max_bytes = 1u << 20, .max_depth = 128, .max_values = 50'000};

// Exactly one JSON object: no fence, no prose, no second value, no name twice in an object. Errors: kParse, in the
// words that people know from browsers ("Unexpected token 'n' at position 2: …"), kTooLarge.
Result<json::Value> ParseStrict(std::string_view text, const json::Limits& limits = kAnswerLimits);

// What was mended.
enum class Fix : std::uint8_t {
  kFence,          // ``` around it
  kProse,          // text before or behind it
  kReasoning,      // <think>…</think> before it
  kStringified,    // the whole object written as a string
  kComment,        // // … , /* … */, # …
  kTrailingComma,  // also one too many
  kMissingComma,   // or a missing colon
  kPunctuation,    // ; or = or a full-width sign for , or :
  kQuotes,         // single quotes or backticks
  kSmartQuotes,    // typographic quotes
  kInnerQuotes,    // quotes within a text that were not escaped
  kUnquoted,       // a name or a text without quotes
  kLiteral,        // True, None, NaN … of other languages
  kNumber,         // +1, .5, 1., 007, 0x1F, 1_000
  kControl,        // line breaks and other control characters within a text
  kEscape,         // an escape that JSON does not have, half a surrogate pair
  kBrackets,       // a closing bracket that is missing, wrong or one too many
  kMissingValue,   // a name without a value: left out
  kTruncated,      // it ends in the middle: what was begun is closed, what says nothing yet is left out
  kDuplicate,      // a name twice in an object: the last counts
  kUtf8,           // bytes that are no UTF-8
};
std::string_view FixName(Fix fix);  // "fence" …

struct Repaired {
  json::Value value;       // an object
  std::string text;        // the JSON that it was read from
  std::vector<Fix> fixes;  // without repetition, in the order of the enum; empty where nothing had to be mended
};

// The one object in `text`. Errors: kParse where there is none, more than one, or none that can be made out; kTooLarge.
Result<Repaired> Repair(std::string_view text, const json::Limits& limits = kAnswerLimits);

}  // namespace openseat::schema
