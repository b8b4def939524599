#include "base/tokens.h"

#include <gtest/gtest.h>

namespace openseat {
namespace {

TEST(Tokens, OtherScriptsAreDearer) {
  EXPECT_EQ(EstimateTokens(""), 0u);
  EXPECT_EQ(EstimateTokens("abcde"), 2u);
  EXPECT_EQ(EstimateTokens("森の中"), 3u);
}

TEST(Tokens, TheMostAreMoreThanTheEstimate) {
  EXPECT_EQ(MostTokens(""), 0u);
  EXPECT_EQ(MostTokens("abc d"), 3u);
  EXPECT_EQ(MostTokens("1234"), 4u) << "models of today have a token for each digit";
  EXPECT_EQ(MostTokens("{\"x\":1}"), 7u);
  EXPECT_EQ(MostTokens("QXZ"), 3u);
  EXPECT_EQ(MostTokens("森"), 2u);
  for (const char* text : {"The quick brown fox.", "x", "1 + 1 = 2", "森の中へ", "😀"}) {
    EXPECT_GE(MostTokens(text), EstimateTokens(text)) << text;
  }
}

TEST(Tokens, AreCutAtCharactersBorders) {
  EXPECT_EQ(BeginningOf("abcdefgh", 2), "abcdefgh");
  EXPECT_EQ(BeginningOf("abcdefghi", 2), "abcd…");
  EXPECT_EQ(BeginningOf("森の中へ", 3), "森の…");
  EXPECT_EQ(BeginningOf("abc", 0), "");
  EXPECT_EQ(EndOf("abcdefgh", 2), "abcdefgh");
  EXPECT_EQ(EndOf("abcdefghi", 2), "…fghi");
  EXPECT_EQ(EndOf("森の中へ", 3), "…中へ");
  EXPECT_EQ(EndOf("森の中へ", 1), "…");
  const std::string mixed = "ab森cd\xFF\x80中ef😀";
  for (std::size_t tokens = 0; tokens < 9; ++tokens) {
    EXPECT_LE(EstimateTokens(BeginningOf(mixed, tokens)), tokens);
    EXPECT_LE(EstimateTokens(EndOf(mixed, tokens)), tokens);
  }
}

}  // namespace
}  // namespace openseat
