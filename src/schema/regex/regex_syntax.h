// The syntax of ECMA-262 regular expressions (with the u flag, as JSON Schema recommends), parsed to a tree. The
// matcher (regex.h) prints the tree as a PCRE2 pattern; the generator (generate/generate_pattern.h) walks it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace openseat::schema {

// Characters as ranges (both ends included, sorted, disjoint, without surrogates) and Unicode properties.
struct CharacterClass {
  struct Property {
    std::string name;  // in PCRE2's spelling: "Lu", "sc:Greek", "Alphabetic"
    bool negated = false;
  };
  std::vector<std::pair<char32_t, char32_t>> ranges;
  std::vector<Property> properties;
  bool negated = false;  // all other characters
};

struct RegexNode {
  enum class Kind : std::uint8_t {
    kSequence,       // children, in order; none: the empty string
    kAlternatives,   // one of children
    kClass,          // one character
    kRepeat,         // child 0, min to max times
    kGroup,          // child 0, captured as `number`
    kBackReference,  // the text captured by group `number`
    kBegin,
    kEnd,
    kWordBoundary,
    kNotWordBoundary,
    kLookAhead,  // child 0
    kNotLookAhead,
    kLookBehind,
    kNotLookBehind,
  };
  static constexpr std::uint32_t kUnbounded = 0xFFFFFFFF;

  Kind kind = Kind::kSequence;
  bool lazy = false;
  std::uint32_t min = 0;
  std::uint32_t max = 0;
  std::uint32_t number = 0;
  CharacterClass characters;
  std::vector<RegexNode> children;
};

struct RegexSyntax {
  RegexNode root;
  bool has_back_references = false;
};

// With `strict`, exactly the grammar with the u flag (format "regex"). Without, also common and harmless patterns
// in the wild: unnecessary escapes of punctuation ("\-", "\@"), and literal "{", "}", "]".
// Errors: kSchema, with the position. Groups may nest 50 deep.
Result<RegexSyntax> ParseRegex(std::string_view pattern, bool strict);

// The same expression in PCRE2's syntax, to be compiled with UTF, DOLLAR_ENDONLY and MATCH_UNSET_BACKREF. Callouts
// are placed wherever the matcher may return repeatedly, so that the caller can count its work: between two of them
// it does a bounded number of things.
std::string PrintForPcre2(const RegexSyntax& syntax);

// The callouts' numbers.
inline constexpr int kCountStep = 1;     // an alternative, a repetition, or a start of the whole
inline constexpr int kCountCompare = 2;  // before comparing a group's text
inline constexpr int kCountScanned = 3;  // after a repeated character class: after the scan, and after each step back
inline constexpr int kCountScan = 4;     // before a scan; and up to 32 more: the bits of its minimum length

}  // namespace openseat::schema
