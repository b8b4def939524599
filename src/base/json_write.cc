#include <algorithm>
#include <array>
#include <boost/json/value.hpp>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "base/json.h"
#include "base/text.h"

namespace openseat::json {
namespace {

constexpr char kHex[] = "0123456789abcdef";

constexpr std::array<bool, 256> MakePlain() {
  std::array<bool, 256> plain{};
  for (std::size_t c = 0x20; c < 0x7F; ++c) plain[c] = c != '"' && c != '\\';
  return plain;
}
constexpr std::array<bool, 256> kPlain = MakePlain();

// What is written gathers here, since a call of std::string for each quote and comma would cost more than the rest.
class Sink {
 public:
  explicit Sink(std::string& out) : out_(out) {}
  Sink(const Sink&) = delete;
  Sink& operator=(const Sink&) = delete;
  ~Sink() { out_.append(buffer_.data(), used_); }

  void Put(char c) {
    MakeRoom(1);
    buffer_[used_++] = c;
  }
  void Put(std::string_view text) {
    if (text.size() > buffer_.size()) {
      Flush();
      out_ += text;
      return;
    }
    MakeRoom(text.size());
    std::memcpy(buffer_.data() + used_, text.data(), text.size());
    used_ += text.size();
  }
  // Puts the bytes at the beginning of `text` that need no escape, or the first of many, and returns how many those
  // are. Eight at a time: a byte needs one if it is beyond ASCII or DEL (adding 1 reaches the highest bit), below a
  // space, a quote or a backslash (a difference that wraps around).
  std::size_t PutPlain(std::string_view text) {
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
  template <typename Number, typename... Format>
  void PutNumber(Number number, Format... format) {
    constexpr std::size_t kLongest = 32;
    MakeRoom(kLongest);
    const auto end = std::to_chars(buffer_.data() + used_, buffer_.data() + buffer_.size(), number, format...).ptr;
    used_ = static_cast<std::size_t>(end - buffer_.data());
  }
  void PutSpaces(std::size_t count) {
    for (; count > 0; --count) Put(' ');
  }

 private:
  void MakeRoom(std::size_t bytes) {
    if (buffer_.size() - used_ < bytes) Flush();
  }
  // Not inline, so that what calls it may be.
  [[gnu::noinline]] void Flush() {
    out_.append(buffer_.data(), used_);
    used_ = 0;
  }

  static constexpr std::size_t kMostPlain = 256;

  std::string& out_;
  std::size_t used_ = 0;
  std::array<char, 512> buffer_;  // not initialized: only what is used is read
};

void PutEscape(char32_t unit, Sink& out) {
  out.Put("\\u");
  for (int shift = 12; shift >= 0; shift -= 4) out.Put(kHex[(unit >> shift) & 15]);
}

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

void PutAscii(unsigned char c, Sink& out) {
  switch (c) {
    case '"':
      return out.Put("\\\"");
    case '\\':
      return out.Put("\\\\");
    case '\n':
      return out.Put("\\n");
    case '\r':
      return out.Put("\\r");
    case '\t':
      return out.Put("\\t");
    default:
      return PutEscape(c, out);
  }
}

void PutBeyondAscii(std::string_view character, Sink& out) {
  const char32_t code = Decode(character, character.size());
  if (code < 0x10000) return PutEscape(code, out);
  PutEscape(0xD800 + ((code - 0x10000) >> 10), out);
  PutEscape(0xDC00 + ((code - 0x10000) & 0x3FF), out);
}

// Escapes what JSON requires and, unless `utf8`, everything beyond ASCII.
void PutString(std::string_view text, bool utf8, Sink& out) {
  constexpr std::string_view kNoCharacter = "\xEF\xBF\xBD";
  out.Put('"');
  while (true) {
    text.remove_prefix(out.PutPlain(text));
    if (text.empty()) break;
    if (kPlain[static_cast<unsigned char>(text.front())]) continue;
    if (static_cast<unsigned char>(text.front()) < 0x80) {
      PutAscii(static_cast<unsigned char>(text.front()), out);
      text.remove_prefix(1);
      continue;
    }
    const std::size_t length = Utf8CharLength(text);
    const std::string_view character = length == 0 ? kNoCharacter : text.substr(0, length);
    if (utf8) {
      out.Put(character);
    } else {
      PutBeyondAscii(character, out);
    }
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  out.Put('"');
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
  out.PutSpaces(depth * 2);
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
      return PutString(View(value.get_string()), style.pretty, out);
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
        PutString(KeyOf(member), style.pretty, out);
        out.Put(style.pretty ? ": " : ":");
        Put(member.value(), style, depth + 1, out);
      }
      if (!object.empty()) NewLine(style, depth, out);
      return out.Put('}');
    }
  }
}

}  // namespace

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
  Sink sink(out);
  PutString(text, false, sink);
}
void Write(const Value& value, std::string& out) {
  Sink sink(out);
  Put(value, Style{false}, 0, sink);
}

std::string Write(const Value& value) {
  std::string out;
  Write(value, out);
  return out;
}

std::string WritePretty(const Value& value) {
  std::string out;
  {
    Sink sink(out);
    Put(value, Style{true}, 0, sink);
  }
  return out;
}

}  // namespace openseat::json
