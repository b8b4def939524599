#include "base/digest.h"

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <openssl/sha.h>

#include <array>
#include <memory>

#include "base/check.h"

namespace openseat {

namespace {

using Digest = std::array<unsigned char, SHA256_DIGEST_LENGTH>;

// OpenSSL looks an algorithm up by its name, which takes longer than to hash a token: once is enough.
const EVP_MD* Sha256() {
  static const EVP_MD* const algorithm = EVP_MD_fetch(nullptr, "SHA256", nullptr);
  return algorithm;
}

struct FreeMac {
  void operator()(EVP_MAC_CTX* context) const { EVP_MAC_CTX_free(context); }
};
using Mac = std::unique_ptr<EVP_MAC_CTX, FreeMac>;

// HMAC with SHA-256 that has no key yet.
Mac NewHmac() {
  static const EVP_MAC_CTX* const first = [] {
    EVP_MAC* algorithm = EVP_MAC_fetch(nullptr, "HMAC", nullptr);
    EVP_MAC_CTX* context = EVP_MAC_CTX_new(algorithm);
    EVP_MAC_free(algorithm);
    std::array<char, 7> hash{"SHA256"};
    const std::array<OSSL_PARAM, 2> parameters{OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, hash.data(), 0),
                                               OSSL_PARAM_construct_end()};
    OPENSEAT_CHECK(EVP_MAC_CTX_set_params(context, parameters.data()) == 1, "OpenSSL has HMAC with SHA-256");
    return context;
  }();
  return Mac(EVP_MAC_CTX_dup(first));
}

const unsigned char* BytesOf(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

std::string Hex(const Digest& digest) {
  static constexpr char kHex[] = "0123456789abcdef";
  std::string out(2 * digest.size(), '0');
  for (std::size_t i = 0; i < digest.size(); ++i) {
    out[2 * i] = kHex[digest[i] >> 4];
    out[2 * i + 1] = kHex[digest[i] & 15];
  }
  return out;
}

}  // namespace

std::string Sha256Hex(std::string_view text) {
  Digest digest;
  const int done = EVP_Digest(text.data(), text.size(), digest.data(), nullptr, Sha256(), nullptr);
  OPENSEAT_CHECK(done == 1, "OpenSSL has SHA-256");
  return Hex(digest);
}

std::string HmacSha256Base64(std::string_view key, std::string_view text) {
  return HmacSha256Base64OfParts(key, {text});
}

std::string HmacSha256Base64OfParts(std::string_view key, std::initializer_list<std::string_view> parts) {
  Digest digest;
  const Mac mac = NewHmac();
  // An empty key is one, too; a null pointer would mean the former key.
  const unsigned char* bytes = key.empty() ? BytesOf("") : BytesOf(key);
  std::size_t length = 0;
  bool done = EVP_MAC_init(mac.get(), bytes, key.size(), nullptr) == 1;
  for (const std::string_view part : parts) {
    done = done && EVP_MAC_update(mac.get(), BytesOf(part), part.size()) == 1;
  }
  OPENSEAT_CHECK(done && EVP_MAC_final(mac.get(), digest.data(), &length, digest.size()) == 1,
                 "OpenSSL computes an HMAC");
  std::array<unsigned char, (SHA256_DIGEST_LENGTH + 2) / 3 * 4 + 1> out;
  const int written = EVP_EncodeBlock(out.data(), digest.data(), static_cast<int>(digest.size()));
  return {reinterpret_cast<const char*>(out.data()), static_cast<std::size_t>(written)};
}

bool EqualSecrets(std::string_view a, std::string_view b) {
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace openseat
