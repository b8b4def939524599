#include "base/time.h"

#include <gtest/gtest.h>

namespace openseat {
namespace {

TEST(Time, IsWrittenAsIso8601WithMilliseconds) {
  EXPECT_EQ(FormatIso8601(Time(Duration(0))), "1970-01-01T00:00:00.000Z");
  EXPECT_EQ(FormatIso8601(Time(std::chrono::seconds(1'793'136'810) + Duration(123'999))), "2026-10-27T21:33:30.123Z");
}

}  // namespace
}  // namespace openseat
