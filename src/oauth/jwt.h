// Signed JSON Web Tokens (RFC 7515, 7519) and their keys (RFC 7517): turns text into claims, or a reason why
// not. Pure values, any thread. libcjose checks the signatures.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace openseat::oauth {

// A token's own claims, not verified yet.
struct UnverifiedJwt {
  std::string algorithm;
  std::string key_id;  // "" if it names none
  json::Object claims;

  std::string issuer() const;
};

// kInvalid for text that is not a JWT, and for a token that no public key could verify: unsigned, signed with a shared
// secret, or with critical extensions ("crit").
Result<UnverifiedJwt> ReadJwt(std::string_view token);

// Whether the text could be a JWT: three parts.
bool LooksLikeJwt(std::string_view token);

// The public keys of an authorization server.
class KeySet {
 public:
  KeySet();
  ~KeySet();
  KeySet(KeySet&&) noexcept;
  KeySet& operator=(KeySet&&) noexcept;

  // A JWK set. Keys of unknown kinds, and keys that are not for signatures, are ignored. kParse
  // if it is not a JWK set.
  static Result<KeySet> Parse(std::string_view text);

  std::size_t size() const { return keys_.size(); }
  // Whether there is a key with that id, or any key if the id is empty.
  bool Has(std::string_view key_id) const;
  // kInvalid if none of the keys that the token may refer to signed it.
  Result<void> Verify(std::string_view token, const UnverifiedJwt& head) const;

 private:
  struct Key;
  std::vector<std::unique_ptr<Key>> keys_;
};

}  // namespace openseat::oauth
