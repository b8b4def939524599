// RegexShort: a regular expression for texts of one length, at most eight ASCII characters, each from one
// range: "^[a-h][1-8]$", "^c[0-9]{4}$". All characters are compared at once. Codes and coordinates look like this.
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>

#include "schema/regex/regex_syntax.h"

namespace openseat::schema {

class RegexShort {
 public:
  // nullopt for other expressions.
  static std::optional<RegexShort> Build(const RegexSyntax& syntax);

  bool Matches(std::string_view text) const {
    if (text.size() != size_) return false;
    const std::uint64_t word = Load(text.data());
    // The top bit per byte: of `word`, clear for ASCII; of the second, set from the range's low end on; of the third,
    // set above its high end. No byte borrows from, or carries into, another.
    return ((((word | kUpper) - low_) & ~(word + beyond_) & ~word) & kUpper) == kUpper;
  }

 private:
  static constexpr std::uint64_t kUpper = 0x8080808080808080u;

  // The text's bytes, then zeros, which the remaining ranges allow. REQUIRES size_ bytes.
  std::uint64_t Load(const char* data) const {
    const auto load = [data](auto& part, std::size_t at) { std::memcpy(&part, data + at, sizeof part); };
    if (size_ >= 8) {
      std::uint64_t all = 0;
      load(all, 0);
      return all;
    }
    if (size_ >= 4) {
      std::uint32_t first = 0;
      std::uint32_t last = 0;
      load(first, 0);
      load(last, size_ - 4);
      return first | (std::uint64_t{last} << (8 * (size_ - 4)));
    }
    if (size_ >= 2) {
      std::uint16_t first = 0;
      std::uint16_t last = 0;
      load(first, 0);
      load(last, size_ - 2);
      return first | (std::uint64_t{last} << (8 * (size_ - 2)));
    }
    return static_cast<unsigned char>(*data);
  }

  friend class RegexShortBuilder;
  std::uint64_t low_ = 0;
  std::uint64_t beyond_ = 0;  // 0x7F less the high end
  std::size_t size_ = 0;      // 1 to 8
};

}  // namespace openseat::schema
