// Reads a language model's text as JSON: strictly, and if that fails, with repairs. Pure functions of the text; linear
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

// Maximum size, depth and number of values of an answer.
inline constexpr json::Limits kAnswerLimits{.max_bytes = 1u << 20, .max_depth = 128, .max_values = 50'000};

// Exactly one JSON object: no fence, no prose, no second value, no duplicate names in an object. Errors: kParse, in the
// wording that people know from browsers ("Unexpected token 'n' at position 2: …"), kTooLarge.
Result<json::Value> ParseStrict(std::string_view text, const json::Limits& limits = kAnswerLimits);

// What was repaired.
enum class Fix : std::uint8_t {
  kFence,          // ``` around it
  kProse,          // text before or after it
  kReasoning,      // <think>…</think> before it
  kStringified,    // the whole object written as a string
  kComment,        // // … , /* … */, # …
  kTrailingComma,  // also an extra one
  kMissingComma,   // or a missing colon
  kPunctuation,    // ; or = or a full-width sign for , or :
  kQuotes,         // single quotes or backticks
  kSmartQuotes,    // typographic quotes
  kInnerQuotes,    // unescaped quotes within a text
  kUnquoted,       // a name or a text without quotes
  kLiteral,        // True, None, NaN … of other languages
  kNumber,         // +1, .5, 1., 007, 0x1F, 1_000
  kControl,        // line breaks and other control characters within a text
  kEscape,         // an escape that JSON does not have, half a surrogate pair
  kBrackets,       // a missing, wrong or extra closing bracket
  kMissingValue,   // a name without a value: removed
  kTruncated,      // it ends in the middle: open parts are closed, meaningless ones removed
  kDuplicate,      // a duplicate name in an object: the last counts
  kUtf8,           // bytes that are not UTF-8
};
std::string_view FixName(Fix fix);  // "fence" …

struct Repaired {
  json::Value value;       // an object
  std::string text;        // the JSON that it was read from
  std::vector<Fix> fixes;  // distinct, in enum order; empty if nothing was repaired
};

// The one object in `text`. Errors: kParse if there is none, more than one, or it is unreadable; kTooLarge.
Result<Repaired> Repair(std::string_view text, const json::Limits& limits = kAnswerLimits);

}  // namespace openseat::schema
