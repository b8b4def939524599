// Reads bytes as an access token and, after the first line break, as the key set of its issuer. Reading never crashes,
// and a token is accepted only if a key of the set signed it: a key set that signed nothing here accepts no token.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "oauth/claims.h"
#include "oauth/jwt.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace openseat;
  using namespace openseat::oauth;
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const std::string_view token = input.substr(0, input.find('\n'));
  const std::string_view keys = token.size() == input.size() ? std::string_view() : input.substr(token.size() + 1);
  // The example of RFC 7517, appendix A.1.
  static const KeySet strange = *KeySet::Parse(
      R"({"keys":[{"kty":"EC","crv":"P-256","x":"MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4","y":"4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM","kid":"1"}]})");
  const Result<UnverifiedJwt> jwt = ReadJwt(token);
  const Result<KeySet> set = KeySet::Parse(keys);
  if (!jwt) return 0;
  OPENSEAT_CHECK(jwt->algorithm.size() == 5 && jwt->algorithm != "HS256", "only public-key algorithms are accepted");
  OPENSEAT_CHECK(!strange.Verify(token, *jwt), "a key that signed nothing accepts no token");
  if (set) static_cast<void>(set->Verify(token, *jwt).has_value());
  const TokenRules rules{"https://play.example/mcp", {"https://auth.example"}, {"play"}};
  static_cast<void>(CheckClaims(jwt->claims, rules, Time(std::chrono::seconds(1'800'000'000)), true).has_value());
  return 0;
}
