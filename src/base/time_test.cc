#include "base/time.h"

#include <gtest/gtest.h>

namespace openseat {
namespace {

TEST(Time, IsWrittenAsIso8601WithMilliseconds) {
  EXPECT_EQ(FormatIso8601(Time(Duration(0))), "1970-01-01T00:00:00.000Z");
  EXPECT_EQ(FormatIso8601(Time(std::chrono::seconds(1'793'136'810) + Duration(123'999))), "2026-10-27T21:33:30.123Z");
}

TEST(Time, IsReadFromIso8601) {
  const Time whole(std::chrono::seconds(1'793'136'810));
  EXPECT_EQ(ParseIso8601("1970-01-01T00:00:00.000Z"), Time());
  EXPECT_EQ(ParseIso8601("2026-10-27T21:33:30Z"), whole);
  EXPECT_EQ(ParseIso8601("2026-10-27T21:33:30.5Z"), whole + Duration(500'000));
  EXPECT_EQ(ParseIso8601("2026-10-27T21:33:30.123456Z"), whole + Duration(123'456));
  EXPECT_EQ(ParseIso8601("2024-02-29T00:00:00Z"), Time(std::chrono::seconds(1'709'164'800)));
  for (const char* bad :
       {"", "Z", "2026-10-27T21:33:30", "2026-10-27T21:33:30.Z", "2026-10-27T21:33:30.1234567Z", "2026-02-29T00:00:00Z",
        "2026-13-01T00:00:00Z", "2026-10-27T24:00:00Z", "2026-10-27T21:60:00Z", "2026-10-27 21:33:30Z",
        "2026-10-27T21:33:30+00:00", "+026-10-27T21:33:30Z", "2026-10-27T21:33:30.12aZ"}) {
    EXPECT_EQ(ParseIso8601(bad), std::nullopt) << bad;
  }
}

}  // namespace
}  // namespace openseat
