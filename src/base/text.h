// Small helpers for text from outside.
#pragma once

#include <cstddef>
#include <functional>
#include <iterator>
#include <string>
#include <string_view>

namespace openseat {

constexpr bool IsDigit(char c) {
  return c >= '0' && c <= '9';
}
constexpr bool IsAlphanumeric(char c) {
  return IsDigit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
constexpr char AsciiLower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
}
std::string AsciiLower(std::string_view text);
// ASCII letters only.
bool EqualsIgnoringCase(std::string_view a, std::string_view b);
// The value of a hexadecimal digit of either case; -1 for any other character.
constexpr int HexValue(char c) {
  if (IsDigit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}
bool IsValidUtf8(std::string_view text);
// `text` with every invalid byte sequence replaced by U+FFFD.
std::string SanitizeUtf8(std::string_view text);
// At most `max_bytes` of `text`, cut at a character boundary, followed by "…" if something was cut.
std::string Ellipsize(std::string_view text, std::size_t max_bytes);

// --- What a stranger wrote, in a message: it may have megabytes, so only its beginning is quoted ---
// For JSON: json::Excerpt.

inline constexpr std::size_t kQuotedBytes = 100;
inline constexpr std::size_t kListedBytes = 1000;
// "\"text\"", cut like Ellipsize.
std::string Quote(std::string_view text, std::size_t max_bytes = kQuotedBytes);
// "a, b or c" if `last` is " or ". Each word is cut, and so is the list: "a, b, c … and 97 more". `name` makes a word's
// text, such as &ActionSpec::name.
template <typename Words, typename Name = std::identity>
std::string Listing(const Words& words, std::string_view last = ", ", const Name& name = {}) {
  std::string out;
  std::size_t left = std::size(words);
  for (const auto& word : words) {
    if (out.size() > kListedBytes) return out + " … and " + std::to_string(left) + " more";
    --left;
    if (!out.empty()) out += left == 0 ? last : std::string_view(", ");
    out += Ellipsize(std::invoke(name, word), kQuotedBytes);
  }
  return out;
}

// `text` as one line that is safe for a terminal: control characters, including those from U+0080 to U+009F, become
// "\n", "\r", "\t" or "\x1b".
std::string EscapeControls(std::string_view text);
// What a stranger wrote, for a person at a terminal: valid UTF-8 without control characters, on one line.
std::string Printable(std::string_view text);
// The same of a text with several lines: its line breaks and tabs stay.
std::string PrintableLines(std::string_view text);
// Bytes of the first character of `text`: 1 to 4, or 0 if it is empty or not valid UTF-8.
std::size_t Utf8CharLength(std::string_view text);
// Appends the UTF-8 form of a code point. REQUIRES a Unicode scalar value (no surrogate, at most 0x10FFFF).
void AppendUtf8(std::string& out, char32_t code_point);
// What an errno of the operating system means: "the disk is full" for ENOSPC.
std::string SystemMessage(int error);

}  // namespace openseat
