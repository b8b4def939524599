#include "schema/repair/repair.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/rng.h"
#include "schema/generate/generate.h"
#include "schema/schema.h"

namespace openseat::schema {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string Names(const std::vector<Fix>& fixes) {
  std::string names;
  for (const Fix fix : fixes) names += (names.empty() ? "" : " ") + std::string(FixName(fix));
  return names;
}

TEST(ParseStrict, TakesOneObject) {
  for (const char* text : {"{}", " \n{\"a\": [1, 2.5e3, -0, true, null, \"x\\u00e9\"]} \t\r\n",
                           R"({"a":{"a":{"a":":"}}})", R"({"a":"b\":c","d":[{"a":1},{"a":2}]})"}) {
    EXPECT_TRUE(ParseStrict(text)) << text;
  }
}

TEST(ParseStrict, SaysWhatIsWrong) {
  const struct {
    const char* text;
    const char* error;
  } rows[] = {
      {"", "Unexpected end of JSON input"},
      {"   ", "Unexpected end of JSON input"},
      {"{ narrative: 'missing quotes' }",
       "Unexpected token 'n' at position 2: expected a property name in double quotes"},
      {"{'a': 1}", "Unexpected token ''' at position 1"},
      {"{\"a\": 'x'}", "Unexpected token ''' at position 6: expected a value"},
      {"{\"a\" 1}", "Unexpected token '1' at position 5: expected a colon"},
      {"{\"a\": 1 \"b\": 2}", "Unexpected token '\"' at position 8: expected a comma or a closing brace"},
      {"{\"a\": [1 2]}", "Unexpected token '2' at position 9: expected a comma or a closing bracket"},
      {"{\"a\": 1,}", "Unexpected token '}' at position 8"},
      {"{\"a\": [1,]}", "Unexpected token ']' at position 9"},
      {"{\"a\": [1, 2", "Unexpected end of JSON input: 2 brackets are still open"},
      {"{\"a\": \"b", "Unexpected end of JSON input: a string is not closed"},
      {"{\"a\": \"b\n\"}", "Unexpected control character in a string at position 8"},
      {"{\"a\": \"\\x41\"}", "Unexpected token 'x' at position 8"},
      {"```json\n{}\n```", "Unexpected token '`' at position 0: expected one JSON object"},
      {"Sure! {}", "Unexpected token 'S' at position 0"},
      {"{} {}", "Unexpected token '{' at position 3: expected nothing after"},
      {"{}\nDone.", "Unexpected token 'D' at position 3"},
      {"{\"a\": \u201Cx\u201D}", "Unexpected token '\u201C' at position 6"},
      {"{\"a\": NaN}", "Unexpected token 'N' at position 6"},
      {"[{}]", "expected one JSON object; got array"},
      {"3", "expected one JSON object; got integer"},
      {"{\"a\": 1, \"b\": {\"c\": 1, \"c\": 2}}", "a property name appears twice"},
  };
  for (const auto& row : rows) {
    const auto value = ParseStrict(row.text);
    ASSERT_FALSE(value) << row.text;
    EXPECT_EQ(value.error().code, ErrorCode::kParse) << row.text;
    EXPECT_THAT(value.error().message, StartsWith(row.error)) << row.text;
  }
  EXPECT_FALSE(ParseStrict("{\"a\": 01}"));
  EXPECT_FALSE(ParseStrict("{\"a\": \"\xFF\"}"));
  EXPECT_EQ(ParseStrict("{\"a\":" + std::string(200, '[') + std::string(200, ']') + "}").error().code,
            ErrorCode::kTooLarge);
  EXPECT_EQ(ParseStrict(std::string(2u << 20, ' ') + "{}").error().code, ErrorCode::kTooLarge);
}

constexpr FixSet kSafe = {Fix::kTrailingComma, Fix::kInnerQuotes, Fix::kLiteral, Fix::kControl, Fix::kEscape};

TEST(RepairDocument, MakesOnlyTheFixesThatAreAllowed) {
  const struct {
    std::string broken;
    std::string repaired;  // "": not at all
    const char* fixes;
  } rows[] = {
      {R"({"a":1,"b":[true,"x"]})", R"({"a":1,"b":[true,"x"]})", ""},
      {R"({"a":"\xC3\xA9"})", R"({"a":"\u00e9"})", "escape"},
      {R"({"a":"\xE9\x41"})", R"({"a":"\u00e9A"})", "escape"},
      {R"({"a":"\x22"})", R"({"a":"\""})", "escape"},
      {R"({"a":"\x2"})", R"({"a":"\\x2"})", "escape"},
      {R"({"a":"it\'s"})", R"({"a":"it's"})", "escape"},
      {R"({"a":"C:\games"})", R"({"a":"C:\\games"})", "escape"},
      {R"({"a":"\u12"})", R"({"a":"\\u12"})", "escape"},
      {"{\"a\":\"x\ny\tz\x01\"}", R"({"a":"x\ny\tz\u0001"})", "control"},
      {R"({"a":"\ud83d\ude00"})", R"({"a":"\ud83d\ude00"})", ""},
      {R"({"a":"\ud83dx\ude00"})", R"({"a":"\ufffdx\ufffd"})", "escape"},
      {R"({"a":"\ud83d\u0041"})", R"({"a":"\ufffd\u0041"})", "escape"},
      {R"({"a":"say "hi" to"})", R"({"a":"say \"hi\" to"})", "inner-quotes"},
      {R"({"a"b":1})", R"({"a\"b":1})", "inner-quotes"},
      {R"({"a":["a "b", c","d"]})", R"({"a":["a \"b\", c","d"]})", "inner-quotes"},
      {R"({"a":[1,2,],})", R"({"a":[1,2]})", "trailing-comma"},
      {R"({"a":[NaN,-Infinity,Infinity,1]})", R"({"a":[null,null,null,1]})", "literal"},
      {R"({"a":"x" "b":"y"})", "", ""},
      {R"({"a":"x")", "", ""},
      {R"({'a':1})", "", ""},
      {R"({a:1})", "", ""},
      {R"({"a":1}})", R"({"a":1})", ""},
      {R"({"a":"}"}{"b":1})", R"({"a":"}"})", ""},
      {R"([1])", "", ""},
      {"", "", ""},
  };
  for (const auto& row : rows) {
    const auto out = RepairDocument(row.broken, kSafe);
    ASSERT_EQ(out.has_value(), !row.repaired.empty()) << row.broken;
    if (!out) continue;
    EXPECT_EQ(out->text, row.repaired) << row.broken;
    EXPECT_EQ(Names(out->fixes.List()), row.fixes) << row.broken;
    EXPECT_TRUE(json::Parse(out->text).has_value()) << out->text;
  }
}

TEST(RepairDocument, StopsAfterTheObject) {
  EXPECT_EQ(RepairDocument(R"({"a":"}"}{"b":1})", kSafe)->consumed, 9u);
  EXPECT_EQ(RepairDocument("{ } }", kSafe)->consumed, 3u);
}

TEST(RepairDocument, BoundsTheDepth) {
  const std::string deep = R"({"a":)" + std::string(200, '[');
  EXPECT_EQ(RepairDocument(deep, kSafe).error().code, ErrorCode::kTooLarge);
}

TEST(Repair, MendsWhatModelsGetWrong) {
  const struct {
    const char* text;
    const char* value;
    const char* fixes;
  } rows[] = {
      {R"({"a": 1})", R"({"a":1})", ""},
      // around it
      {"```json\n{\"a\": 1}\n```", R"({"a":1})", "fence"},
      {"```\n{\"a\": 1}\n```\n", R"({"a":1})", "fence"},
      {"Here it is:\n```json\n{\"a\": 1}\n```\nGood luck!", R"({"a":1})", "fence prose"},
      {"I take {that}. {\"a\": 1} It wins.", R"({"a":1})", "prose"},
      {"<think>maybe {\"a\": 2}?</think>\n{\"a\": 1}", R"({"a":1})", "reasoning"},
      {"\xEF\xBB\xBF{\"a\": 1}", R"({"a":1})", "prose"},
      {R"("{\"a\": \"x\\ny\"}")", R"({"a":"x\ny"})", "stringified"},
      {R"({\"a\": [1, \"b\"]})", R"({"a":[1,"b"]})", "stringified"},
      {"answer = {\"a\": 1};", R"({"a":1})", "prose"},
      // commas, colons, comments
      {R"({"a": [1, 2,], "b": {"c": 1,},})", R"({"a":[1,2],"b":{"c":1}})", "trailing-comma"},
      {R"({, "a": 1,, "b": [,1]})", R"({"a":1,"b":[1]})", "trailing-comma"},
      {"{\"a\": 1\n\"b\": [1 2 \"x\"]}", R"({"a":1,"b":[1,2,"x"]})", "missing-comma"},
      {"{\"a\": \"x\"\n \"b\": \"y\"}", R"({"a":"x","b":"y"})", "missing-comma"},
      {R"({"a" 1})", R"({"a":1})", "missing-comma"},
      {R"({"a" = 1; b => 2})", R"({"a":1,"b":2})", "punctuation unquoted"},
      {"{\"a\"\uFF1A1\uFF0C\"b\"\uFF1A2}", R"({"a":1,"b":2})", "punctuation"},
      {"{// so\n\"a\": 1, /* and */ \"b\": 2 # done\n}", R"({"a":1,"b":2})", "comment"},
      // quotes
      {R"({'a': 'it's "fine"'})", R"({"a":"it's \"fine\""})", "quotes inner-quotes"},
      {"{\u201Ca\u201D: \u201Cb, \"c\" \u201D, \u2018d\u2019: 1}", R"({"a":"b, \"c\" ","d":1})",
       "smart-quotes inner-quotes"},
      {"{`a`: `b`}", R"({"a":"b"})", "quotes"},
      {R"({"a": "He said "hi, there" twice", "b": 1})", R"({"a":"He said \"hi, there\" twice","b":1})", "inner-quotes"},
      {R"({"a": "the \"key\"", "b": "x"})", R"({"a":"the \"key\"","b":"x"})", ""},
      {"{\"a\": \"smart \u201Cquotes\u201D stay\"}", "{\"a\":\"smart \\u201cquotes\\u201d stay\"}", ""},
      // names and words
      {"{a: 1, b_2: two, c-d: http://x/y}", R"({"a":1,"b_2":"two","c-d":"http://x/y"})", "unquoted"},
      {"{\"a\": True, \"b\": None, \"c\": undefined, \"d\": NaN, \"e\": -Infinity}",
       R"({"a":true,"b":null,"c":null,"d":null,"e":null})", "literal"},
      {"{ narrative: 'missing quotes'... }", R"({"narrative":"missing quotes"})", "prose"},
      // numbers
      {"{\"a\": [+1, .5, 1., 007, 0x1F, 1_000, 1e, -0.5e+3]}", R"({"a":[1,0.5,1,7,31,1000,1,-500]})", "number"},
      {"{\"a\": 12 apples, \"b\": 2024-01-02}", R"({"a":"12 apples","b":"2024-01-02"})", "unquoted"},
      // within texts
      {"{\"a\": \"line\nbreak\ttab\x01\"}", "{\"a\":\"line\\nbreak\\ttab\\u0001\"}", "control"},
      {R"({"a": "C:\path \'x\' \x41 \ud800 \ud83d\ude00 \u12"})", R"({"a":"C:\\path 'x' A \ufffd \ud83d\ude00 \\u12"})",
       "escape"},
      {"{\"a\": \"\xFF\"}", R"({"a":"\ufffd"})", "utf8"},
      // brackets
      {R"({"a": [1, 2, "b": 3})", R"({"a":[1,2],"b":3})", "brackets missing-comma"},
      {R"({"a": [1, [2, ["x", "b": 3})", R"({"a":[1,[2,["x"]]],"b":3})", "brackets missing-comma"},
      {R"({"a": [1, 2}, "b": 3)", R"({"a":[1,2],"b":3})", "brackets truncated"},
      {R"({"a": [{"b": 1], "c": 2})", R"({"a":[{"b":1}],"c":2})", "brackets"},
      {R"({"a": 1]})", R"({"a":1})", "brackets"},
      {R"({"a": 1}})", R"({"a":1})", "prose"},
      {R"({"a": , "b": 1, "c":})", R"({"b":1})", "missing-value"},
      // cut off
      {R"({"a": [1, {"b": "tex)", R"({"a":[1,{"b":"tex"}]})", "truncated"},
      {R"({"a": 1, "b)", R"({"a":1})", "truncated"},
      {R"({"a": 1, "b":)", R"({"a":1})", "truncated"},
      {R"({"a": 1, "b": tru)", R"({"a":1})", "truncated"},
      {R"({"a": 1, "b": -)", R"({"a":1})", "truncated"},
      {R"({"a": [1, 2,)", R"({"a":[1,2]})", "truncated"},
      {R"({"a": "x\)", R"({"a":"x"})", "truncated"},
      {R"({"a": "x\u00)", R"({"a":"x"})", "truncated"},
      {"```json\n{\"a\": [\"x\", \"the en\n```", R"({"a":["x","the en"]})", "fence truncated"},
      {"{", "{}", "truncated"},
      // twice
      {R"({"a": 1, "a": 2})", R"({"a":2})", "duplicate"},
      {R"({"a": [1, ...], ...})", R"({"a":[1]})", "prose trailing-comma"},
  };
  for (const auto& row : rows) {
    const auto repaired = Repair(row.text);
    ASSERT_TRUE(repaired) << row.text << ": " << repaired.error().message;
    EXPECT_EQ(json::Write(repaired->value), row.value) << row.text;
    const std::string names = Names(repaired->fixes);
    for (const std::string_view wanted : {std::string_view(row.fixes)}) {
      std::string_view rest = wanted;
      while (!rest.empty()) {
        const std::string_view name = rest.substr(0, rest.find(' '));
        EXPECT_THAT(" " + names + " ", HasSubstr(" " + std::string(name) + " ")) << row.text;
        rest.remove_prefix(std::min(rest.size(), name.size() + 1));
      }
      EXPECT_EQ(wanted.empty(), names.empty()) << row.text << ": " << names;
    }
  }
}

TEST(Repair, RefusesWhatCannotBeMadeOut) {
  for (const char* text :
       {"", "I would rather not.", "[1, 2]", "\"text\"", "42", "{that} and {this}", "{\"a\": 1} {\"a\": 2}",
        "{\"a\":1}\n{\"b\":2}\n", "[{\"a\": 1}, {\"a\": 2}]", "[{\"a\": 1}]", "```json\n[{\"a\": 1},]\n```"}) {
    const auto repaired = Repair(text);
    EXPECT_FALSE(repaired) << text << " -> " << (repaired ? repaired->text : "");
  }
  EXPECT_EQ(Repair("{\"a\":" + std::string(500, '[')).error().code, ErrorCode::kTooLarge);
  EXPECT_EQ(Repair(std::string(2u << 20, '{')).error().code, ErrorCode::kTooLarge);
}

// Texts are passed over by eight bytes: whatever ends a run of them is seen at every place.
TEST(Repair, SeesWhatNeedsCareAtEveryPlace) {
  for (std::size_t length = 0; length < 40; ++length) {
    for (std::size_t at = 0; at <= length; ++at) {
      for (const auto& [written, read] :
           {std::pair("\\\"", "\\\""), std::pair("\n", "\\n"), std::pair("\x1F", "\\u001f"), std::pair("\\\\", "\\\\"),
            std::pair("\xC3\xBF", "\xC3\xBF")}) {
        const std::string around = std::string(at, 'a') + "*" + std::string(length - at, 'z');
        std::string text = "{\"k\":\"" + around + "\"}";
        const std::size_t star = text.find('*');
        const std::string expected = text.substr(0, star) + read + text.substr(star + 1);
        text.replace(star, 1, written);
        const auto repaired = Repair(text);
        ASSERT_TRUE(repaired) << text;
        EXPECT_EQ(repaired->text, expected);
        EXPECT_EQ(ParseStrict(text).has_value(), std::string(written) == read) << text;
        EXPECT_EQ(ParseStrict(text + "}").has_value(), false) << text;
      }
    }
  }
}

// An object of all sorts, as a model would write it.
json::Value Sample(Rng& rng) {
  static const auto kSchema = *Schema::Compile(*json::Parse(
      R"({"type":"object","minProperties":1,"maxProperties":5,"properties":{"text":{"type":"string","maxLength":40},"list":{"type":"array","maxItems":4,"items":{"type":["integer","number","boolean","null","string"]}},"deep":{"type":"object","properties":{"x":{"type":"number"},"y":{"type":"array","maxItems":3,"items":{"type":"object","properties":{"s":{"type":"string"}},"additionalProperties":false}}},"additionalProperties":false},"q":{"enum":["say \"hi\", now","a: b","{x}","it's","back\\slash"]}},"additionalProperties":false})"));
  return *Generate(*kSchema, rng);
}

TEST(Repair, LeavesAloneWhatIsRight) {
  Rng rng(1);
  for (int i = 0; i < 2'000; ++i) {
    const json::Value drawn = Sample(rng);
    const json::Value value = *json::Parse(json::Write(drawn));  // a whole double is read as an integer
    for (const std::string& text : {json::Write(value), json::WritePretty(value)}) {
      ASSERT_TRUE(ParseStrict(text)) << text;
      const auto repaired = Repair(text);
      ASSERT_TRUE(repaired) << text << ": " << repaired.error().message;
      EXPECT_EQ(repaired->value, value) << text << "\n" << repaired->text;
      EXPECT_EQ(Names(repaired->fixes), "") << text;
    }
  }
}

// Whether `part` is what can be known of `whole` when its text is cut off somewhere: the same up to the last member.
bool IsPrefixOf(const json::Value& part, const json::Value& whole) {
  if (part == whole) return true;
  if (part.is_object() && whole.is_object()) {
    std::size_t left = part.get_object().size();
    for (const auto& member : part.get_object()) {
      const json::Value* other = whole.get_object().if_contains(member.key());
      if (other == nullptr) return false;
      --left;
      if (left > 0 ? member.value() != *other : !IsPrefixOf(member.value(), *other)) return false;
    }
    return true;
  }
  if (part.is_array() && whole.is_array()) {
    const json::Array& a = part.get_array();
    const json::Array& b = whole.get_array();
    if (a.size() > b.size()) return false;
    for (std::size_t i = 0; i < a.size(); ++i) {
      if (i + 1 < a.size() ? a[i] != b[i] : !IsPrefixOf(a[i], b[i])) return false;
    }
    return true;
  }
  if (part.is_string() && whole.is_string())
    return json::View(whole.get_string()).starts_with(json::View(part.get_string()));
  return part.is_number() && whole.is_number();  // 12 of 123
}

TEST(Repair, WhatIsCutOffKeepsWhatWasSaid) {
  Rng rng(2);
  for (int i = 0; i < 300; ++i) {
    const std::string text = json::Write(Sample(rng));
    const json::Value value = *json::Parse(text);
    for (std::size_t cut = 1; cut < text.size(); ++cut) {
      const auto repaired = Repair(std::string_view(text).substr(0, cut));
      ASSERT_TRUE(repaired) << text.substr(0, cut) << ": " << repaired.error().message;
      EXPECT_TRUE(IsPrefixOf(repaired->value, value)) << text.substr(0, cut) << "\n" << repaired->text;
      EXPECT_TRUE(ParseStrict(repaired->text)) << repaired->text;
    }
  }
}

}  // namespace
}  // namespace openseat::schema
