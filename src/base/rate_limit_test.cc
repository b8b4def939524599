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

TEST(TokenBucket, MayOweWhatIsSpent) {
  const RateLimit limit{.per_second = 10, .burst = 20};
  const auto at = [](std::chrono::milliseconds time) { return Instant(time); };
  TokenBucket bucket;
  bucket.Spend(limit, 50, at(milliseconds(0)));
  EXPECT_EQ(bucket.Wait(limit, 1, at(milliseconds(0))), milliseconds(3100) + std::chrono::microseconds(1));
  EXPECT_EQ(bucket.Wait(limit, 1, at(milliseconds(3100))), Duration(0));
  EXPECT_FALSE(bucket.rested(at(milliseconds(4999))));
  EXPECT_TRUE(bucket.rested(at(milliseconds(5000))));
  bucket.Spend(limit, 1e30, at(milliseconds(5000)));
  EXPECT_EQ(std::chrono::ceil<seconds>(bucket.Wait(limit, 20, at(milliseconds(5000)))),
            std::chrono::hours(24) + seconds(3))
      << "at most a day";
  TokenBucket free;
  free.Spend({.per_second = 0, .burst = 1}, 50, at(milliseconds(0)));
  EXPECT_TRUE(free.rested(at(milliseconds(0)))) << "a rate of 0 is no limit";
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
