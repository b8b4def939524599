#include "oauth/jwt.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "oauth/test_signer.h"

namespace openseat::oauth {
namespace {

using ::testing::HasSubstr;

const json::Object kClaims{{"iss", "https://auth.example"}, {"sub", "ana"}};

KeySet Keys(const std::string& keys) {
  return *KeySet::Parse(R"({"keys":[)" + keys + "]}");
}

TEST(Jwt, TakesWhatAKeyOfTheSetHasSigned) {
  for (const char* algorithm : {"ES256", "RS256", "RS512", "PS256"}) {
    const TestSigner signer("one", algorithm);
    const std::string token = signer.Sign(kClaims);
    const Result<UnverifiedJwt> jwt = ReadJwt(token);
    ASSERT_TRUE(jwt) << algorithm << ": " << jwt.error().message;
    EXPECT_EQ(jwt->issuer(), "https://auth.example");
    EXPECT_EQ(jwt->key_id, "one");
    EXPECT_TRUE(Keys(signer.PublicKey()).Verify(token, *jwt)) << algorithm;
  }
}

TEST(Jwt, RefusesWhatAnotherKeyHasSigned) {
  const TestSigner signer("one");
  const TestSigner other("one");
  const TestSigner renamed("two");
  const std::string token = signer.Sign(kClaims);
  const UnverifiedJwt jwt = *ReadJwt(token);
  EXPECT_EQ(Keys(other.PublicKey()).Verify(token, jwt).error().code, ErrorCode::kInvalid);
  EXPECT_FALSE(Keys(renamed.PublicKey()).Verify(token, jwt));
  EXPECT_FALSE(Keys("").Verify(token, jwt));
  // The right one among others is found.
  EXPECT_TRUE(Keys(other.PublicKey() + "," + renamed.PublicKey() + "," + signer.PublicKey()).Verify(token, jwt));
}

TEST(Jwt, RefusesWhatWasChanged) {
  const TestSigner signer("one");
  const KeySet keys = Keys(signer.PublicKey());
  const std::string token = signer.Sign(kClaims);
  const std::string other = signer.Sign({{"iss", "https://auth.example"}, {"sub", "eve"}});
  const std::size_t first = token.find('.');
  const std::size_t second = token.rfind('.');
  // One token's claims with another's signature.
  const std::string mixed =
      token.substr(0, first) + other.substr(other.find('.'), other.rfind('.') - other.find('.')) + token.substr(second);
  EXPECT_FALSE(keys.Verify(mixed, *ReadJwt(mixed)));
  const std::string unsigned_token = token.substr(0, second + 1);
  const Result<UnverifiedJwt> read = ReadJwt(unsigned_token);
  EXPECT_TRUE(!read || !keys.Verify(unsigned_token, *read));
}

TEST(Jwt, RefusesAlgorithmsThatNoPublicKeyVouchesFor) {
  // {"alg":"none"} . {"iss":"https://auth.example"} .
  EXPECT_THAT(ReadJwt("eyJhbGciOiJub25lIn0.eyJpc3MiOiJodHRwczovL2F1dGguZXhhbXBsZSJ9.").error().message,
              HasSubstr("\"none\""));
  const TestSigner shared("one", "HS256");
  EXPECT_THAT(ReadJwt(shared.Sign(kClaims)).error().message, HasSubstr("HS256"));
  // A critical extension: {"alg":"ES256","crit":["b64"]}.
  EXPECT_THAT(ReadJwt("eyJhbGciOiJFUzI1NiIsImNyaXQiOlsiYjY0Il19.e30.AA").error().message, HasSubstr("extensions"));
}

TEST(Jwt, RefusesWhatIsNone) {
  for (const char* text : {"", "a", "a.b", "a.b.c", "..", "a.b.c.d", "e30.e30.", "W10.W10.AA", "!.!.!", "e3=0.e30.AA",
                           "e30.e30.A=AA", "e30=.e30.AA", "e30.e3==0.AA"}) {
    EXPECT_EQ(ReadJwt(text).error().code, ErrorCode::kInvalid) << text;
  }
}

TEST(Jwt, AKeySetsOtherKeysArePassedOver) {
  const TestSigner signer("one");
  std::string encryption = signer.PublicKey();
  encryption.insert(encryption.size() - 1, R"(,"use":"enc")");
  std::string narrow = signer.PublicKey();
  narrow.insert(narrow.size() - 1, R"(,"use":"sig","alg":"RS256")");
  const KeySet keys =
      Keys(encryption + R"(,{"kty":"OKP","crv":"Ed25519","x":"AA"},{"kty":"oct","k":"AA"},7,)" + narrow);
  EXPECT_EQ(keys.size(), 1u);
  const std::string token = signer.Sign(kClaims);
  EXPECT_FALSE(keys.Verify(token, *ReadJwt(token))) << "that key is for another algorithm";
  // Numbers that are not base64url, and one of an unrealistic size.
  EXPECT_EQ(
      Keys(
          R"({"kty":"RSA","n":"2Ck=c3YwlhUw","e":"AQAB"},{"kty":"RSA","n":"AAAAA","e":"AQAB"},{"kty":"EC","crv":"P-256"},)"
          R"({"kty":"EC","crv":"P-256","x":"=","y":"AA"},{"kty":"RSA","e":"AQAB","n":")" +
          std::string(4096, 'x') + "\"}")
          .size(),
      0u);
  EXPECT_EQ(KeySet::Parse("[]").error().code, ErrorCode::kParse);
  EXPECT_EQ(KeySet::Parse(R"({"keys":7})").error().code, ErrorCode::kParse);
}

}  // namespace
}  // namespace openseat::oauth
