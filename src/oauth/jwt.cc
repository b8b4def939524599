#include "oauth/jwt.h"

#include <cjose/cjose.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <utility>

namespace openseat::oauth {
namespace {

constexpr std::size_t kMaxKeys = 64;
constexpr std::size_t kMaxKeyNumber = 1400;  // letters of base64url: a modulus of 8192 bits

template <auto Release>
struct Deleter {
  template <typename T>
  void operator()(T* object) const {
    Release(object);
  }
};
using Jws = std::unique_ptr<cjose_jws_t, Deleter<cjose_jws_release>>;
using Jwk = std::unique_ptr<cjose_jwk_t, Deleter<cjose_jwk_release>>;

// Only those with public keys: with a shared secret, anyone who can check a token could also make one.
constexpr std::array<std::string_view, 9> kAlgorithms{"RS256", "RS384", "RS512", "PS256", "PS384",
                                                      "PS512", "ES256", "ES384", "ES512"};

tl::unexpected<Error> NotOne(std::string why) {
  return Fail(ErrorCode::kInvalid, "the access token " + std::move(why));
}

// libcjose asserts, which ends the program, on invalid base64url: padding in the middle, or an impossible
// length. Pass it nothing else.
bool IsBase64Url(std::string_view text) {
  return !text.empty() && text.size() % 4 != 1 && std::ranges::all_of(text, [](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
  });
}

Result<json::Object> DecodePart(std::string_view part) {
  std::uint8_t* bytes = nullptr;
  std::size_t size = 0;
  cjose_err error{};
  if (!IsBase64Url(part) || !cjose_base64url_decode(part.data(), part.size(), &bytes, &size, &error))
    return NotOne("is not base64url");
  const std::unique_ptr<std::uint8_t, Deleter<std::free>> owner(bytes);
  Result<json::Value> value = json::Parse(std::string_view(reinterpret_cast<const char*>(bytes), size));
  if (!value || !value->is_object()) return NotOne("does not contain JSON objects");
  return std::move(value->get_object());
}

// Only the public part of a JWK of kind "RSA" or "EC"; null if it is invalid.
Jwk ImportPublicKey(const json::Object& source) {
  const std::string kind = std::string(json::TextOf(source, "kty"));
  const bool rsa = kind == "RSA";
  if (!rsa && kind != "EC") return nullptr;
  json::Object key{{"kty", kind}};
  if (!rsa) key["crv"] = json::TextOf(source, "crv");
  for (const char* name : {rsa ? "n" : "x", rsa ? "e" : "y"}) {
    const std::string number = std::string(json::TextOf(source, name));
    if (number.size() > kMaxKeyNumber || !IsBase64Url(number)) return nullptr;
    key[name] = number;
  }
  const std::string text = json::Write(key);
  cjose_err error{};
  return Jwk(cjose_jwk_import(text.data(), text.size(), &error));
}

// Whether a key of this kind can make signatures of this algorithm.
bool Fits(cjose_jwk_kty_t kind, std::string_view algorithm) {
  return kind == (algorithm.starts_with("ES") ? CJOSE_JWK_KTY_EC : CJOSE_JWK_KTY_RSA);
}

}  // namespace

std::string UnverifiedJwt::issuer() const {
  return std::string(json::TextOf(claims, "iss"));
}

bool LooksLikeJwt(std::string_view token) {
  return std::ranges::count(token, '.') == 2;
}

Result<UnverifiedJwt> ReadJwt(std::string_view token) {
  if (!LooksLikeJwt(token)) return NotOne("is not a JWT");
  const std::size_t first = token.find('.');
  const std::size_t second = token.rfind('.');
  Result<json::Object> head = DecodePart(token.substr(0, first));
  if (!head) return Fail(std::move(head).error());
  Result<json::Object> claims = DecodePart(token.substr(first + 1, second - first - 1));
  if (!claims) return Fail(std::move(claims).error());
  UnverifiedJwt jwt{std::string(json::TextOf(*head, "alg")), std::string(json::TextOf(*head, "kid")),
                    std::move(*claims)};
  if (std::ranges::find(kAlgorithms, jwt.algorithm) == kAlgorithms.end()) {
    return NotOne("is signed as \"" + jwt.algorithm.substr(0, 20) + "\", which is not accepted");
  }
  if (!IsBase64Url(token.substr(second + 1))) return NotOne("has no signature");
  if (head->contains("crit")) return NotOne("has unknown extensions");
  return jwt;
}

struct KeySet::Key {
  std::string id;
  std::string algorithm;  // "": any that fits
  cjose_jwk_kty_t kind;
  Jwk key;
};

KeySet::KeySet() = default;
KeySet::~KeySet() = default;
KeySet::KeySet(KeySet&&) noexcept = default;
KeySet& KeySet::operator=(KeySet&&) noexcept = default;

Result<KeySet> KeySet::Parse(std::string_view text) {
  const Result<json::Value> parsed = json::Parse(text);
  const json::Value* keys = parsed && parsed->is_object() ? json::Find(parsed->get_object(), "keys") : nullptr;
  if (keys == nullptr || !keys->is_array()) return Fail(ErrorCode::kParse, "it is not a JWK set");
  KeySet set;
  for (const json::Value& each : keys->get_array()) {
    if (!each.is_object() || set.keys_.size() == kMaxKeys) continue;
    const json::Object& object = each.get_object();
    if (const std::string use = std::string(json::TextOf(object, "use")); !use.empty() && use != "sig") continue;
    Jwk key = ImportPublicKey(object);
    if (key == nullptr) continue;
    cjose_err error{};
    const cjose_jwk_kty_t kind = cjose_jwk_get_kty(key.get(), &error);
    set.keys_.push_back(std::make_unique<Key>(
        Key{std::string(json::TextOf(object, "kid")), std::string(json::TextOf(object, "alg")), kind, std::move(key)}));
  }
  return set;
}

bool KeySet::Has(std::string_view key_id) const {
  return std::ranges::any_of(keys_, [&](const auto& key) { return key_id.empty() || key->id == key_id; });
}

Result<void> KeySet::Verify(std::string_view token, const UnverifiedJwt& head) const {
  for (const std::unique_ptr<Key>& key : keys_) {
    if (!head.key_id.empty() && key->id != head.key_id) continue;
    if (!key->algorithm.empty() && key->algorithm != head.algorithm) continue;
    if (!Fits(key->kind, head.algorithm)) continue;
    cjose_err error{};
    const Jws jws(cjose_jws_import(token.data(), token.size(), &error));
    if (jws != nullptr && cjose_jws_verify(jws.get(), key->key.get(), &error)) return {};
  }
  return NotOne("is not signed by its issuer");
}

}  // namespace openseat::oauth
