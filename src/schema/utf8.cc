#include "schema/utf8.h"

#include <bit>
#include <cstring>

namespace openseat::schema {

char32_t DecodeUtf8(std::string_view text, std::size_t& at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(at);
  std::size_t length = 1;
  char32_t code_point = lead;
  if (lead >= 0xF0 && lead < 0xF8) {
    length = 4;
    code_point = lead & 0x07u;
  } else if (lead >= 0xE0 && lead < 0xF0) {
    length = 3;
    code_point = lead & 0x0Fu;
  } else if (lead >= 0xC0 && lead < 0xE0) {
    length = 2;
    code_point = lead & 0x1Fu;
  } else if (lead >= 0x80) {
    ++at;
    return 0xFFFD;
  }
  for (std::size_t i = 1; i < length; ++i) {
    if (at + i >= text.size() || (byte(at + i) & 0xC0u) != 0x80u) {
      ++at;
      return 0xFFFD;
    }
    code_point = (code_point << 6) | (byte(at + i) & 0x3Fu);
  }
  at += length;
  return code_point;
}

std::vector<char32_t> DecodeUtf8(std::string_view text) {
  std::vector<char32_t> out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) out.push_back(DecodeUtf8(text, at));
  return out;
}

std::size_t CountCodePoints(std::string_view text) {
  std::size_t count = text.size();
  const char* at = text.data();
  std::size_t left = text.size();
  // Continuation bytes are 10xxxxxx: bit 7 set, bit 6 clear. Eight of them at a time.
  for (; left >= 8; left -= 8, at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, at, 8);
    count -= static_cast<std::size_t>(std::popcount((word >> 7) & (~word >> 6) & 0x0101010101010101u));
  }
  for (; left > 0; --left, ++at) count -= (static_cast<unsigned char>(*at) & 0xC0u) == 0x80u;
  return count;
}

}  // namespace openseat::schema
