#include <array>
#include <boost/json/value.hpp>
#include <charconv>
#include <cmath>

#include "base/json.h"
#include "base/text.h"

namespace openseat::json {
namespace {

constexpr char kHex[] = "0123456789abcdef";

void AppendEscape(char32_t unit, std::string& out) {
  out += "\\u";
  for (int shift = 12; shift >= 0; shift -= 4) out += kHex[(unit >> shift) & 15];
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

constexpr std::array<bool, 256> MakePlain() {
  std::array<bool, 256> plain{};
  for (std::size_t c = 0x20; c < 0x7F; ++c) plain[c] = c != '"' && c != '\\';
  return plain;
}
constexpr std::array<bool, 256> kPlain = MakePlain();

template <typename Number>
void AppendNumber(Number number, std::string& out) {
  std::array<char, 32> buffer;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number).ptr;
  out.append(buffer.data(), end);
}

// Escapes what JSON requires and, unless `utf8`, everything beyond ASCII.
void AppendString(std::string_view text, bool utf8, std::string& out) {
  out += '"';
  while (!text.empty()) {
    std::size_t plain = 0;
    while (plain < text.size() && kPlain[static_cast<unsigned char>(text[plain])]) ++plain;
    out.append(text.data(), plain);
    text.remove_prefix(plain);
    if (text.empty()) break;
    const auto c = static_cast<unsigned char>(text.front());
    if (c < 0x80) {
      switch (c) {
        case '"':
          out += "\\\"";
          break;
        case '\\':
          out += "\\\\";
          break;
        case '\n':
          out += "\\n";
          break;
        case '\r':
          out += "\\r";
          break;
        case '\t':
          out += "\\t";
          break;
        default:
          AppendEscape(c, out);
      }
      text.remove_prefix(1);
      continue;
    }
    const std::size_t length = Utf8CharLength(text);
    if (length == 0) {
      if (utf8) {
        out += "\xEF\xBF\xBD";
      } else {
        AppendEscape(0xFFFD, out);
      }
      text.remove_prefix(1);
      continue;
    }
    if (utf8) {
      out.append(text.data(), length);
    } else {
      const char32_t code = Decode(text, length);
      if (code < 0x10000) {
        AppendEscape(code, out);
      } else {
        AppendEscape(0xD800 + ((code - 0x10000) >> 10), out);
        AppendEscape(0xDC00 + ((code - 0x10000) & 0x3FF), out);
      }
    }
    text.remove_prefix(length);
  }
  out += '"';
}

struct Style {
  bool pretty;
};

void NewLine(const Style& style, std::size_t depth, std::string& out) {
  if (!style.pretty) return;
  out += '\n';
  out.append(depth * 2, ' ');
}

void Append(const Value& value, const Style& style, std::size_t depth, std::string& out) {
  switch (value.kind()) {
    case Kind::null:
      out += "null";
      break;
    case Kind::bool_:
      out += value.get_bool() ? "true" : "false";
      break;
    case Kind::int64:
      AppendNumber(value.get_int64(), out);
      break;
    case Kind::uint64:
      AppendNumber(value.get_uint64(), out);
      break;
    case Kind::double_:
      WriteNumber(value.get_double(), out);
      break;
    case Kind::string:
      AppendString(View(value.get_string()), style.pretty, out);
      break;
    case Kind::array: {
      const Array& array = value.get_array();
      out += '[';
      bool first = true;
      for (const Value& child : array) {
        if (!first) out += ',';
        first = false;
        NewLine(style, depth + 1, out);
        Append(child, style, depth + 1, out);
      }
      if (!array.empty()) NewLine(style, depth, out);
      out += ']';
      break;
    }
    case Kind::object: {
      const Object& object = value.get_object();
      out += '{';
      bool first = true;
      for (const auto& member : object) {
        if (!first) out += ',';
        first = false;
        NewLine(style, depth + 1, out);
        AppendString({member.key().data(), member.key().size()}, style.pretty, out);
        out += style.pretty ? ": " : ":";
        Append(member.value(), style, depth + 1, out);
      }
      if (!object.empty()) NewLine(style, depth, out);
      out += '}';
      break;
    }
  }
}

}  // namespace

void WriteNumber(std::int64_t number, std::string& out) {
  AppendNumber(number, out);
}
void WriteNumber(std::uint64_t number, std::string& out) {
  AppendNumber(number, out);
}
void WriteNumber(double number, std::string& out) {
  if (!std::isfinite(number)) {
    out += "null";
    return;
  }
  // Beyond 64 bits the shortest form may look like an integer, which Parse rejects because it fits no integer type.
  if (std::abs(number) >= 0x1p63) {
    std::array<char, 32> buffer;
    out.append(buffer.data(),
               std::to_chars(buffer.data(), buffer.data() + buffer.size(), number, std::chars_format::scientific).ptr);
    return;
  }
  AppendNumber(number, out);
}

void WriteString(std::string_view text, std::string& out) {
  AppendString(text, false, out);
}
void Write(const Value& value, std::string& out) {
  Append(value, Style{false}, 0, out);
}

std::string Write(const Value& value) {
  std::string out;
  Write(value, out);
  return out;
}

std::string WritePretty(const Value& value) {
  std::string out;
  Append(value, Style{true}, 0, out);
  return out;
}

}  // namespace openseat::json
