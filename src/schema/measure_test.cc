#include "schema/measure.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

namespace openseat::schema {
namespace {

constexpr std::size_t kNoLimit = std::numeric_limits<std::size_t>::max();

TEST(WrittenBytes, IsTheLengthOfWhatIsWritten) {
  const json::Value value = *json::Parse(
      R"({"a": [], "b": {}, "c": [1, -1, 0, -9223372036854775808, 18446744073709551615, null, true],
          "d": "\u007f\u0000\n\r\t\b\"\\/ é € 😀", "\u007fkey": {"nested": ["x", [[]]]}})");
  const std::size_t written = json::Write(value).size();
  EXPECT_GE(WrittenBytes(value, kNoLimit), written);
  EXPECT_LE(WrittenBytes(value, kNoLimit), written + 16);
  const json::Value text("\x7f\n é € 😀 plain");
  EXPECT_EQ(WrittenBytes(text, kNoLimit), json::Write(text).size());
  EXPECT_EQ(WrittenBytes(std::string(1'000, '\x7f')), 6'002u);
}

TEST(WrittenBytes, IsTooMuchBeyondTheLimit) {
  json::Array many;
  for (int i = 0; i < 1'000; ++i) many.push_back(json::Value(std::string(100, '\x7f')));
  const json::Value value(std::move(many));
  EXPECT_GT(WrittenBytes(value, 10'000), 10'000u);
  EXPECT_LT(WrittenBytes(value, 10'000), 20'000u) << "the rest was not looked at";
  EXPECT_GT(WrittenBytes(json::Value(std::string(1'000, 'x')), 100), 100u);
}

}  // namespace
}  // namespace openseat::schema
