#include "base/rate_limit.h"

#include <gtest/gtest.h>

namespace openseat {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

Instant At(Duration since) {
  return Instant(seconds(1000)) + since;
}

TEST(RateLimiter, LetsABurstThroughAndThenWhatFlowsBack) {
  RateLimiter limiter({.per_second = 10, .burst = 3});
  for (int i = 0; i < 3; ++i) EXPECT_EQ(limiter.Take("a", At(seconds(0))), Duration(0));
  const Duration wait = limiter.Take("a", At(seconds(0)));
  EXPECT_GT(wait, milliseconds(99));
  EXPECT_LT(wait, milliseconds(101));
  EXPECT_GT(limiter.Take("a", At(wait - milliseconds(2))), Duration(0));
  EXPECT_EQ(limiter.Take("a", At(wait)), Duration(0));
  EXPECT_GT(limiter.Take("a", At(wait)), Duration(0));
  // Never more than the burst, however long nothing was taken.
  for (int i = 0; i < 3; ++i) EXPECT_EQ(limiter.Take("a", At(seconds(3600))), Duration(0));
  EXPECT_GT(limiter.Take("a", At(seconds(3600))), Duration(0));
}

TEST(RateLimiter, NamesDoNotShare) {
  RateLimiter limiter({.per_second = 1, .burst = 1});
  EXPECT_EQ(limiter.Take("a", At(seconds(0))), Duration(0));
  EXPECT_EQ(limiter.Take("b", At(seconds(0))), Duration(0));
  EXPECT_GT(limiter.Take("a", At(seconds(0))), Duration(0));
}

TEST(RateLimiter, ARateOfZeroIsNoLimit) {
  RateLimiter limiter({.per_second = 0, .burst = 1});
  for (int i = 0; i < 100; ++i) EXPECT_EQ(limiter.Take("a", At(seconds(0))), Duration(0));
  EXPECT_EQ(limiter.names(), 0u) << "and nothing to keep";
}

TEST(RateLimiter, TimeThatGoesBackGivesNothing) {
  RateLimiter limiter({.per_second = 1, .burst = 1});
  EXPECT_EQ(limiter.Take("a", At(seconds(10))), Duration(0));
  EXPECT_GT(limiter.Take("a", At(seconds(0))), Duration(0));
  EXPECT_EQ(limiter.Take("a", At(seconds(11))), Duration(0));
}

TEST(RateLimiter, MemoryIsBoundedAndWhoIsRefusedStaysRefused) {
  RateLimiter limiter({.per_second = 0.001, .burst = 2}, 3);
  EXPECT_EQ(limiter.Take("busy", At(seconds(0))), Duration(0));
  EXPECT_EQ(limiter.Take("busy", At(seconds(0))), Duration(0));
  for (int i = 0; i < 50; ++i) {
    EXPECT_EQ(limiter.Take(std::to_string(i), At(seconds(0))), Duration(0));
    EXPECT_LE(limiter.names(), 3u);
  }
  EXPECT_GT(limiter.Take("busy", At(seconds(0))), Duration(0));
}

TEST(RateLimiter, RetryAfterIsWholeSecondsAndNeverNone) {
  EXPECT_EQ(RetryAfterSeconds(Duration(1)), "1");
  EXPECT_EQ(RetryAfterSeconds(seconds(1)), "1");
  EXPECT_EQ(RetryAfterSeconds(milliseconds(1001)), "2");
}

}  // namespace
}  // namespace openseat
