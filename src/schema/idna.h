// Host names: those of RFC 1123, and the internationalized ones of IDNA 2008 (RFC 5890 to 5893), for the formats
// "hostname", "idn-hostname" and the two e-mail formats.
//
// Unicode's properties come from PCRE2. Two things it has no table for are approximated: which code points are unstable
// under NFKC case folding (all capitals and the compatibility blocks are refused), and Joining_Type (known for Arabic
// and Syriac; letters of the other joining scripts count as joining on both sides).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace openseat::schema {

// ASCII; labels that begin with "xn--" must be valid A-labels.
bool IsHostname(std::string_view text);
bool IsIdnHostname(std::string_view text);
// Letters, digits and inner hyphens, where every non-ASCII character counts as a letter.
bool IsLooseHostname(std::string_view text);

// RFC 3492. nullopt if the text is not Punycode or overflows.
std::optional<std::vector<char32_t>> DecodePunycode(std::string_view text);
std::string EncodePunycode(const std::vector<char32_t>& text);

}  // namespace openseat::schema
