#include "base/digest.h"

#include <gtest/gtest.h>

namespace openseat {
namespace {

TEST(Digest, Sha256OfThePublishedExample) {
  EXPECT_EQ(Sha256Hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

// RFC 4231, test cases 2 and 6 (a key longer than a block).
TEST(Digest, HmacSha256OfThePublishedExamples) {
  EXPECT_EQ(HmacSha256Base64("Jefe", "what do ya want for nothing?"), "W9zBRr9gdU5qBCQmCJV1x1oAPwidJzmDnexYuWTsOEM=");
  EXPECT_EQ(HmacSha256Base64(std::string(131, '\xaa'), "Test Using Larger Than Block-Size Key - Hash Key First"),
            "YOQxWR7gtn8Niiaqy/W3f44LxiE3KMUUBUYEDw7jf1Q=");
}

TEST(Digest, HmacSha256OfPartsIsThatOfTheWhole) {
  EXPECT_EQ(HmacSha256Base64OfParts("Jefe", {"what do ya want", "", " for nothing?"}),
            HmacSha256Base64("Jefe", "what do ya want for nothing?"));
}

// Not the key of the call before.
TEST(Digest, AnEmptyKeyIsAKey) {
  EXPECT_EQ(HmacSha256Base64("Jefe", ""), HmacSha256Base64("Jefe", ""));
  EXPECT_EQ(HmacSha256Base64("", ""), "thNnmggU2ex3L5XXeMNfxf8Wl8STcVZTxscSFEKSxa0=");
  EXPECT_EQ(HmacSha256Base64({}, {}), "thNnmggU2ex3L5XXeMNfxf8Wl8STcVZTxscSFEKSxa0=");
}

TEST(Digest, SecretsAreEqualOrNot) {
  EXPECT_TRUE(EqualSecrets("abc", "abc"));
  EXPECT_FALSE(EqualSecrets("abc", "abd"));
  EXPECT_FALSE(EqualSecrets("abc", "abcd"));
}

}  // namespace
}  // namespace openseat
