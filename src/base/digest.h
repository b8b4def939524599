// SHA-256, for storing tokens and keys only as hashes, and for signing what is sent.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

namespace openseat {

// 64 lower-case hexadecimal digits.
std::string Sha256Hex(std::string_view text);
// HMAC-SHA256 (RFC 2104) in base64.
std::string HmacSha256Base64(std::string_view key, std::string_view text);
// Of a text in parts, which are not copied.
std::string HmacSha256Base64OfParts(std::string_view key, std::initializer_list<std::string_view> parts);
// Equality in a time that does not depend on where the texts differ.
bool EqualSecrets(std::string_view a, std::string_view b);

}  // namespace openseat
