#include "schema/numbers.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <vector>

#include "base/rng.h"

namespace openseat::schema {
namespace {

constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();

// Numbers around every border there is between the three kinds.
std::vector<json::Value> Interesting() {
  std::vector<json::Value> out;
  for (const std::int64_t whole : {kMin, kMin + 1, std::int64_t{-1}, std::int64_t{0}, std::int64_t{1},
                                   std::int64_t{9007199254740993}, kMax - 1, kMax}) {
    out.emplace_back(whole);
  }
  for (const std::uint64_t whole :
       {std::uint64_t{1} << 63, (std::uint64_t{1} << 63) + 1, ~std::uint64_t{0} - 1, ~std::uint64_t{0}}) {
    out.emplace_back(whole);
  }
  for (const double real :
       {-1e300, -0x1p63, -0x1.8p63, -1.5, -0.5, 0.0, 0.5, 1.0, 0x1p53, 0x1p62, 0x1p63, 0x1.8p63, 0x1p64, 1e300}) {
    out.emplace_back(real);
  }
  return out;
}

TEST(NumbersTest, OrderIsTotal) {
  const auto numbers = Interesting();
  for (const json::Value& a : numbers) {
    for (const json::Value& b : numbers) {
      EXPECT_EQ(CompareNumbers(a, b), -CompareNumbers(b, a)) << a << " " << b;
      EXPECT_EQ(CompareNumbers(a, b) == 0, json::Equal(a, b)) << a << " " << b;
      for (const json::Value& c : numbers) {
        if (CompareNumbers(a, b) > 0 || CompareNumbers(b, c) > 0) continue;
        EXPECT_LE(CompareNumbers(a, c), 0);
      }
    }
  }
}

// Each bound lets in exactly what comparing lets in.
TEST(NumbersTest, BoundsAreExact) {
  const auto numbers = Interesting();
  for (const json::Value& limit : numbers) {
    for (const bool exclusive : {false, true}) {
      const WholeBound lower = LowerBound(limit, exclusive);
      const WholeBound upper = UpperBound(limit, exclusive);
      for (const json::Value& number : numbers) {
        const int order = CompareNumbers(number, limit);
        const bool above = exclusive ? order > 0 : order >= 0;
        const bool below = exclusive ? order < 0 : order <= 0;
        if (const std::int64_t* whole = number.if_int64()) {
          EXPECT_EQ(!lower.never && *whole >= lower.whole, above) << number << " " << limit << " " << exclusive;
          EXPECT_EQ(!upper.never && *whole <= upper.whole, below) << number << " " << limit << " " << exclusive;
        }
        if (const double* real = number.if_double()) {
          EXPECT_EQ(*real >= RealLowerBound(limit, exclusive), above) << number << " " << limit << " " << exclusive;
          EXPECT_EQ(*real <= RealUpperBound(limit, exclusive), below) << number << " " << limit << " " << exclusive;
        }
      }
    }
  }
}

TEST(NumbersTest, MultiplesAreDecimal) {
  const auto is = [](auto number, auto divisor) { return IsMultipleOf(json::Value(number), json::Value(divisor)); };
  EXPECT_TRUE(is(0.0075, 0.0001));
  EXPECT_FALSE(is(0.00751, 0.0001));
  EXPECT_TRUE(is(19.99, 0.01));
  EXPECT_TRUE(is(1e308, 0.5));
  EXPECT_TRUE(is(1e308, 1e-300));
  EXPECT_FALSE(is(1e-300, 1e300));
  EXPECT_TRUE(is(0, 7));
  EXPECT_TRUE(is(-21, 7));
  EXPECT_FALSE(is(-20, 7));
  EXPECT_TRUE(is(kMin, 2));
  EXPECT_TRUE(is(~std::uint64_t{0}, 5));
  EXPECT_TRUE(is(4.5, 1.5));
  EXPECT_FALSE(is(35, 1.5));
  Rng rng(1);
  for (int i = 0; i < 2000; ++i) {
    const std::int64_t divisor = rng.Between(1, 999);
    const std::int64_t factor = rng.Between(-1'000'000, 1'000'000);
    EXPECT_TRUE(is(static_cast<double>(divisor * factor) / 100, static_cast<double>(divisor) / 100))
        << divisor << " " << factor;
  }
}

}  // namespace
}  // namespace openseat::schema
