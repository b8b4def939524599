// Percent encoding (RFC 3986); net/url.h decodes. Pure.
#pragma once

#include <string>
#include <string_view>

namespace openseat::net {

// Escapes everything but letters, digits, "-", "_", "." and "~".
std::string PercentEncode(std::string_view text);

}  // namespace openseat::net
