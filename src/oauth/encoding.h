// Encodings of OAuth's requests. Pure; any thread.
#pragma once

#include <string>
#include <string_view>

namespace openseat::oauth {

// application/x-www-form-urlencoded: a name or a value.
std::string FormEncoded(std::string_view text);
std::string Base64(std::string_view bytes);
// Without padding, with "-" and "_".
std::string Base64Url(std::string_view bytes);
// "" for anything else.
std::string FromBase64Url(std::string_view text);
// The SHA-256 of the text in base64url: a PKCE challenge (RFC 7636).
std::string Sha256Base64Url(std::string_view text);

}  // namespace openseat::oauth
