#include "schema/formats/idna.h"

#include <idn2.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/text.h"
#include "schema/regex/regex.h"
#include "schema/utf8.h"

namespace openseat::schema {
namespace {

constexpr std::size_t kMaxLabel = 63;
constexpr std::size_t kMaxName = 253;

bool IsAsciiByte(char c) {
  return static_cast<unsigned char>(c) < 0x80;
}
bool IsAscii(std::string_view text) {
  return std::ranges::all_of(text, IsAsciiByte);
}

// Whether text is made of characters that `is_inner` accepts, with no hyphen at either end.
bool IsLabel(std::string_view text, bool (*is_inner)(char)) {
  return !text.empty() && text.front() != '-' && text.back() != '-' && std::ranges::all_of(text, is_inner);
}

bool IsLetterDigitHyphen(char c) {
  return IsAlphanumeric(c) || c == '-';
}
bool IsLooseInner(char c) {
  return !IsAsciiByte(c) || IsLetterDigitHyphen(c);
}

bool HasAcePrefix(std::string_view label) {
  return EqualsIgnoringCase(label.substr(0, 4), "xn--");
}

std::vector<std::string> Labels(std::string_view text, bool international) {
  std::vector<std::string> labels(1);
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t start = at;
    const char32_t c = DecodeUtf8(text, at);
    if (c == '.' || (international && (c == 0x3002 || c == 0xFF0E || c == 0xFF61))) {
      labels.emplace_back();
    } else {
      labels.back() += text.substr(start, at - start);
    }
  }
  return labels;
}

struct Free {
  void operator()(void* memory) const { idn2_free(memory); }
};

// The A-label of a label that is not ASCII, or the A-label itself in lower case; nullopt if it is not valid.
std::optional<std::string> AceLabel(const std::string& label) {
  if (label.find('\0') != std::string::npos) return std::nullopt;
  const bool ascii = IsAscii(label);
  const std::string given = ascii ? AsciiLower(label) : label;
  const auto* const bytes = reinterpret_cast<const std::uint8_t*>(given.c_str());
  std::uint8_t* made = nullptr;
  const int status = ascii ? idn2_register_u8(nullptr, bytes, &made, 0) : idn2_register_u8(bytes, nullptr, &made, 0);
  const std::unique_ptr<std::uint8_t, Free> owned(made);
  if (status != IDN2_OK) return std::nullopt;
  return reinterpret_cast<const char*>(made);
}

// --- RFC 5893: the Bidi rule, which libidn2 2.3 does not hold a whole name to

bool IsMark(char32_t c) {
  static const Regex marks = [] {
    Budget budget;
    Result<Regex> regex = Regex::Compile("^[\\p{Mn}\\p{Me}]$", 64, budget);
    OPENSEAT_CHECK(regex.has_value(), "the pattern compiles");
    return std::move(*regex);
  }();
  std::string text;
  AppendUtf8(text, c);
  std::uint64_t steps = kCallSteps;
  return marks.Match(text, steps) == Regex::Outcome::kYes;
}

enum class Direction { kLeft, kRight, kArabicNumber, kEuropeanNumber, kMark, kNeutral, kOther };

Direction DirectionOf(char32_t c) {
  if (c < 0x80) {
    if (c >= '0' && c <= '9') return Direction::kEuropeanNumber;
    return c == '-' ? Direction::kNeutral : Direction::kLeft;
  }
  // Right-to-left scripts are in these blocks; PCRE2's names for Bidi_Class are not part of ECMA-262's syntax.
  constexpr std::array<std::pair<char32_t, char32_t>, 5> kRightBlocks = {
      {{0x590, 0x8FF}, {0xFB1D, 0xFDFF}, {0xFE70, 0xFEFF}, {0x10800, 0x10FFF}, {0x1E800, 0x1EFFF}}};
  if (IsMark(c)) return Direction::kMark;
  if ((c >= 0x660 && c <= 0x669) || (c >= 0x66B && c <= 0x66C) || (c >= 0x600 && c <= 0x605))
    return Direction::kArabicNumber;
  if (c >= 0x6F0 && c <= 0x6F9) return Direction::kEuropeanNumber;
  if (std::ranges::any_of(kRightBlocks, [c](const auto& block) { return c >= block.first && c <= block.second; })) {
    return Direction::kRight;
  }
  if (c == 0x200C || c == 0x200D || c == 0xB7 || c == 0x375 || c == 0x30FB) return Direction::kNeutral;
  return Direction::kLeft;
}

bool IsRightToLeft(const std::vector<char32_t>& label) {
  return std::any_of(label.begin(), label.end(), [](char32_t c) {
    const Direction direction = DirectionOf(c);
    return direction == Direction::kRight || direction == Direction::kArabicNumber;
  });
}

bool KeepsBidiRule(const std::vector<char32_t>& label) {
  const Direction first = DirectionOf(label[0]);
  if (first != Direction::kLeft && first != Direction::kRight) return false;
  const bool right = first == Direction::kRight;
  bool arabic = false;
  bool european = false;
  for (const char32_t c : label) {
    const Direction direction = DirectionOf(c);
    arabic = arabic || direction == Direction::kArabicNumber;
    european = european || direction == Direction::kEuropeanNumber;
    if (right ? direction == Direction::kLeft
              : direction == Direction::kRight || direction == Direction::kArabicNumber) {
      return false;
    }
  }
  if (right && arabic && european) return false;
  std::size_t end = label.size();
  while (end > 0 && DirectionOf(label[end - 1]) == Direction::kMark) --end;
  if (end == 0) return false;
  const Direction last = DirectionOf(label[end - 1]);
  if (last == Direction::kEuropeanNumber) return true;
  return right ? last == Direction::kRight || last == Direction::kArabicNumber : last == Direction::kLeft;
}

// The characters of a label, of an A-label in lower case those that it stands for.
std::vector<char32_t> Characters(const std::string& label) {
  char* made = nullptr;
  if (idn2_to_unicode_8z8z(label.c_str(), &made, 0) != IDN2_OK) return DecodeUtf8(label);
  const std::unique_ptr<char, Free> owned(made);
  return DecodeUtf8(std::string_view(made));
}

bool KeepBidiRule(const std::vector<std::vector<char32_t>>& labels) {
  return std::ranges::none_of(labels, IsRightToLeft) || std::ranges::all_of(labels, KeepsBidiRule);
}

bool IsName(std::string_view text, bool international) {
  // No form of a valid name is longer than this.
  if (text.size() > kMaxName * 4) return false;
  std::size_t length = 0;
  std::vector<std::vector<char32_t>> labels;
  for (const std::string& label : Labels(text, international)) {
    const bool ascii = IsAscii(label);
    if (ascii && (label.size() > kMaxLabel || !IsLabel(label, IsLetterDigitHyphen))) return false;
    if (!ascii && !international) return false;
    if (ascii && !HasAcePrefix(label)) {
      if (international && label.size() >= 4 && label[2] == '-' && label[3] == '-') return false;
      length += label.size() + 1;
      labels.push_back(DecodeUtf8(label));
      continue;
    }
    const std::optional<std::string> ace = AceLabel(label);
    if (!ace) return false;
    length += ace->size() + 1;
    labels.push_back(Characters(*ace));
  }
  return length <= kMaxName + 1 && KeepBidiRule(labels);
}

}  // namespace

bool IsHostname(std::string_view text) {
  return IsName(text, false);
}
bool IsIdnHostname(std::string_view text) {
  return IsName(text, true);
}

bool IsLooseHostname(std::string_view text) {
  return std::ranges::all_of(Labels(text, true), [](const std::string& label) { return IsLabel(label, IsLooseInner); });
}

}  // namespace openseat::schema
