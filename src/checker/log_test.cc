#include "checker/log.h"

#include <gtest/gtest.h>

namespace openseat::checker {
namespace {

TEST(CheckerLogTest, WritesOneLine) {
  LogLine line{Time(std::chrono::milliseconds(1'800'000'000'123)), Level::kWarn, "first\nsecond\x1b[31m",
               "packet/type"};
  EXPECT_EQ(FormatLine(line), "[2027-01-15T08:00:00.123Z] warn: first\\nsecond\\x1b[31m [packet/type]");
  line.key.clear();
  line.message =
      "a\xff"
      "b";
  EXPECT_EQ(FormatLine(line),
            "[2027-01-15T08:00:00.123Z] warn: a\xef\xbf\xbd"
            "b");
  line.message =
      "a\tb\xC2\x9b"
      "2J";
  EXPECT_EQ(FormatLine(line), "[2027-01-15T08:00:00.123Z] warn: a\\tb\\x9b2J");
}

}  // namespace
}  // namespace openseat::checker
