// Regex: an ECMA-262 regular expression, matched by one comparison where it is very simple (regex_short.h), by a table
// of states where it is simple (regex_dfa.h), else by PCRE2 with a limit on its work. Immutable; match from any thread.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string_view>

#include "base/result.h"
#include "schema/regex_dfa.h"
#include "schema/regex_short.h"
#include "schema/regex_syntax.h"

namespace openseat::schema {

class Regex {
 public:
  enum class Outcome { kNo, kYes, kLimit };  // kLimit: gave up, the pattern backtracks too much on this text

  // Errors: kSchema where it is none, kTooLarge beyond `max_bytes` or PCRE2's own bounds, kUnsupported for what PCRE2
  // does not have (look-behinds of no fixed length).
  static Result<Regex> Compile(std::string_view pattern, std::size_t max_bytes);

  // From a tree that is there already.
  static Result<Regex> Compile(RegexSyntax syntax);

  Regex(Regex&& other) noexcept;
  Regex& operator=(Regex&& other) noexcept;
  ~Regex();

  // Whether some part of `text` (valid UTF-8) matches.
  Outcome Match(std::string_view text) const {
    if (shape_) return shape_->Matches(text) ? Outcome::kYes : Outcome::kNo;
    if (dfa_) return dfa_->Matches(text) ? Outcome::kYes : Outcome::kNo;
    return MatchByPcre2(text);
  }
  // Where the expression is of that kind; it says all then.
  const std::optional<RegexShort>& shape() const { return shape_; }
  // For tests, which compare both ways: PCRE2 even where there is a table.
  static Result<Regex> CompileForPcre2(RegexSyntax syntax);

  const RegexSyntax& syntax() const { return *syntax_; }

 private:
  struct Code;
  Regex(std::optional<RegexShort> shape, std::optional<RegexDfa> dfa, std::unique_ptr<const Code> code,
        std::unique_ptr<const RegexSyntax> syntax);
  Outcome MatchByPcre2(std::string_view text) const;

  std::optional<RegexShort> shape_;
  std::optional<RegexDfa> dfa_;
  std::unique_ptr<const Code> code_;
  std::unique_ptr<const RegexSyntax> syntax_;
};

}  // namespace openseat::schema
