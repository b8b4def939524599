// Host names: those of RFC 1123, and the internationalized ones of IDNA 2008 (RFC 5890 to 5893), for the formats
// "hostname", "idn-hostname" and the two e-mail formats. libidn2 judges labels that are not ASCII.
#pragma once

#include <string_view>

namespace openseat::schema {

// ASCII; labels that begin with "xn--" must be valid A-labels.
bool IsHostname(std::string_view text);
bool IsIdnHostname(std::string_view text);
// Letters, digits and inner hyphens, where every non-ASCII character counts as a letter.
bool IsLooseHostname(std::string_view text);

}  // namespace openseat::schema
