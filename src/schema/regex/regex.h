// Regex: an ECMA-262 regular expression, matched by one comparison if very simple (regex_short.h), by a state
// table if simple (regex_dfa.h), else by PCRE2, whose work is counted. Immutable; match from any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "base/result.h"
#include "schema/budget.h"
#include "schema/regex/regex_dfa.h"
#include "schema/regex/regex_short.h"
#include "schema/regex/regex_syntax.h"

namespace openseat::schema {

class Regex {
 public:
  enum class Outcome { kNo, kYes, kLimit };  // kLimit: gave up; the pattern backtracks too much on this text

  // Errors: kSchema if invalid, kTooLarge beyond `max_bytes`, the budget or PCRE2's own bounds, kUnsupported for
  // what PCRE2 does not support (variable-length look-behinds).
  static Result<Regex> Compile(std::string_view pattern, std::size_t max_bytes, Budget& budget);

  // From an existing tree.
  static Result<Regex> Compile(RegexSyntax syntax, Budget& budget);

  Regex(Regex&& other) noexcept;
  Regex& operator=(Regex&& other) noexcept;
  ~Regex();

  // Whether some part of `text` (valid UTF-8) matches. Draws on `steps`; kLimit if they are not
  // enough, and none are left then.
  Outcome Match(std::string_view text, std::uint64_t& steps) const {
    const std::uint64_t least = kMatchSteps + text.size() / 16;
    if (steps <= least) {
      steps = 0;
      return Outcome::kLimit;
    }
    steps -= least;
    if (shape_) return shape_->Matches(text) ? Outcome::kYes : Outcome::kNo;
    if (dfa_) return dfa_->Matches(text) ? Outcome::kYes : Outcome::kNo;
    return MatchByPcre2(text, steps);
  }
  // If the expression is of that kind; it then decides everything.
  const std::optional<RegexShort>& shape() const { return shape_; }
  // For tests that compare both matchers: uses PCRE2 even if there is a table.
  static Result<Regex> CompileForPcre2(RegexSyntax syntax, Budget& budget);

  const RegexSyntax& syntax() const { return *syntax_; }
  // About how many bytes it takes.
  std::size_t Memory() const;

  // The minimum cost of a match, relative to applying one subschema.
  static constexpr std::uint64_t kMatchSteps = 32;

 private:
  struct Code;
  Regex(std::optional<RegexShort> shape, std::optional<RegexDfa> dfa, std::unique_ptr<const Code> code,
        std::unique_ptr<const RegexSyntax> syntax);
  Outcome MatchByPcre2(std::string_view text, std::uint64_t& steps) const;

  std::optional<RegexShort> shape_;
  std::optional<RegexDfa> dfa_;
  std::unique_ptr<const Code> code_;
  std::unique_ptr<const RegexSyntax> syntax_;
};

}  // namespace openseat::schema
