// Reading UTF-8 that is known to be valid (every JSON string is).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace openseat::schema {

// The code point at `at`; advances past it. REQUIRES at < text.size(). Each invalid byte is one "code point"
// 0xFFFD, so a loop always ends.
char32_t DecodeUtf8(std::string_view text, std::size_t& at);
std::vector<char32_t> DecodeUtf8(std::string_view text);
// Number of code points.
std::size_t CountCodePoints(std::string_view text);

}  // namespace openseat::schema
