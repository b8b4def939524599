#include "match/terms.h"

#include <gtest/gtest.h>

namespace openseat {
namespace {

std::string PathOf(const char* text) {
  const Result<MatchTerms> terms = ReadTerms(*json::Parse(text));
  return terms ? "fine" : terms.error().path;
}

TEST(Terms, AreReadAsTheyAreWritten) {
  const char* text = R"({"move_time":90,"game_time":300.5,"increment":2,"grace":86400,"agents_chat":true})";
  const Result<MatchTerms> terms = ReadTerms(*json::Parse(text));
  ASSERT_TRUE(terms) << terms.error().message;
  EXPECT_EQ(json::Write(ToJson(*terms)), text);
  EXPECT_EQ(terms->game_time, std::chrono::milliseconds(300'500));
  EXPECT_FALSE(terms->correspondence());
  EXPECT_TRUE(ToJson(MatchTerms()).empty());
  EXPECT_EQ(ReadTerms(json::Object()), MatchTerms());
  EXPECT_TRUE(ReadTerms(*json::Parse(R"({"move_time":3600})"))->correspondence());
}

TEST(Terms, OfAnyOtherFormAreRefused) {
  EXPECT_EQ(PathOf("[]"), "terms");
  EXPECT_EQ(PathOf(R"({"speed":1})"), "terms");
  EXPECT_EQ(PathOf(R"({"move_time":0})"), "terms.move_time");
  EXPECT_EQ(PathOf(R"({"move_time":"10"})"), "terms.move_time");
  EXPECT_EQ(PathOf(R"({"grace":2592001})"), "terms.grace");
  EXPECT_EQ(PathOf(R"({"grace":1e300})"), "terms.grace");
  EXPECT_EQ(PathOf(R"({"game_time":9,"increment":-1})"), "terms.increment");
  EXPECT_EQ(PathOf(R"({"increment":1})"), "terms.increment");
  EXPECT_EQ(PathOf(R"({"agents_chat":1})"), "terms.agents_chat");
}

}  // namespace
}  // namespace openseat
