#include "schema/idna.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "base/check.h"
#include "base/text.h"
#include "schema/regex.h"
#include "schema/utf8.h"

namespace openseat::schema {
namespace {

constexpr std::size_t kMaxLabel = 63;
constexpr std::size_t kMaxName = 253;

bool IsLetterDigitHyphen(char32_t c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-';
}

template <std::size_t N>
bool IsIn(char32_t c, const std::array<std::pair<char32_t, char32_t>, N>& ranges) {
  return std::any_of(ranges.begin(), ranges.end(),
                     [c](const auto& range) { return c >= range.first && c <= range.second; });
}

// --- Unicode properties

class Property {
 public:
  explicit Property(std::string_view pattern) : regex_(Compile(pattern)) {}
  bool Has(char32_t c) const {
    std::string text;
    AppendUtf8(text, c);
    std::uint64_t steps = kCallSteps;
    return regex_.Match(text, steps) == Regex::Outcome::kYes;
  }

 private:
  static Regex Compile(std::string_view pattern) {
    Budget budget;
    Result<Regex> regex = Regex::Compile(pattern, 4096, budget);
    OPENSEAT_CHECK(regex.has_value(), "the patterns for Unicode's properties compile");
    return std::move(*regex);
  }
  Regex regex_;
};

bool IsMark(char32_t c) {
  static const Property property("^\\p{M}$");
  return property.Has(c);
}
bool IsGreek(char32_t c) {
  static const Property property("^\\p{sc=Greek}$");
  return property.Has(c);
}
bool IsHebrew(char32_t c) {
  static const Property property("^\\p{sc=Hebrew}$");
  return property.Has(c);
}
bool IsJapanese(char32_t c) {
  static const Property property("^[\\p{sc=Hiragana}\\p{sc=Katakana}\\p{sc=Han}]$");
  return property.Has(c);
}

// Signs that suppress a vowel: Canonical_Combining_Class 9.
bool IsVirama(char32_t c) {
  constexpr std::array<char32_t, 58> kViramas = {
      0x094D,  0x09CD,  0x0A4D,  0x0ACD,  0x0B4D,  0x0BCD,  0x0C4D,  0x0CCD,  0x0D3B,  0x0D3C,  0x0D4D,  0x0DCA,
      0x0E3A,  0x0EBA,  0x0F84,  0x1039,  0x103A,  0x1714,  0x1715,  0x1734,  0x17D2,  0x1A60,  0x1B44,  0x1BAA,
      0x1BAB,  0x1BF2,  0x1BF3,  0x2D7F,  0xA806,  0xA82C,  0xA8C4,  0xA953,  0xA9C0,  0xAAF6,  0xABED,  0x10A3F,
      0x11046, 0x11070, 0x1107F, 0x110B9, 0x11133, 0x11134, 0x111C0, 0x11235, 0x112EA, 0x1134D, 0x11442, 0x114C2,
      0x115BF, 0x1163F, 0x116B6, 0x1172B, 0x11839, 0x1193D, 0x1193E, 0x119E0, 0x11A34, 0x11A47};
  return std::ranges::find(kViramas, c) != kViramas.end();
}

// RFC 5892, section 2: whether the code point is allowed in a label; context rules are checked separately.
bool IsProtocolValid(char32_t c) {
  if (c < 0x80) return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
  constexpr std::array<std::pair<char32_t, char32_t>, 7> kExceptionsValid = {
      {{0xDF, 0xDF}, {0x3C2, 0x3C2}, {0x6FD, 0x6FE}, {0xF0B, 0xF0B}, {0x3007, 0x3007}, {0x375, 0x375}, {0x5F3, 0x5F4}}};
  constexpr std::array<std::pair<char32_t, char32_t>, 16> kRefused = {{{0x640, 0x640},
                                                                       {0x7FA, 0x7FA},
                                                                       {0x302E, 0x302F},
                                                                       {0x3031, 0x3035},
                                                                       {0x303B, 0x303B},
                                                                       // Old Hangul jamo.
                                                                       {0x1100, 0x11FF},
                                                                       {0xA960, 0xA97F},
                                                                       {0xD7B0, 0xD7FF},
                                                                       // Compatibility characters.
                                                                       {0x2071, 0x2071},
                                                                       {0x2090, 0x209C},
                                                                       {0x2100, 0x214D},
                                                                       {0x3131, 0x318E},
                                                                       {0xF900, 0xFAFF},
                                                                       {0xFB00, 0xFDFF},
                                                                       {0xFE70, 0xFFEF},
                                                                       {0x1D400, 0x1D7FF}}};
  // By context: middle dot, keraia, geresh, Katakana middle dot, the joiners, Arabic-Indic digits.
  if (IsIn(c, kExceptionsValid) || c == 0xB7 || c == 0x30FB || c == 0x200C || c == 0x200D) return true;
  if (IsIn(c, kRefused)) return false;
  static const Property property("^[\\p{Ll}\\p{Lo}\\p{Lm}\\p{Mn}\\p{Mc}\\p{Nd}]$");
  return property.Has(c);
}

// --- RFC 5892, appendix A: the rules by context

bool IsTransparent(char32_t c) {
  static const Property property("^[\\p{Mn}\\p{Me}\\p{Cf}]$");
  return c != 0x200C && property.Has(c);
}
bool JoinsBothSides(char32_t c) {
  constexpr std::array<std::pair<char32_t, char32_t>, 26> kOneSideOrNone = {
      {{0x621, 0x625}, {0x627, 0x627}, {0x629, 0x629}, {0x62F, 0x632}, {0x648, 0x648}, {0x671, 0x677}, {0x688, 0x699},
       {0x6C0, 0x6C0}, {0x6C3, 0x6CB}, {0x6CD, 0x6CD}, {0x6CF, 0x6CF}, {0x6D2, 0x6D3}, {0x6D5, 0x6D5}, {0x6EE, 0x6EF},
       {0x710, 0x710}, {0x715, 0x719}, {0x71E, 0x71E}, {0x728, 0x728}, {0x72A, 0x72A}, {0x72C, 0x72C}, {0x72F, 0x72F},
       {0x74D, 0x74D}, {0x759, 0x75B}, {0x76B, 0x76C}, {0x771, 0x771}, {0x773, 0x774}}};
  static const Property property(
      "^[\\p{sc=Arabic}\\p{sc=Syriac}\\p{sc=Nko}\\p{sc=Mandaic}\\p{sc=Mongolian}\\p{sc=Phags_Pa}\\p{sc=Adlam}]$");
  static const Property letter("^\\p{L}$");
  return property.Has(c) && letter.Has(c) && !IsIn(c, kOneSideOrNone);
}
bool JoinsRight(char32_t c) {
  constexpr std::array<std::pair<char32_t, char32_t>, 2> kNever = {{{0x621, 0x621}, {0x674, 0x674}}};
  static const Property property("^[\\p{sc=Arabic}\\p{sc=Syriac}]$");
  static const Property letter("^\\p{L}$");
  return JoinsBothSides(c) || (property.Has(c) && letter.Has(c) && !IsIn(c, kNever));
}

bool IsNonJoinerAllowed(const std::vector<char32_t>& label, std::size_t at) {
  std::size_t before = at;
  while (before > 0 && IsTransparent(label[before - 1])) --before;
  std::size_t after = at + 1;
  while (after < label.size() && IsTransparent(label[after])) ++after;
  return before > 0 && after < label.size() && JoinsBothSides(label[before - 1]) && JoinsRight(label[after]);
}

bool IsAllowedHere(const std::vector<char32_t>& label, std::size_t at) {
  const char32_t c = label[at];
  const bool has_before = at > 0;
  const bool has_after = at + 1 < label.size();
  const auto any = [&](char32_t low, char32_t high) {
    return std::any_of(label.begin(), label.end(), [&](char32_t other) { return other >= low && other <= high; });
  };
  switch (c) {
    case 0x200C:
      return has_before && (IsVirama(label[at - 1]) || IsNonJoinerAllowed(label, at));
    case 0x200D:
      return has_before && IsVirama(label[at - 1]);
    case 0xB7:
      return has_before && has_after && label[at - 1] == 'l' && label[at + 1] == 'l';
    case 0x375:
      return has_after && IsGreek(label[at + 1]);
    case 0x5F3:
    case 0x5F4:
      return has_before && IsHebrew(label[at - 1]);
    case 0x30FB:
      return std::any_of(label.begin(), label.end(),
                         [](char32_t other) { return other != 0x30FB && IsJapanese(other); });
    default:
      break;
  }
  if (c >= 0x660 && c <= 0x669) return !any(0x6F0, 0x6F9);
  if (c >= 0x6F0 && c <= 0x6F9) return !any(0x660, 0x669);
  return true;
}

// --- RFC 5893: the Bidi rule

enum class Direction { kLeft, kRight, kArabicNumber, kEuropeanNumber, kMark, kNeutral, kOther };

Direction DirectionOf(char32_t c) {
  if (c < 0x80) {
    if (c >= '0' && c <= '9') return Direction::kEuropeanNumber;
    return c == '-' ? Direction::kNeutral : Direction::kLeft;
  }
  // Right-to-left scripts are in these blocks; PCRE2's names for Bidi_Class are not part of ECMA-262's syntax.
  constexpr std::array<std::pair<char32_t, char32_t>, 4> kRightBlocks = {
      {{0x590, 0x8FF}, {0xFB1D, 0xFDFF}, {0xFE70, 0xFEFF}, {0x10800, 0x10FFF}}};
  static const Property mark("^[\\p{Mn}\\p{Me}]$");
  if (mark.Has(c)) return Direction::kMark;
  if ((c >= 0x660 && c <= 0x669) || (c >= 0x66B && c <= 0x66C) || (c >= 0x600 && c <= 0x605))
    return Direction::kArabicNumber;
  if (c >= 0x6F0 && c <= 0x6F9) return Direction::kEuropeanNumber;
  if (IsIn(c, kRightBlocks) || (c >= 0x1E800 && c <= 0x1EFFF)) return Direction::kRight;
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

// --- labels

// A label in Unicode form, without the Bidi rule (which looks at the whole name).
bool IsUnicodeLabel(const std::vector<char32_t>& label) {
  if (label.empty() || label.front() == '-' || label.back() == '-' || IsMark(label.front())) return false;
  if (label.size() >= 4 && label[2] == '-' && label[3] == '-') return false;
  for (std::size_t at = 0; at < label.size(); ++at) {
    if (!IsProtocolValid(label[at]) || !IsAllowedHere(label, at)) return false;
  }
  return EncodePunycode(label).size() + 4 <= kMaxLabel;
}

bool IsAsciiLabel(std::string_view label) {
  return !label.empty() && label.size() <= kMaxLabel && label.front() != '-' && label.back() != '-' &&
         std::all_of(label.begin(), label.end(),
                     [](char c) { return IsLetterDigitHyphen(static_cast<unsigned char>(c)); });
}

bool HasAcePrefix(std::string_view label) {
  return label.size() >= 4 && (label[0] == 'x' || label[0] == 'X') && (label[1] == 'n' || label[1] == 'N') &&
         label[2] == '-' && label[3] == '-';
}

std::string Lowered(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
  return out;
}

// An A-label's Unicode form; nullopt if it is not an A-label.
std::optional<std::vector<char32_t>> DecodeAceLabel(std::string_view label) {
  const std::string coded = Lowered(label.substr(4));
  std::optional<std::vector<char32_t>> decoded = DecodePunycode(coded);
  if (!decoded || !IsUnicodeLabel(*decoded)) return std::nullopt;
  const bool only_ascii = std::all_of(decoded->begin(), decoded->end(), [](char32_t c) { return c < 0x80; });
  if (only_ascii || EncodePunycode(*decoded) != coded) return std::nullopt;
  return decoded;
}

// `labels` in Unicode form, ASCII ones included.
bool KeepBidiRule(const std::vector<std::vector<char32_t>>& labels) {
  return std::none_of(labels.begin(), labels.end(), IsRightToLeft) ||
         std::all_of(labels.begin(), labels.end(), KeepsBidiRule);
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

bool IsName(std::string_view text, bool international) {
  std::vector<std::vector<char32_t>> decoded;
  std::size_t length = 0;
  // A legitimate name cannot be longer than this in any form; longer ones need no decoding.
  if (text.size() > kMaxName * 4) return false;
  for (const std::string& label : Labels(text, international)) {
    const bool ascii =
        std::all_of(label.begin(), label.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
    if (ascii) {
      if (!IsAsciiLabel(label)) return false;
      length += label.size() + 1;
      if (HasAcePrefix(label)) {
        std::optional<std::vector<char32_t>> unicode = DecodeAceLabel(label);
        if (!unicode) return false;
        decoded.push_back(std::move(*unicode));
      } else {
        if (international && label.size() >= 4 && label[2] == '-' && label[3] == '-') return false;
        decoded.push_back(DecodeUtf8(label));
      }
    } else {
      if (!international) return false;
      decoded.push_back(DecodeUtf8(label));
      if (!IsUnicodeLabel(decoded.back())) return false;
      length += EncodePunycode(decoded.back()).size() + 5;
    }
  }
  return length <= kMaxName + 1 && KeepBidiRule(decoded);
}

// --- RFC 3492

constexpr std::uint32_t kBase = 36;
constexpr std::uint32_t kTMin = 1;
constexpr std::uint32_t kTMax = 26;

std::uint32_t Adapt(std::uint32_t delta, std::uint32_t points, bool first) {
  constexpr std::uint32_t kSkew = 38;
  constexpr std::uint32_t kDamp = 700;
  delta = first ? delta / kDamp : delta / 2;
  delta += delta / points;
  std::uint32_t k = 0;
  for (; delta > ((kBase - kTMin) * kTMax) / 2; k += kBase) delta /= kBase - kTMin;
  return k + (kBase - kTMin + 1) * delta / (delta + kSkew);
}

std::uint32_t Threshold(std::uint32_t k, std::uint32_t bias) {
  return k <= bias ? kTMin : std::min(k - bias, kTMax);
}

}  // namespace

std::optional<std::vector<char32_t>> DecodePunycode(std::string_view text) {
  std::vector<char32_t> out;
  const std::size_t dash = text.rfind('-');
  std::size_t at = 0;
  if (dash != std::string_view::npos) {
    for (; at < dash; ++at) out.push_back(static_cast<unsigned char>(text[at]));
    ++at;
  }
  std::uint64_t n = 128;
  std::uint64_t i = 0;
  std::uint32_t bias = 72;
  while (at < text.size()) {
    const std::uint64_t start = i;
    std::uint64_t weight = 1;
    for (std::uint32_t k = kBase;; k += kBase) {
      if (at >= text.size()) return std::nullopt;
      const char c = text[at++];
      std::uint32_t digit = 0;
      if (c >= 'a' && c <= 'z') {
        digit = static_cast<std::uint32_t>(c - 'a');
      } else if (c >= '0' && c <= '9') {
        digit = static_cast<std::uint32_t>(c - '0') + 26;
      } else {
        return std::nullopt;
      }
      i += digit * weight;
      const std::uint32_t threshold = Threshold(k, bias);
      if (digit < threshold) break;
      weight *= kBase - threshold;
      if (weight > 0xFFFFFFFF || i > 0xFFFFFFFF) return std::nullopt;
    }
    const auto points = static_cast<std::uint32_t>(out.size() + 1);
    bias = Adapt(static_cast<std::uint32_t>(i - start), points, start == 0);
    n += i / points;
    i %= points;
    if (n > 0x10FFFF || (n >= 0xD800 && n <= 0xDFFF)) return std::nullopt;
    out.insert(out.begin() + static_cast<std::ptrdiff_t>(i), static_cast<char32_t>(n));
    ++i;
  }
  return out;
}

std::string EncodePunycode(const std::vector<char32_t>& text) {
  std::string out;
  for (const char32_t c : text) {
    if (c < 0x80) out.push_back(static_cast<char>(c));
  }
  const std::size_t basic = out.size();
  std::size_t handled = basic;
  if (basic > 0) out.push_back('-');
  std::uint32_t n = 128;
  std::uint32_t delta = 0;
  std::uint32_t bias = 72;
  while (handled < text.size()) {
    std::uint32_t next = 0xFFFFFFFF;
    for (const char32_t c : text) {
      if (c >= n) next = std::min<std::uint32_t>(next, c);
    }
    delta += (next - n) * static_cast<std::uint32_t>(handled + 1);
    n = next;
    for (const char32_t c : text) {
      if (c < n) ++delta;
      if (c != n) continue;
      std::uint32_t q = delta;
      for (std::uint32_t k = kBase;; k += kBase) {
        const std::uint32_t threshold = Threshold(k, bias);
        const std::uint32_t digit = q < threshold ? q : threshold + (q - threshold) % (kBase - threshold);
        out.push_back(static_cast<char>(digit < 26 ? 'a' + digit : '0' + (digit - 26)));
        if (q < threshold) break;
        q = (q - threshold) / (kBase - threshold);
      }
      bias = Adapt(delta, static_cast<std::uint32_t>(handled + 1), handled == basic);
      delta = 0;
      ++handled;
    }
    ++delta;
    ++n;
  }
  return out;
}

bool IsHostname(std::string_view text) {
  return IsName(text, false);
}
bool IsIdnHostname(std::string_view text) {
  return IsName(text, true);
}

bool IsLooseHostname(std::string_view text) {
  const std::vector<std::string> labels = Labels(text, true);
  return std::all_of(labels.begin(), labels.end(), [](const std::string& label) {
    return !label.empty() && label.front() != '-' && label.back() != '-' &&
           std::all_of(label.begin(), label.end(), [](char c) {
             const auto byte = static_cast<unsigned char>(c);
             return byte >= 0x80 || IsLetterDigitHyphen(byte);
           });
  });
}

}  // namespace openseat::schema
