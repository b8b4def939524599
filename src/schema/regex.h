// Regex: an ECMA-262 regular expression, matched by one comparison where it is very simple (regex_short.h), by a table
// of states where it is simple (regex_dfa.h), else by PCRE2, whose work is counted. Immutable; match from any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "base/result.h"
#include "schema/budget.h"
#include "schema/regex_dfa.h"
#include "schema/regex_short.h"
#include "schema/regex_syntax.h"

namespace openseat::schema {

class Regex {
 public:
  enum class Outcome { kNo, kYes, kLimit };  // kLimit: gave up, the pattern backtracks too much on this text

  // Errors: kSchema where it is none, kTooLarge beyond `max_bytes`, the budget or PCRE2's own bounds, kUnsupported for
  // what PCRE2 does not have (look-behinds of no fixed length).
  static Result<Regex> Compile(std::string_view pattern, std::size_t max_bytes, Budget& budget);

  // From a tree that is there already.
  static Result<Regex> Compile(RegexSyntax syntax, Budget& budget);

  Regex(Regex&& other) noexcept;
  Regex& operator=(Regex&& other) noexcept;
  ~Regex();

  // Whether some part of `text` (valid UTF-8) matches. What it takes comes from `steps`; kLimit where those are not
  // enough, and nothing is left then.
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
  // Where the expression is of that kind; it says all then.
  const std::optional<RegexShort>& shape() const { return shape_; }
  // For tests, which compare both ways: PCRE2 even where there is a table.
  static Result<Regex> CompileForPcre2(RegexSyntax syntax, Budget& budget);

  const RegexSyntax& syntax() const { return *syntax_; }

  // What a match costs at least, against one subschema applied.
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
