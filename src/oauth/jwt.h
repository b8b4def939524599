// Signed JSON Web Tokens (RFC 7515, 7519) and the keys that sign them (RFC 7517): text becomes claims, or a reason why
// not. Pure values, any thread. Signatures are libcjose's.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace openseat::oauth {

// What a token says of itself; nobody vouches for it yet.
struct UnverifiedJwt {
  std::string algorithm;
  std::string key_id;  // "" where it names none
  json::Object claims;

  std::string issuer() const;
};

// kInvalid for what is no JWT, and for one that no public key could vouch for: unsigned, signed with a shared secret,
// or with extensions that must be understood ("crit").
Result<UnverifiedJwt> ReadJwt(std::string_view token);

// Whether the text could be a JWT at all: three parts.
bool LooksLikeJwt(std::string_view token);

// The public keys of an authorization server.
class KeySet {
 public:
  KeySet();
  ~KeySet();
  KeySet(KeySet&&) noexcept;
  KeySet& operator=(KeySet&&) noexcept;

  // A JWK set. Keys of kinds that are not known here, and those that are not for signatures, are passed over. kParse
  // where it is no JWK set.
  static Result<KeySet> Parse(std::string_view text);

  std::size_t size() const { return keys_.size(); }
  // Whether a key of that id, or without one any key, is there.
  bool Has(std::string_view key_id) const;
  // kInvalid where none of the keys that the token may mean has signed it.
  Result<void> Verify(std::string_view token, const UnverifiedJwt& head) const;

 private:
  struct Key;
  std::vector<std::unique_ptr<Key>> keys_;
};

}  // namespace openseat::oauth
