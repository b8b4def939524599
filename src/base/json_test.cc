#include "base/json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "base/json_sink.h"
#include "base/text.h"

namespace openseat::json {
namespace {

using ::testing::HasSubstr;

std::string RoundTrip(std::string_view text) {
  const auto value = Parse(text);
  return value ? Write(*value) : "error: " + value.error().message;
}

TEST(Json, WritesOneLineOfAscii) {
  EXPECT_EQ(RoundTrip("{ \"a\" : [1, 2.5, -0.1, true, null],\n \"b\": \"é😀\\n\\u0001\" }"),
            R"({"a":[1,2.5,-0.1,true,null],"b":"\u00e9\ud83d\ude00\n\u0001"})");
}

// At every place in a text, since several bytes are looked at together.
TEST(Json, EscapesEveryByteThatNeedsItWhereverItIs) {
  for (int c = 0; c < 0x80; ++c) {
    const bool special = c < ' ' || c == '"' || c == '\\' || c == 0x7F;
    for (std::size_t length = 1; length < 20; ++length) {
      for (std::size_t at = 0; at < length; ++at) {
        std::string text(length, '~');
        text[at] = static_cast<char>(c);
        std::string written;
        WriteString(text, written);
        EXPECT_EQ(written != '"' + text + '"', special) << c << " at " << at << " of " << length;
        EXPECT_EQ(Parse(written).value_or(nullptr), Value(text)) << written;
      }
    }
  }
}

TEST(Json, AnExcerptIsTheBeginningOfWhatIsWritten) {
  const std::string text =
      R"({"a":[1,-2.5,true,null,"\u00e9\"\n",[],{}],"\u00e9":{"b":[[["\ud83d\ude00"]]]},"c":18446744073709551615})";
  const Value value = *Parse(text);
  ASSERT_EQ(Write(value), text);
  for (std::size_t bytes = 0; bytes <= text.size() + 2; ++bytes) {
    EXPECT_EQ(Excerpt(value, bytes), Ellipsize(text, bytes)) << bytes;
  }
  EXPECT_EQ(Excerpt(Value("short")), "\"short\"");
}

// What is cut is not looked at: a million of these would take minutes.
TEST(Json, AnExcerptOfMuchCostsLittle) {
  const std::string deletes(1u << 20, '\x7f');
  Object object;
  for (int i = 0; i < 1000; ++i) object[std::to_string(i) + deletes.substr(0, 500)] = deletes.substr(0, 500);
  const Value values[] = {Value(deletes), Array(1u << 16, Value(deletes.substr(0, 10))), std::move(object),
                          Object{{deletes, deletes}}};
  for (int round = 0; round < 10'000; ++round) {
    for (const Value& value : values) ASSERT_EQ(Excerpt(value, 100).size(), 100 + std::string_view("…").size());
  }
}

TEST(Json, WritesTextsOfAnyLength) {
  for (const std::size_t length : {0, 1, 7, 8, 9, 509, 510, 511, 512, 513, 1023, 1024, 5000}) {
    const std::string text(length, 'x');
    EXPECT_EQ(Write(Array{1, Value(text), 2}), "[1,\"" + text + "\",2]");
    const std::string escaped = text + "\n\"" + text;
    EXPECT_EQ(Write(Array{Value(escaped)}), "[\"" + text + "\\n\\\"" + text + "\"]");
  }
  std::string numbers = "[0";
  for (int i = 1; i < 2000; ++i) numbers += "," + std::to_string(i);
  EXPECT_EQ(RoundTrip(numbers + "]"), numbers + "]");
}

TEST(Json, ComposesTextsPieceByPiece) {
  const std::string long_text(1'000, 'x');
  EXPECT_EQ(Compose([&](Sink& out) {
              out.Put('{');
              out.Put(R"("a":)");
              out.PutNumber(-7);
              out.Put(R"(,"b":)");
              out.PutString("\"\xC3\xA9\"");
              out.Put(R"(,"c":)");
              out.PutValue(Value{1, nullptr});
              out.Put(long_text);
              out.Put('}');
            }),
            R"({"a":-7,"b":"\"\u00e9\"","c":[1,null])" + long_text + "}");
  std::string out = "[";
  Sink(out).PutString("after");
  EXPECT_EQ(out, R"(["after")");
}

TEST(Json, KeepsNumbersApartAndExact) {
  EXPECT_EQ(RoundTrip("[9223372036854775807,18446744073709551615,-9223372036854775808]"),
            "[9223372036854775807,18446744073709551615,-9223372036854775808]");
  EXPECT_EQ(RoundTrip("0.1"), "0.1");
  const char* const beyond =
      R"({"18446744073709551616":[18446744073709551616,-100000000000000000000000,1,"\"9999999999999999999999"]})";
  const auto read = Parse(beyond);
  ASSERT_TRUE(read.has_value()) << read.error().message;
  const Array& numbers = read->at("18446744073709551616").as_array();
  EXPECT_EQ(numbers[0], Value(0x1p64));
  EXPECT_EQ(numbers[1], Value(-1e23));
  EXPECT_EQ(numbers[2], Value(1));
  EXPECT_EQ(numbers[3], Value("\"9999999999999999999999"));
  EXPECT_EQ(RoundTrip(std::string(400, '9')), "error: not valid JSON: a number is malformed or too large");
  EXPECT_EQ(RoundTrip("00000000000000000000001"), "error: not valid JSON: a number is malformed or too large");
  EXPECT_EQ(RoundTrip("1e400"), "error: not valid JSON: a number is malformed or too large");
}

RC_GTEST_PROP(Json, ReadsBackEveryDouble, ()) {
  const auto number = std::bit_cast<double>(*rc::gen::arbitrary<std::uint64_t>());
  RC_PRE(std::isfinite(number) && number != 0);
  const auto back = Parse(Write(Value(number)));
  RC_ASSERT(back.has_value());
  RC_ASSERT(back->to_number<double>() == number);
}

TEST(Json, ReadsBackDoublesBeyond64Bits) {
  for (const double number : {0x1p63, 0x1p64, -0x1p63, -9223372036854777856.0, 123456789012345683968.0, 1e22}) {
    const auto back = Parse(Write(Value(number)));
    ASSERT_TRUE(back.has_value()) << Write(Value(number));
    EXPECT_EQ(back->to_number<double>(), number);
  }
}

TEST(Json, SaysWhatIsWrong) {
  EXPECT_EQ(Parse(std::string_view()).error().message, Parse("").error().message);
  for (const char* bad : {"", "{", "[1,]", "{\"a\" 1}", "\"a", "nul", "01", "\"\x01\"", "\xFF", "1 2", "{\"a\":1}x"}) {
    const auto value = Parse(bad);
    ASSERT_FALSE(value.has_value()) << bad;
    EXPECT_EQ(value.error().code, ErrorCode::kParse) << bad;
    EXPECT_FALSE(value.error().message.empty());
  }
}

TEST(Json, HoldsItsLimits) {
  EXPECT_EQ(Parse("[1,2,3]", {.max_bytes = 6}).error().code, ErrorCode::kTooLarge);
  const std::string deep = std::string(5, '[') + "1" + std::string(5, ']');
  EXPECT_TRUE(Parse(deep, {.max_depth = 5}).has_value());
  EXPECT_EQ(Parse(deep, {.max_depth = 4}).error().code, ErrorCode::kTooLarge);
  EXPECT_TRUE(Parse(deep).has_value());
}

TEST(Json, CountsValues) {
  const struct {
    const char* text;
    std::size_t values;
  } kCases[] = {
      {"1", 1},
      {"[]", 1},
      {" [ ] ", 1},
      {"{}", 1},
      {"[[]]", 2},
      {"[1,2,3]", 4},
      {R"({"a":1,"b":[2,{}]})", 5},
      {R"(["a,b","[{,","\",","]"])", 5},
      {R"(["\\","a","\\\",","{"])", 5},
      {R"({",":"[[[["})", 2},
      {"[ [ ] , { } ]", 3},
  };
  for (const auto& [text, values] : kCases) {
    EXPECT_TRUE(Parse(text, {.max_values = values}).has_value()) << text;
    if (values == 1) continue;
    const Result<Value> refused = Parse(text, {.max_values = values - 1});
    ASSERT_FALSE(refused.has_value()) << text;
    EXPECT_EQ(refused.error().code, ErrorCode::kTooLarge) << text;
    EXPECT_THAT(refused.error().message, HasSubstr("at most " + std::to_string(values - 1) + " values"));
  }
  EXPECT_TRUE(Parse("[1,2,3]").has_value()) << "without a limit";
}

TEST(Json, TextThatIsNoJsonIsCountedToItsEnd) {
  for (const char* text : {"", "\"", "\"\\", "[", "[\"", "{{{{", ",,,,", "]]]]", "\"\\\\\\"}) {
    EXPECT_FALSE(HoldsMoreValues(text, 100)) << text;
    static_cast<void>(HoldsMoreValues(text, 0));
  }
  EXPECT_TRUE(HoldsMoreValues(std::string(1000, '['), 100));
  EXPECT_TRUE(HoldsMoreValues(std::string(1000, ','), 100));
  EXPECT_FALSE(HoldsMoreValues("\"" + std::string(1000, ',') + "\"", 100)) << "within a string";
}

TEST(Json, TheLastOfTwoEqualNamesCounts) {
  EXPECT_EQ(RoundTrip(R"({"a":1,"a":2})"), R"({"a":2})");
}

TEST(Json, ComparesNumbersByValue) {
  const auto equal = [](std::string_view a, std::string_view b) { return Equal(*Parse(a), *Parse(b)); };
  EXPECT_TRUE(equal("1", "1.0"));
  EXPECT_TRUE(equal("[{\"a\":1,\"b\":2}]", "[{\"b\":2.0,\"a\":1}]"));
  EXPECT_FALSE(equal("9007199254740993", "9007199254740992.0"));
  EXPECT_FALSE(equal("1", "true"));
  EXPECT_FALSE(equal("18446744073709551615", "-1"));
}

TEST(Json, NamesTypes) {
  EXPECT_EQ(TypeName(*Parse("1.0")), "integer");
  EXPECT_EQ(TypeName(*Parse("1.5")), "number");
  EXPECT_EQ(TypeName(*Parse("{}")), "object");
}

}  // namespace
}  // namespace openseat::json
