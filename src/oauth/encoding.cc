#include "oauth/encoding.h"

#include <cjose/base64.h>

#include <cstdint>
#include <cstdlib>

#include "base/digest.h"
#include "base/text.h"

namespace openseat::oauth {
namespace {

using Encoder = bool (*)(const std::uint8_t*, std::size_t, char**, std::size_t*, cjose_err*);

std::string EncodeWith(Encoder encode, std::string_view bytes) {
  char* out = nullptr;
  std::size_t size = 0;
  cjose_err error{};
  if (!encode(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size(), &out, &size, &error)) return {};
  std::string encoded(out, size);
  std::free(out);
  return encoded;
}

}  // namespace

std::string FormEncoded(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string out;
  for (const char c : text) {
    if (IsAlphanumeric(c) || c == '-' || c == '.' || c == '_' || c == '~') {
      out += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    out += '%';
    out += kDigits[byte >> 4];
    out += kDigits[byte & 15];
  }
  return out;
}

std::string Base64(std::string_view bytes) {
  return EncodeWith(&cjose_base64_encode, bytes);
}

std::string Base64Url(std::string_view bytes) {
  return EncodeWith(&cjose_base64url_encode, bytes);
}

std::string FromBase64Url(std::string_view text) {
  std::uint8_t* out = nullptr;
  std::size_t size = 0;
  cjose_err error{};
  if (!cjose_base64url_decode(text.data(), text.size(), &out, &size, &error)) return {};
  std::string decoded(reinterpret_cast<const char*>(out), size);
  std::free(out);
  return decoded;
}

std::string Sha256Base64Url(std::string_view text) {
  const std::string hex = Sha256Hex(text);
  std::string bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes += static_cast<char>(HexValue(hex[i]) * 16 + HexValue(hex[i + 1]));
  }
  return Base64Url(bytes);
}

}  // namespace openseat::oauth
