#include "protocols/neuro/lenient_json.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "base/json.h"

namespace openseat::neuro {
namespace {

constexpr std::size_t kDepth = 32;

struct Case {
  std::string broken;
  std::string mended;
  std::uint16_t mends;
};

TEST(LenientJson, Mends) {
  const std::vector<Case> cases = {
      {R"({"a":1})", R"({"a":1})", 0},
      {R"({"a":"\xC3\xA9"})", R"({"a":"\u00e9"})", kMendHexEscape},
      {R"({"a":"\xE9\x41"})", R"({"a":"\u00e9A"})", kMendHexEscape},
      {R"({"a":"\x22"})", R"({"a":"\""})", kMendHexEscape},
      {R"({"a":"\x2"})", R"({"a":"\\x2"})", kMendBadEscape},
      {R"({"a":"it\'s"})", R"({"a":"it's"})", kMendBadEscape},
      {R"({"a":"C:\games"})", R"({"a":"C:\\games"})", kMendBadEscape},
      {R"({"a":"\u12"})", R"({"a":"\\u12"})", kMendBadEscape},
      {"{\"a\":\"x\ny\tz\x01\"}", R"({"a":"x\ny\tz\u0001"})", kMendControl},
      {R"({"a":"\ud83d\ude00"})", R"({"a":"\ud83d\ude00"})", 0},
      {R"({"a":"\ud83dx\ude00"})", R"({"a":"\ufffdx\ufffd"})", kMendSurrogate},
      {R"({"a":"\ud83d\u0041"})", R"({"a":"\ufffdA"})", kMendSurrogate},
      {"{\"a\":\"\xFF\"}", R"({"a":"\ufffd"})", kMendUtf8},
      {R"({"a":"say "hi" to"})", R"({"a":"say \"hi\" to"})", kMendQuote},
      {R"({"a"b":1})", R"({"a\"b":1})", kMendQuote},
      {R"(["a "b", c","d"])", R"(["a \"b\", c","d"])", kMendQuote},
      {R"({"a":[1,2,],})", R"({"a":[1,2]})", kMendComma},
      {"[1 , ]", "[1 ]", kMendComma},
      {R"([NaN,-Infinity,Infinity])", "[null,null,null]", kMendNotANumber},
      {"[18446744073709551616,-9223372036854775809,18446744073709551615]",
       "[18446744073709551616.0,-9223372036854775809.0,18446744073709551615]", 0},
  };
  for (const Case& c : cases) {
    const MendedDocument out = MendDocument(c.broken, kDepth);
    EXPECT_EQ(out.text, c.mended) << c.broken;
    EXPECT_EQ(out.mends, c.mends) << c.broken << ": " << DescribeMends(out.mends);
    EXPECT_EQ(out.consumed, c.broken.size()) << c.broken;
    EXPECT_TRUE(json::Parse(out.text).has_value()) << out.text;
  }
}

TEST(LenientJson, DoesNotGuessWhereACommaIsMissing) {
  const std::string text = R"({"a":"x" "b":"y"})";
  EXPECT_EQ(MendDocument(text, kDepth).text, text);
}

TEST(LenientJson, StopsBehindTheDocument) {
  EXPECT_EQ(MendDocument(R"({"a":"}"}{"b":1})", kDepth).consumed, 9u);
  EXPECT_EQ(MendDocument("[[]]]", kDepth).consumed, 4u);
}

TEST(LenientJson, LeavesAloneWhatIsNoDocument) {
  for (const std::string text : {"x", "\"a\"", "1", "}", "null {}"}) {
    const MendedDocument out = MendDocument(text, kDepth);
    EXPECT_EQ(out.text, text);
    EXPECT_EQ(out.consumed, text.size());
  }
}

TEST(LenientJson, BoundsTheDepth) {
  const std::string deep = std::string(kDepth + 1, '[') + std::string(kDepth + 1, ']') + "{}";
  EXPECT_EQ(MendDocument(deep, kDepth).consumed, deep.size());
  EXPECT_EQ(MendDocument(deep.substr(1), kDepth).consumed, 2 * kDepth);
}

TEST(LenientJson, SkipsWhatStandsBetweenDocuments) {
  std::uint16_t mends = 0;
  EXPECT_EQ(SkipBetweenDocuments(" \n{", mends), "{");
  EXPECT_EQ(mends, 0);
  EXPECT_EQ(SkipBetweenDocuments(std::string_view("\xEF\xBB\xBF\0{", 5), mends), "{");
  EXPECT_EQ(DescribeMends(mends), "a byte order mark, NUL bytes around the document");
}

RC_GTEST_PROP(LenientJson, KeepsWhatIsValid, (const std::string& text)) {
  json::Object object;
  object["text"] = json::Parse([&] {
                     std::string out;
                     json::WriteString(text, out);
                     return out;
                   }())
                       .value();
  object["list"] = json::Array{1, "a", nullptr};
  const std::string valid = json::Write(object);
  const MendedDocument out = MendDocument(valid, kDepth);
  RC_ASSERT(out.text == valid);
  RC_ASSERT(out.mends == 0);
}

}  // namespace
}  // namespace openseat::neuro
