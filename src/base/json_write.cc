#include <algorithm>
#include <array>
#include <boost/json/value.hpp>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <utility>

#include "base/json.h"
#include "base/json_sink.h"
#include "base/text.h"

namespace openseat::json {
namespace {

constexpr char kHex[] = "0123456789abcdef";
constexpr std::size_t kMostPlain = 256;

constexpr std::array<bool, 256> MakePlain() {
  std::array<bool, 256> plain{};
  for (std::size_t c = 0x20; c < 0x7F; ++c) plain[c] = c != '"' && c != '\\';
  return plain;
}
constexpr std::array<bool, 256> kPlain = MakePlain();

char32_t Decode(std::string_view text, std::size_t length) {
  const auto tail = [&](std::size_t i) { return static_cast<char32_t>(static_cast<unsigned char>(text[i]) & 0x3F); };
  const auto lead = static_cast<unsigned char>(text[0]);
  switch (length) {
    case 2:
      return (static_cast<char32_t>(lead & 0x1F) << 6) | tail(1);
    case 3:
      return (static_cast<char32_t>(lead & 0x0F) << 12) | (tail(1) << 6) | tail(2);
    default:
      return (static_cast<char32_t>(lead & 0x07) << 18) | (tail(1) << 12) | (tail(2) << 6) | tail(3);
  }
}

void PutDouble(double number, Sink& out) {
  if (!std::isfinite(number)) return out.Put("null");
  // Beyond 64 bits the shortest form may look like an integer, which Parse rejects because it fits no integer type.
  if (std::abs(number) >= 0x1p63) return out.PutNumber(number, std::chars_format::scientific);
  out.PutNumber(number);
}

struct Style {
  bool pretty;
};

void NewLine(const Style& style, std::size_t depth, Sink& out) {
  if (!style.pretty) return;
  out.Put('\n');
  for (std::size_t spaces = depth * 2; spaces > 0; --spaces) out.Put(' ');
}

void Put(const Value& value, const Style& style, std::size_t depth, Sink& out) {
  switch (value.kind()) {
    case Kind::null:
      return out.Put("null");
    case Kind::bool_:
      return out.Put(value.get_bool() ? "true" : "false");
    case Kind::int64:
      return out.PutNumber(value.get_int64());
    case Kind::uint64:
      return out.PutNumber(value.get_uint64());
    case Kind::double_:
      return PutDouble(value.get_double(), out);
    case Kind::string:
      return out.PutString(View(value.get_string()), style.pretty);
    case Kind::array: {
      const Array& array = value.get_array();
      out.Put('[');
      bool first = true;
      for (const Value& child : array) {
        if (!first) out.Put(',');
        first = false;
        NewLine(style, depth + 1, out);
        Put(child, style, depth + 1, out);
      }
      if (!array.empty()) NewLine(style, depth, out);
      return out.Put(']');
    }
    case Kind::object: {
      const Object& object = value.get_object();
      out.Put('{');
      bool first = true;
      for (const auto& member : object) {
        if (!first) out.Put(',');
        first = false;
        NewLine(style, depth + 1, out);
        out.PutString(KeyOf(member), style.pretty);
        out.Put(style.pretty ? ": " : ":");
        Put(member.value(), style, depth + 1, out);
      }
      if (!object.empty()) NewLine(style, depth, out);
      return out.Put('}');
    }
  }
}

// Appends the beginning of `value` to `out`: its first bytes up to `max_bytes`, and maybe some more. A text is at least
// as long once it is escaped.
void WriteBeginning(const Value& value, std::size_t max_bytes, std::string& out) {
  const auto put_text = [&](std::string_view text) { WriteString(text.substr(0, max_bytes), out); };
  if (const String* text = value.if_string()) return put_text(View(*text));
  if (const Array* array = value.if_array()) {
    char before = '[';
    for (const Value& child : *array) {
      if (out.size() > max_bytes) return;
      out += std::exchange(before, ',');
      WriteBeginning(child, max_bytes, out);
    }
    out += array->empty() ? "[]" : "]";
  } else if (const Object* object = value.if_object()) {
    char before = '{';
    for (const auto& member : *object) {
      if (out.size() > max_bytes) return;
      out += std::exchange(before, ',');
      put_text(KeyOf(member));
      out += ':';
      WriteBeginning(member.value(), max_bytes, out);
    }
    out += object->empty() ? "{}" : "}";
  } else {
    Write(value, out);
  }
}

}  // namespace

// Eight bytes at a time: one needs an escape if it is beyond ASCII or DEL (adding 1 reaches the highest bit), below a
// space, a quote or a backslash (a difference that wraps around).
std::size_t Sink::PutPlain(std::string_view text) {
  constexpr std::uint64_t kOnes = 0x0101010101010101;
  constexpr std::uint64_t kHighest = kOnes * 0x80;
  text = text.substr(0, kMostPlain);
  MakeRoom(text.size());
  char* const to = buffer_.data() + used_;
  std::size_t plain = 0;
  for (; plain + sizeof(std::uint64_t) <= text.size(); plain += sizeof(std::uint64_t)) {
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, text.data() + plain, sizeof(bytes));
    std::memcpy(to + plain, &bytes, sizeof(bytes));
    const std::uint64_t quote = bytes ^ (kOnes * '"');
    const std::uint64_t slash = bytes ^ (kOnes * '\\');
    const std::uint64_t wraps = (bytes - kOnes * ' ') | (quote - kOnes) | (slash - kOnes);
    if (((wraps | bytes | (bytes + kOnes)) & kHighest) != 0) break;
  }
  for (; plain < text.size() && kPlain[static_cast<unsigned char>(text[plain])]; ++plain) to[plain] = text[plain];
  used_ += plain;
  return plain;
}

void Sink::PutEscape(char32_t unit) {
  Put("\\u");
  for (int shift = 12; shift >= 0; shift -= 4) Put(kHex[(unit >> shift) & 15]);
}

void Sink::PutAscii(unsigned char c) {
  switch (c) {
    case '"':
      return Put("\\\"");
    case '\\':
      return Put("\\\\");
    case '\n':
      return Put("\\n");
    case '\r':
      return Put("\\r");
    case '\t':
      return Put("\\t");
    default:
      return PutEscape(c);
  }
}

void Sink::PutBeyondAscii(std::string_view character) {
  const char32_t code = Decode(character, character.size());
  if (code < 0x10000) return PutEscape(code);
  PutEscape(0xD800 + ((code - 0x10000) >> 10));
  PutEscape(0xDC00 + ((code - 0x10000) & 0x3FF));
}

void Sink::PutString(std::string_view text, bool utf8) {
  constexpr std::string_view kNoCharacter = "\xEF\xBF\xBD";
  Put('"');
  while (true) {
    text.remove_prefix(PutPlain(text));
    if (text.empty()) break;
    if (kPlain[static_cast<unsigned char>(text.front())]) continue;
    if (static_cast<unsigned char>(text.front()) < 0x80) {
      PutAscii(static_cast<unsigned char>(text.front()));
      text.remove_prefix(1);
      continue;
    }
    const std::size_t length = Utf8CharLength(text);
    const std::string_view character = length == 0 ? kNoCharacter : text.substr(0, length);
    if (utf8) {
      Put(character);
    } else {
      PutBeyondAscii(character);
    }
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  Put('"');
}

void Sink::PutValue(const Value& value) {
  json::Put(value, Style{false}, 0, *this);
}

void WriteNumber(std::int64_t number, std::string& out) {
  Sink(out).PutNumber(number);
}
void WriteNumber(std::uint64_t number, std::string& out) {
  Sink(out).PutNumber(number);
}
void WriteNumber(double number, std::string& out) {
  Sink sink(out);
  PutDouble(number, sink);
}

void WriteString(std::string_view text, std::string& out) {
  Sink(out).PutString(text);
}
void Write(const Value& value, std::string& out) {
  Sink(out).PutValue(value);
}

std::string Write(const Value& value) {
  std::string out;
  Write(value, out);
  return out;
}

std::string Excerpt(const Value& value, std::size_t max_bytes) {
  std::string out;
  WriteBeginning(value, max_bytes, out);
  return Ellipsize(out, max_bytes);
}

std::string WritePretty(const Value& value) {
  return Compose([&](Sink& out) { Put(value, Style{true}, 0, out); });
}

}  // namespace openseat::json
