// RegexDfa: a regular expression as a state table, for expressions that are simple enough (no look-arounds, references,
// word boundaries or Unicode properties, and few states). It takes one step per character for any text and is several
// times faster than a general matcher. Most patterns in schemas are of this kind.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "schema/budget.h"
#include "schema/regex/regex_syntax.h"

namespace openseat::schema {

class RegexDfa {
 public:
  // nullopt for an expression that is not simple enough, or whose table takes too much work to build.
  static std::optional<RegexDfa> Build(const RegexSyntax& syntax, Budget& budget);

  // Whether some part of `text` (valid UTF-8) matches.
  bool Matches(std::string_view text) const {
    std::uint32_t state = kFirst;
    const std::size_t size = text.size();
    for (std::size_t at = 0; at < size;) {
      const auto byte = static_cast<unsigned char>(text[at]);
      std::uint32_t symbol = 0;
      if (byte < 0x80) [[likely]] {
        symbol = ascii_[byte];
        ++at;
      } else {
        symbol = SymbolAt(text, at);
      }
      state = next_[state + symbol];
      if (state <= kLastFinal) [[unlikely]]
        return state == kAccepted;
    }
    return accepts_at_end_[state] != 0;
  }

  // About how many bytes its tables take.
  std::size_t Memory() const {
    return borders_.size() * sizeof(char32_t) + symbol_of_.size() + next_.size() * sizeof(std::uint16_t) +
           accepts_at_end_.size();
  }

 private:
  // Entries of next_: the end of the match, or the start of the next state's row; the first row begins at kFirst.
  static constexpr std::uint16_t kRefused = 0;
  static constexpr std::uint16_t kAccepted = 1;
  static constexpr std::uint16_t kLastFinal = 1;
  static constexpr std::uint16_t kFirst = 2;

  // The symbol of the non-ASCII character at `at`; advances past it.
  std::uint32_t SymbolAt(std::string_view text, std::size_t& at) const;

  friend class DfaBuilder;
  std::array<std::uint8_t, 128> ascii_{};
  std::uint32_t symbols_ = 0;
  std::vector<char32_t> borders_;        // where a new interval of characters begins, ascending, from 0
  std::vector<std::uint8_t> symbol_of_;  // of each interval
  std::vector<std::uint16_t> next_;
  std::vector<std::uint8_t> accepts_at_end_;  // by the start of the row
};

}  // namespace openseat::schema
