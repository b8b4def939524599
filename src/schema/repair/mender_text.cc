// The part of Mender that reads texts, numbers and words.
#include <array>
#include <cctype>
#include <charconv>
#include <cstring>
#include <utility>

#include "schema/repair/mender.h"

namespace openseat::schema {
namespace {

// Four hexadecimal digits at the start of `text`, or -1.
int Hex4(std::string_view text) {
  if (text.size() < 4) return -1;
  int value = 0;
  for (int i = 0; i < 4; ++i) {
    const int digit = HexValue(text[static_cast<std::size_t>(i)]);
    if (digit < 0) return -1;
    value = value * 16 + digit;
  }
  return value;
}
// Whether a text opened by `opening` may end with `closing`.
bool Matches(QuoteKind opening, QuoteKind closing) {
  switch (opening) {
    case QuoteKind::kSmartDouble:
      return closing == QuoteKind::kSmartDouble || closing == QuoteKind::kDouble;
    case QuoteKind::kSmartSingle:
      return closing == QuoteKind::kSmartSingle || closing == QuoteKind::kSingle;
    default:
      return opening == closing && opening != QuoteKind::kNone;
  }
}

// Bytes that need no special handling within a text of any quotes.
constexpr std::array<bool, 256> kPlain = [] {
  std::array<bool, 256> plain{};
  for (std::size_t c = 0; c < plain.size(); ++c) {
    plain[c] = c >= 0x20 && c != '"' && c != '\\' && c != '\'' && c != '`' && c != 0xE2 && c != 0xC2;
  }
  return plain;
}();

}  // namespace

std::size_t SkipPlain(std::string_view text, std::size_t at) {
  constexpr std::uint64_t kOnes = 0x0101010101010101;
  constexpr std::uint64_t kTops = kOnes * 0x80;
  // The top bit of each byte that is zero, as long as no lower byte is.
  const auto zeros = [](std::uint64_t word) { return (word - kOnes) & ~word & kTops; };
  while (at + 8 <= text.size()) {
    std::uint64_t word = 0;
    std::memcpy(&word, text.data() + at, sizeof word);
    const std::uint64_t controls = (word - kOnes * 0x20) & ~word & kTops;
    if ((controls | zeros(word ^ (kOnes * '"')) | zeros(word ^ (kOnes * '\\'))) != 0) break;
    at += 8;
  }
  while (at < text.size() && text[at] != '"' && text[at] != '\\' && static_cast<unsigned char>(text[at]) >= 0x20) ++at;
  return at;
}

Quote QuoteAt(std::string_view text) {
  if (text.empty()) return {};
  switch (text.front()) {
    case '"':
      return {QuoteKind::kDouble, 1};
    case '\'':
      return {QuoteKind::kSingle, 1};
    case '`':
      return {QuoteKind::kBacktick, 1};
    case '\xC2':
      if (text.starts_with("\u00AB") || text.starts_with("\u00BB")) return {QuoteKind::kSmartDouble, 2};
      return {};
    case '\xE2':
      for (const std::string_view mark : {"\u201C", "\u201D", "\u201E", "\u201F", "\u2033"}) {
        if (text.starts_with(mark)) return {QuoteKind::kSmartDouble, 3};
      }
      for (const std::string_view mark : {"\u2018", "\u2019", "\u201A", "\u201B", "\u2032"}) {
        if (text.starts_with(mark)) return {QuoteKind::kSmartSingle, 3};
      }
      return {};
    default:
      return {};
  }
}

void Mender::AppendControl(unsigned char c) {
  constexpr std::string_view kHex = "0123456789abcdef";
  switch (c) {
    case '\n':
      out_ += "\\n";
      break;
    case '\r':
      out_ += "\\r";
      break;
    case '\t':
      out_ += "\\t";
      break;
    default:
      out_ += "\\u00";
      out_ += kHex[c >> 4];
      out_ += kHex[c & 15];
  }
}

void Mender::Text(Quote opening, bool is_name) {
  if (opening.kind == QuoteKind::kSingle || opening.kind == QuoteKind::kBacktick) fixes_.Add(Fix::kQuotes);
  if (opening.kind == QuoteKind::kSmartDouble || opening.kind == QuoteKind::kSmartSingle) {
    fixes_.Add(Fix::kSmartQuotes);
  }
  at_ += opening.size;
  const std::size_t begin = at_;
  const std::size_t begin_out = out_.size();
  out_ += '"';
  while (at_ < text_.size()) {
    // Copies everything that needs no special handling at once.
    std::size_t plain = at_;
    if (opening.kind == QuoteKind::kDouble) {
      plain = SkipPlain(text_, at_);
    } else {
      while (plain < text_.size() && kPlain[static_cast<unsigned char>(text_[plain])]) ++plain;
    }
    out_.append(text_, at_, plain - at_);
    at_ = plain;
    if (at_ >= text_.size()) break;
    const char c = Here();
    if (c == '\\') {
      Escape();
      continue;
    }
    if (static_cast<unsigned char>(c) < 0x20) {
      fixes_.Add(Fix::kControl);
      AppendControl(static_cast<unsigned char>(c));
      ++at_;
      continue;
    }
    const Quote quote = QuoteAt(Rest());
    if (Matches(opening.kind, quote.kind)) {
      if (EndsAt(at_ + quote.size, is_name)) {
        at_ += quote.size;
        out_ += '"';
        return;
      }
      fixes_.Add(Fix::kInnerQuotes);
    }
    if (c == '"') {
      out_ += "\\\"";
      ++at_;
    } else {
      const std::size_t size = std::max<std::size_t>(quote.size, 1);
      out_.append(text_, at_, size);
      at_ += size;
    }
  }
  if (const std::size_t fence = text_.find("\n```", begin); fence != std::string_view::npos) {
    // The text was truncated, but not the fence around it: read it again, up to the fence.
    text_ = text_.substr(0, fence);
    at_ = begin - opening.size;
    out_.resize(begin_out);
    return Text(opening, is_name);
  }
  out_ += '"';
  fixes_.Add(Fix::kTruncated);
}

bool Mender::EndsAt(std::size_t next, bool is_name) const {
  bool new_line = false;
  const auto skip = [&] {
    while (next < text_.size() && IsSpace(text_[next])) new_line = text_[next++] == '\n' || new_line;
  };
  skip();
  if (next >= text_.size()) return true;
  const char c = text_[next];
  const std::string_view rest = text_.substr(next);
  if (c == ':' || StartsWith(rest, "\uFF1A")) return is_name || open_.back().bracket == '[';
  if (is_name) {
    return c == '=' || c == '{' || c == '[' || IsDigit(c) || QuoteAt(rest).kind != QuoteKind::kNone;
  }
  if (c == '}' || c == ']' || c == ';' || c == '#' || StartsWith(rest, "//") || StartsWith(rest, "/*") ||
      StartsWith(rest, kFenceMark) || StartsWith(rest, "\uFF0C")) {
    return true;
  }
  if (StartsWith(rest, "...")) {
    const std::size_t behind = text_.find_first_not_of(" \t\r\n.", next);
    return behind == std::string_view::npos || text_[behind] == '}' || text_[behind] == ']' || text_[behind] == ',';
  }
  if (c != ',') return IsNameAt(next) || (new_line && (QuoteAt(rest).kind != QuoteKind::kNone || c == '{'));
  ++next;
  skip();
  if (next >= text_.size()) return true;
  const char after = text_[next];
  if (after == '}' || after == ']' || after == ',' || after == '/' || after == '#' || after == '{' || after == '[' ||
      QuoteAt(text_.substr(next)).kind != QuoteKind::kNone || StartsWith(text_.substr(next), kFenceMark)) {
    return true;
  }
  std::size_t end = next;
  while (end < text_.size() && end - next < kMaxLookAhead && IsNameChar(text_[end])) ++end;
  if (open_.back().bracket == '[') {
    const std::string_view word = text_.substr(next, end - next);
    return IsDigit(after) || after == '-' || Literal(word).has_value() || end == text_.size();
  }
  while (end < text_.size() && end - next < 2 * kMaxLookAhead && IsSpace(text_[end])) ++end;
  return end > next && (end >= text_.size() || text_[end] == ':' || text_[end] == '=');
}

bool Mender::IsNameAt(std::size_t at) const {
  const Quote opening = QuoteAt(text_.substr(at));
  if (opening.kind != QuoteKind::kDouble || open_.back().bracket != '{') return false;
  const std::size_t end = text_.find('"', at + 1);
  if (end == std::string_view::npos || end - at > kMaxLookAhead) return false;
  const std::size_t next = text_.find_first_not_of(" \t\r\n", end + 1);
  return next != std::string_view::npos && text_[next] == ':';
}

std::optional<char> Mender::HexByteAt(std::size_t at) const {
  if (at + 4 > text_.size() || text_[at] != '\\' || text_[at + 1] != 'x') return std::nullopt;
  const int high = HexValue(text_[at + 2]);
  const int low = HexValue(text_[at + 3]);
  if (high < 0 || low < 0) return std::nullopt;
  return static_cast<char>(high * 16 + low);
}

void Mender::HexEscapes() {
  std::string bytes;
  for (; const std::optional<char> byte = HexByteAt(at_); at_ += 4) bytes += *byte;
  std::string plain;
  if (IsValidUtf8(bytes)) {
    plain = std::move(bytes);
  } else {
    for (const char byte : bytes) AppendUtf8(plain, static_cast<unsigned char>(byte));
  }
  std::string quoted;
  json::WriteString(plain, quoted);
  out_.append(quoted, 1, quoted.size() - 2);
}

void Mender::Escape() {
  if (at_ + 1 >= text_.size()) {
    ++at_;  // truncated in the middle
    return;
  }
  const char c = text_[at_ + 1];
  if (std::string_view("\"\\/bfnrt").find(c) != std::string_view::npos) {
    out_.append(text_, at_, 2);
    at_ += 2;
    return;
  }
  if (c == 'u') return UnicodeEscape();
  fixes_.Add(Fix::kEscape);
  if (c == '\'' || c == '`') {
    out_ += c;
    at_ += 2;
  } else if (c == '\n') {
    out_ += "\\n";
    at_ += 2;
  } else if (HexByteAt(at_)) {
    HexEscapes();
  } else {
    out_ += "\\\\";  // a path, or a formula
    ++at_;
  }
}

void Mender::UnicodeEscape() {
  const std::string_view digits = text_.substr(at_ + 2);
  const int unit = Hex4(digits);
  if (unit < 0) {
    if (digits.size() < 4 && digits.find_first_not_of("0123456789abcdefABCDEF") == std::string_view::npos) {
      at_ = text_.size();  // truncated in the middle
      return;
    }
    fixes_.Add(Fix::kEscape);
    out_ += "\\\\";
    ++at_;
    return;
  }
  const bool high = unit >= 0xD800 && unit < 0xDC00;
  const bool low = unit >= 0xDC00 && unit < 0xE000;
  if (high && digits.substr(4).starts_with("\\u")) {
    const int second = Hex4(digits.substr(6));
    if (second >= 0xDC00 && second < 0xE000) {
      out_.append(text_, at_, 12);
      at_ += 12;
      return;
    }
  }
  if (high || low) {
    fixes_.Add(Fix::kEscape);
    out_ += "\\ufffd";
  } else {
    out_.append(text_, at_, 6);
  }
  at_ += 6;
}

bool Mender::ValueEndsAt(std::size_t end) const {
  const std::size_t begin = end;
  while (end < text_.size() && (text_[end] == ' ' || text_[end] == '\t')) ++end;
  if (end >= text_.size()) return true;
  const char c = text_[end];
  if (end > begin && open_.back().bracket == '[' && (IsDigit(c) || c == '-')) return true;  // [1 2]
  const std::string_view rest = text_.substr(end);
  return c == ',' || c == '}' || c == ']' || c == '\n' || c == '\r' || c == ';' || c == '#' || StartsWith(rest, "//") ||
         StartsWith(rest, "/*") || StartsWith(rest, kFenceMark) || StartsWith(rest, "\uFF0C") || c == '"';
}

bool Mender::Number() {
  std::size_t end = at_;
  while (end < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[end])) != 0 || text_[end] == '.' ||
                                text_[end] == '+' || text_[end] == '-' || text_[end] == '_')) {
    ++end;
  }
  if (!ValueEndsAt(end)) return false;
  const std::string_view token = text_.substr(at_, end - at_);
  const bool cut = end >= text_.size();
  std::string number;
  if (!Normalize(token, number)) return false;
  if (number.empty()) {  // a sign, and nothing else
    if (!cut) return false;
    at_ = end;
    fixes_.Add(Fix::kTruncated);
    DropMember();
    return true;
  }
  if (number != token) fixes_.Add(cut ? Fix::kTruncated : Fix::kNumber);
  out_ += number;
  at_ = end;
  return true;
}

bool Mender::Normalize(std::string_view token, std::string& number) {
  bool negative = false;
  if (!token.empty() && (token.front() == '+' || token.front() == '-')) {
    negative = token.front() == '-';
    token.remove_prefix(1);
  }
  if (token.size() > 2 && token[0] == '0' && (token[1] == 'x' || token[1] == 'X')) {
    std::uint64_t value = 0;
    const auto read = std::from_chars(token.data() + 2, token.data() + token.size(), value, 16);
    if (read.ec != std::errc() || read.ptr != token.data() + token.size()) return false;
    number = (negative ? "-" : "") + std::to_string(value);
    return true;
  }
  std::string digits;
  for (const char c : token) {
    if (c != '_') digits += c;
  }
  std::size_t at = 0;
  const auto run = [&] {
    const std::size_t begin = at;
    while (at < digits.size() && IsDigit(digits[at])) ++at;
    return std::string_view(digits).substr(begin, at - begin);
  };
  std::string_view whole = run();
  while (whole.size() > 1 && whole.front() == '0') whole.remove_prefix(1);
  std::string_view fraction;
  if (at < digits.size() && digits[at] == '.') {
    ++at;
    fraction = run();
  }
  if (whole.empty() && fraction.empty()) return at == digits.size();
  number = negative ? "-" : "";
  number += whole.empty() ? "0" : whole;
  if (!fraction.empty()) (number += '.') += fraction;
  if (at < digits.size() && (digits[at] == 'e' || digits[at] == 'E')) {
    ++at;
    std::string exponent = "e";
    if (at < digits.size() && (digits[at] == '+' || digits[at] == '-')) exponent += digits[at++];
    const std::string_view power = run();
    if (!power.empty()) (number += exponent) += power;
  }
  return at == digits.size();
}

std::optional<std::string_view> Mender::Literal(std::string_view word) {
  struct Entry {
    std::string_view word;
    std::string_view json;
  };
  static constexpr std::array<Entry, 18> kWords{{{"true", "true"},
                                                 {"True", "true"},
                                                 {"TRUE", "true"},
                                                 {"false", "false"},
                                                 {"False", "false"},
                                                 {"FALSE", "false"},
                                                 {"null", "null"},
                                                 {"Null", "null"},
                                                 {"NULL", "null"},
                                                 {"None", "null"},
                                                 {"nil", "null"},
                                                 {"undefined", "null"},
                                                 {"NaN", "null"},
                                                 {"nan", "null"},
                                                 {"Infinity", "null"},
                                                 {"-Infinity", "null"},
                                                 {"inf", "null"},
                                                 {"-inf", "null"}}};
  for (const Entry& entry : kWords) {
    if (entry.word == word) return entry.json;
  }
  return std::nullopt;
}

void Mender::Word() {
  std::size_t end = at_;
  while (end < text_.size() && std::string_view(",]}\n\r;").find(text_[end]) == std::string_view::npos &&
         !StartsWith(text_.substr(end), kFenceMark) && !StartsWith(text_.substr(end), "/*")) {
    ++end;
  }
  std::string_view word = text_.substr(at_, end - at_);
  while (!word.empty() && IsSpace(word.back())) word.remove_suffix(1);
  const bool cut = end >= text_.size();
  at_ = end;
  if (const auto literal = Literal(word)) {
    if (*literal != word) fixes_.Add(Fix::kLiteral);
    out_ += *literal;
    return;
  }
  if (word.find_first_not_of('.') == std::string_view::npos || word == "\u2026") {
    fixes_.Add(Fix::kProse);  // "and so on"
    return DropMember();
  }
  if (cut) {
    for (const std::string_view whole : {"true", "false", "null", "True", "False", "None"}) {
      if (!whole.starts_with(word)) continue;
      fixes_.Add(Fix::kTruncated);
      return DropMember();
    }
  }
  // No word begins like this; it is not a value.
  if (word.empty() || (!IsNameChar(word.front()) && word.front() != '+' && word.front() != '@')) return Unexpected();
  if (QuoteAt(word.substr(word.size() - 1)).kind == QuoteKind::kDouble) word.remove_suffix(1);
  fixes_.Add(Fix::kUnquoted);
  json::WriteString(word, out_);
  Top().last_is_text = true;
}

}  // namespace openseat::schema
