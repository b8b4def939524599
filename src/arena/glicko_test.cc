#include "arena/glicko.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace openseat::arena {
namespace {

// Glickman's example; published with two digits: 1464.06, 151.52, 0.05999.
TEST(GlickoTest, Example) {
  const std::vector<GlickoGame> games = {{{1400, 30, 0.06}, 1}, {{1550, 100, 0.06}, 0}, {{1700, 300, 0.06}, 0}};
  const GlickoRating after = AfterPeriod({1500, 200, 0.06}, games);
  EXPECT_NEAR(after.rating, 1464.06, 0.01);
  EXPECT_NEAR(after.deviation, 151.52, 0.01);
  EXPECT_NEAR(after.volatility, 0.05999, 0.00001);
  EXPECT_NEAR(after.rating, 1464.0507, 1e-3);
  EXPECT_NEAR(after.deviation, 151.5165, 1e-3);
  EXPECT_NEAR(after.volatility, 0.0599960, 1e-6);
}

TEST(GlickoTest, WithoutGamesOnlyTheDeviationGrows) {
  const GlickoRating before{1600, 50, 0.06};
  const GlickoRating after = AfterPeriod(before, {});
  EXPECT_EQ(after.rating, 1600);
  EXPECT_EQ(after.volatility, 0.06);
  EXPECT_NEAR(after.deviation, std::hypot(50, 0.06 * 173.7178), 1e-9);
  EXPECT_EQ(AfterPeriod({1600, 349.99, 0.06}, {}).deviation, 350);
}

TEST(GlickoTest, SurprisesRaiseTheVolatility) {
  const std::vector<GlickoGame> upset(20, {{1900, 30, 0.06}, 1});
  const GlickoRating after = AfterPeriod({1500, 60, 0.06}, upset);
  EXPECT_GT(after.volatility, 0.061);
  EXPECT_GT(after.rating, 1600);
  EXPECT_LT(after.rating, 1900);
}

TEST(GlickoTest, ExtremesStayFinite) {
  const std::vector<GlickoGame> hopeless(1000, {{6000, 30, 0.06}, 0});
  const GlickoRating after = AfterPeriod({1500, 350, 0.06}, hopeless);
  EXPECT_TRUE(std::isfinite(after.rating));
  EXPECT_GT(after.deviation, 0);
  EXPECT_LE(after.deviation, 350);
}

}  // namespace
}  // namespace openseat::arena
