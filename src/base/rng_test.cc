#include "base/rng.h"

#include <gtest/gtest.h>

#include <limits>

namespace openseat {
namespace {

// The first outputs of xoshiro256** for the state {1, 2, 3, 4}, as its authors' reference code prints them.
TEST(Rng, IsXoshiro256StarStar) {
  Rng rng = Rng::FromState({1, 2, 3, 4});
  EXPECT_EQ(rng.Next(), 11520u);
  EXPECT_EQ(rng.Next(), 0u);
  EXPECT_EQ(rng.Next(), 1509978240u);
  EXPECT_EQ(rng.Next(), 1215971899390074240u);
}

// splitmix64 of seed 0 starts with e220a8397b1dcdaf, 6e789e6aa1b965f4.
TEST(Rng, IsSeededBySplitmix64) {
  const Rng rng(0);
  EXPECT_EQ(rng.state()[0], 0xe220a8397b1dcdafu);
  EXPECT_EQ(rng.state()[1], 0x6e789e6aa1b965f4u);
}

TEST(Rng, StaysWithinItsBounds) {
  Rng rng(7);
  for (int i = 0; i < 10'000; ++i) {
    EXPECT_LT(rng.Below(3), 3u);
    const std::int64_t between = rng.Between(-2, 2);
    EXPECT_GE(between, -2);
    EXPECT_LE(between, 2);
    const double unit = rng.Unit();
    EXPECT_GE(unit, 0.0);
    EXPECT_LT(unit, 1.0);
  }
  rng.Between(std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max());
}

}  // namespace
}  // namespace openseat
