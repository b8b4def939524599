#include "schema/formats/formats.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "base/text.h"
#include "schema/formats/idna.h"
#include "schema/formats/uri.h"
#include "schema/regex/regex_syntax.h"
#include "schema/utf8.h"

namespace openseat::schema {
namespace {

constexpr std::array<std::pair<std::string_view, Format>, 19> kFormats = {{
    {"date-time", Format::kDateTime},
    {"date", Format::kDate},
    {"time", Format::kTime},
    {"duration", Format::kDuration},
    {"email", Format::kEmail},
    {"idn-email", Format::kIdnEmail},
    {"hostname", Format::kHostname},
    {"idn-hostname", Format::kIdnHostname},
    {"ipv4", Format::kIpv4},
    {"ipv6", Format::kIpv6},
    {"uri", Format::kUri},
    {"uri-reference", Format::kUriReference},
    {"iri", Format::kIri},
    {"iri-reference", Format::kIriReference},
    {"uuid", Format::kUuid},
    {"uri-template", Format::kUriTemplate},
    {"json-pointer", Format::kJsonPointer},
    {"relative-json-pointer", Format::kRelativeJsonPointer},
    {"regex", Format::kRegex},
}};

bool IsHex(char c) {
  return HexValue(c) >= 0;
}

// Reads a text from the left; every Take… advances only if it succeeds.
class Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) {}

  bool AtEnd() const { return rest_.empty(); }
  bool Take(char c) {
    if (rest_.empty() || rest_[0] != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  bool TakeLetter(char upper) { return Take(upper) || Take(static_cast<char>(upper + ('a' - 'A'))); }
  // Exactly `count` digits, as a number; -1 if they are not there.
  int Number(std::size_t count) {
    if (rest_.size() < count ||
        !std::all_of(rest_.begin(), rest_.begin() + static_cast<std::ptrdiff_t>(count), IsDigit)) {
      return -1;
    }
    int value = 0;
    for (std::size_t i = 0; i < count; ++i) value = value * 10 + (rest_[i] - '0');
    rest_.remove_prefix(count);
    return value;
  }
  // Any number of digits; returns how many.
  std::size_t Digits() {
    std::size_t count = 0;
    while (!rest_.empty() && IsDigit(rest_[0])) {
      rest_.remove_prefix(1);
      ++count;
    }
    return count;
  }

 private:
  std::string_view rest_;
};

// RFC 3339, section 5.6.
bool TakeDate(Reader& reader) {
  const int year = reader.Number(4);
  if (year < 0 || !reader.Take('-')) return false;
  const int month = reader.Number(2);
  if (month < 1 || month > 12 || !reader.Take('-')) return false;
  const int day = reader.Number(2);
  constexpr std::array<int, 12> kDays = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  const int last = kDays[static_cast<std::size_t>(month - 1)] + (month == 2 && leap ? 1 : 0);
  return day >= 1 && day <= last;
}

bool TakeTime(Reader& reader) {
  const int hour = reader.Number(2);
  if (hour < 0 || hour > 23 || !reader.Take(':')) return false;
  const int minute = reader.Number(2);
  if (minute < 0 || minute > 59 || !reader.Take(':')) return false;
  const int second = reader.Number(2);
  if (second < 0 || second > 60) return false;
  if (reader.Take('.') && reader.Digits() == 0) return false;
  int offset = 0;
  if (!reader.TakeLetter('Z')) {
    int sign = 0;
    if (reader.Take('+')) {
      sign = 1;
    } else if (reader.Take('-')) {
      sign = -1;
    } else {
      return false;
    }
    const int hours = reader.Number(2);
    if (hours < 0 || hours > 23 || !reader.Take(':')) return false;
    const int minutes = reader.Number(2);
    if (minutes < 0 || minutes > 59) return false;
    offset = sign * (hours * 60 + minutes);
  }
  // A leap second is the last of a day in UTC.
  constexpr int kDay = 24 * 60;
  return second < 60 || (hour * 60 + minute - offset + kDay) % kDay == kDay - 1;
}

bool IsDate(std::string_view text) {
  Reader reader(text);
  return TakeDate(reader) && reader.AtEnd();
}
bool IsTime(std::string_view text) {
  Reader reader(text);
  return TakeTime(reader) && reader.AtEnd();
}
bool IsDateTime(std::string_view text) {
  Reader reader(text);
  return TakeDate(reader) && reader.TakeLetter('T') && TakeTime(reader) && reader.AtEnd();
}

// RFC 3339, appendix A: the units in order, without gaps; weeks alone.
bool TakeUnits(Reader& reader, std::string_view units) {
  std::size_t last = std::string_view::npos;
  for (;;) {
    Reader ahead = reader;
    if (ahead.Digits() == 0) return last != std::string_view::npos;
    std::size_t unit = 0;
    while (unit < units.size() && !ahead.Take(units[unit])) ++unit;
    if (unit == units.size() || (last != std::string_view::npos && unit != last + 1)) return false;
    last = unit;
    reader = ahead;
  }
}

bool IsDuration(std::string_view text) {
  Reader reader(text);
  if (!reader.Take('P')) return false;
  Reader weeks = reader;
  if (weeks.Digits() > 0 && weeks.Take('W')) return weeks.AtEnd();
  if (reader.Take('T')) return TakeUnits(reader, "HMS") && reader.AtEnd();
  if (!TakeUnits(reader, "YMD")) return false;
  return reader.AtEnd() || (reader.Take('T') && TakeUnits(reader, "HMS") && reader.AtEnd());
}

// RFC 5321's Mailbox; `international` adds RFC 6531's characters.
bool IsEmail(std::string_view text, bool international) {
  constexpr std::string_view kAtomCharacters = "!#$%&'*+-/=?^_`{|}~";
  constexpr std::size_t kMaxLocalBytes = 64;
  std::size_t at = 0;
  const auto is_foreign = [&](char c) { return international && static_cast<unsigned char>(c) >= 0x80; };
  if (text.starts_with('"')) {
    for (at = 1; at < text.size() && text[at] != '"'; ++at) {
      if (text[at] == '\\') ++at;
      if (at >= text.size() || (!is_foreign(text[at]) && (text[at] < 0x20 || text[at] == 0x7F))) return false;
    }
    ++at;
  } else {
    bool after_dot = true;
    for (; at < text.size() && text[at] != '@'; ++at) {
      const char c = text[at];
      const bool is_atom =
          IsAlphanumeric(c) || is_foreign(c) || (c != '\0' && kAtomCharacters.find(c) != std::string_view::npos);
      if (!is_atom && (c != '.' || after_dot)) return false;
      after_dot = c == '.';
    }
    if (after_dot) return false;
  }
  if (at >= text.size() || text[at] != '@' || at > kMaxLocalBytes) return false;
  const std::string_view domain = text.substr(at + 1);
  if (domain.starts_with('[') && domain.ends_with(']') && domain.size() > 2) {
    const std::string_view literal = domain.substr(1, domain.size() - 2);
    return literal.starts_with("IPv6:") ? IsIpv6(literal.substr(5)) : IsIpv4(literal);
  }
  return international ? IsLooseHostname(domain) : IsHostname(domain);
}

bool IsUuid(std::string_view text) {
  if (text.size() != 36) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool dash = i == 8 || i == 13 || i == 18 || i == 23;
    if (dash ? text[i] != '-' : !IsHex(text[i])) return false;
  }
  return true;
}

// RFC 6901: "~" only as "~0" or "~1".
bool IsJsonPointer(std::string_view text) {
  return SplitPointer(text).has_value();
}

bool IsRelativeJsonPointer(std::string_view text) {
  std::size_t digits = 0;
  while (digits < text.size() && IsDigit(text[digits])) ++digits;
  if (digits == 0 || (digits > 1 && text[0] == '0')) return false;
  const std::string_view rest = text.substr(digits);
  return rest == "#" || IsJsonPointer(rest);
}

// One variable of RFC 6570: name, then ":" and a length, or "*".
bool IsVariable(std::string_view text) {
  std::size_t at = 0;
  bool after_dot = true;
  while (at < text.size() && text[at] != ':' && text[at] != '*') {
    if (text[at] == '%') {
      if (at + 2 >= text.size() || !IsHex(text[at + 1]) || !IsHex(text[at + 2])) return false;
      at += 3;
      after_dot = false;
      continue;
    }
    const bool dot = text[at] == '.';
    if (dot ? after_dot : !IsAlphanumeric(text[at]) && text[at] != '_') return false;
    after_dot = dot;
    ++at;
  }
  if (after_dot) return false;
  const std::string_view rest = text.substr(at);
  if (rest.empty() || rest == "*") return true;
  return rest.size() >= 2 && rest.size() <= 5 && rest[0] == ':' && rest[1] != '0' &&
         std::all_of(rest.begin() + 1, rest.end(), IsDigit);
}

bool IsUriTemplate(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (c == '{') {
      const std::size_t close = text.find('}', at);
      if (close == std::string_view::npos) return false;
      std::string_view expression = text.substr(at + 1, close - at - 1);
      if (!expression.empty() && std::string_view("+#./;?&=,!@|").find(expression[0]) != std::string_view::npos) {
        // "=,!@|" are reserved and have no meaning yet.
        if (std::string_view("=,!@|").find(expression[0]) != std::string_view::npos) return false;
        expression.remove_prefix(1);
      }
      for (;;) {
        const std::size_t comma = expression.find(',');
        if (!IsVariable(expression.substr(0, comma))) return false;
        if (comma == std::string_view::npos) break;
        expression.remove_prefix(comma + 1);
      }
      at = close + 1;
    } else if (c == '%') {
      if (at + 2 >= text.size() || !IsHex(text[at + 1]) || !IsHex(text[at + 2])) return false;
      at += 3;
    } else if (static_cast<unsigned char>(c) < 0x80) {
      if (c <= 0x20 || c == 0x7F || std::string_view("\"<>\\^`|}").find(c) != std::string_view::npos) return false;
      ++at;
    } else {
      if (DecodeUtf8(text, at) < 0xA0) return false;
    }
  }
  return true;
}

}  // namespace

std::optional<Format> FindFormat(std::string_view name) {
  const auto* const found = std::ranges::find(kFormats, name, &std::pair<std::string_view, Format>::first);
  if (found == kFormats.end()) return std::nullopt;
  return found->second;
}

std::string_view FormatName(Format format) {
  return kFormats[static_cast<std::size_t>(format)].first;
}

bool IsIpv4(std::string_view text) {
  Reader reader(text);
  for (int part = 0; part < 4; ++part) {
    if (part > 0 && !reader.Take('.')) return false;
    Reader ahead = reader;
    const std::size_t digits = ahead.Digits();
    if (digits == 0 || digits > 3) return false;
    const bool leading_zero = digits > 1 && Reader(reader).Take('0');
    if (leading_zero || reader.Number(digits) > 255) return false;
  }
  return reader.AtEnd();
}

bool IsIpv6(std::string_view text) {
  std::size_t groups = 0;
  bool compressed = false;
  if (text.starts_with("::")) {
    compressed = true;
    text.remove_prefix(2);
    if (text.empty()) return true;
  }
  for (;;) {
    const std::size_t end = std::min(text.find(':'), text.size());
    const std::string_view group = text.substr(0, end);
    if (end == text.size() && group.find('.') != std::string_view::npos) {
      if (!IsIpv4(group)) return false;
      groups += 2;
      break;
    }
    if (group.empty() || group.size() > 4 || !std::all_of(group.begin(), group.end(), IsHex)) return false;
    ++groups;
    if (end == text.size()) break;
    text.remove_prefix(end + 1);
    if (text.starts_with(':')) {
      if (compressed) return false;
      compressed = true;
      text.remove_prefix(1);
      if (text.empty()) break;
    }
  }
  return compressed ? groups <= 7 : groups == 8;
}

bool HasFormat(Format format, std::string_view text) {
  switch (format) {
    case Format::kDateTime:
      return IsDateTime(text);
    case Format::kDate:
      return IsDate(text);
    case Format::kTime:
      return IsTime(text);
    case Format::kDuration:
      return IsDuration(text);
    case Format::kEmail:
      return IsEmail(text, false);
    case Format::kIdnEmail:
      return IsEmail(text, true);
    case Format::kHostname:
      return IsHostname(text);
    case Format::kIdnHostname:
      return IsIdnHostname(text);
    case Format::kIpv4:
      return IsIpv4(text);
    case Format::kIpv6:
      return IsIpv6(text);
    case Format::kUri:
      return IsUri(text, false);
    case Format::kUriReference:
      return IsUriReference(text, false);
    case Format::kIri:
      return IsUri(text, true);
    case Format::kIriReference:
      return IsUriReference(text, true);
    case Format::kUuid:
      return IsUuid(text);
    case Format::kUriTemplate:
      return IsUriTemplate(text);
    case Format::kJsonPointer:
      return IsJsonPointer(text);
    case Format::kRelativeJsonPointer:
      return IsRelativeJsonPointer(text);
    case Format::kRegex:
      return ParseRegex(text, true).has_value();
  }
  return false;
}

}  // namespace openseat::schema
