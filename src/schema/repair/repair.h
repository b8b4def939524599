// Reads a language model's text as JSON: strictly, and if that fails, with repairs. Pure functions of the text; linear
// in its length, and bounded in depth.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
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

class FixSet {
 public:
  constexpr FixSet() = default;
  constexpr FixSet(std::initializer_list<Fix> fixes) {
    for (const Fix fix : fixes) Add(fix);
  }
  constexpr void Add(Fix fix) { bits_ |= 1u << static_cast<unsigned>(fix); }
  constexpr void Add(const FixSet& other) { bits_ |= other.bits_; }
  constexpr bool IsWithin(const FixSet& other) const { return (bits_ & ~other.bits_) == 0; }
  std::vector<Fix> List() const;  // in enum order

 private:
  std::uint32_t bits_ = 0;
};

struct RepairedDocument {
  std::string text;          // with every fix made; json::Parse may still find a fault
  std::size_t consumed = 0;  // bytes of the input up to the end of the object
  FixSet fixes;
};
// Repairs the object that `text` begins with, and leaves what follows it. Errors: kParse if that takes a fix that is
// not allowed, or if there is no object; kTooLarge beyond limits.max_depth. REQUIRES valid UTF-8.
Result<RepairedDocument> RepairDocument(std::string_view text, const FixSet& allowed,
                                        const json::Limits& limits = kAnswerLimits);

struct Repaired {
  json::Value value;       // an object
  std::string text;        // the JSON that it was read from
  std::vector<Fix> fixes;  // distinct, in enum order; empty if nothing was repaired
};

// The one object in `text`. Errors: kParse if there is none, more than one, or it is unreadable; kTooLarge.
Result<Repaired> Repair(std::string_view text, const json::Limits& limits = kAnswerLimits);

}  // namespace openseat::schema
