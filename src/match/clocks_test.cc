#include "match/clocks.h"

#include <gtest/gtest.h>

namespace openseat {
namespace {

using std::chrono::seconds;

Instant At(int second) {
  return Instant(seconds(second));
}

TEST(Clocks, AGameTimeIsUsedUpAndGetsItsIncrement) {
  MatchTerms terms;
  terms.game_time = seconds(60);
  terms.increment = seconds(5);
  Clocks clocks(terms);
  EXPECT_EQ(clocks.Left(0, At(0)), seconds(60));
  clocks.Start(0, At(10));
  clocks.Start(0, At(20));
  EXPECT_TRUE(clocks.running(0));
  EXPECT_EQ(clocks.Left(0, At(30)), seconds(40)) << "it ran from the first start";
  EXPECT_EQ(clocks.Left(1, At(30)), seconds(60));
  EXPECT_EQ(clocks.AfterChoice(0, At(30)), seconds(45));
  clocks.Stop(0, clocks.AfterChoice(0, At(30)));
  EXPECT_FALSE(clocks.running(0));
  EXPECT_EQ(clocks.Left(0, At(100)), seconds(45));
  clocks.Start(0, At(100));
  EXPECT_EQ(clocks.Left(0, At(200)), seconds(0));
}

TEST(Clocks, AMoveTimeIsFreshForEachChoiceAndTheShorterOneCounts) {
  MatchTerms terms;
  terms.move_time = seconds(20);
  terms.game_time = seconds(30);
  Clocks clocks(terms);
  clocks.Start(1, At(0));
  EXPECT_EQ(clocks.Left(1, At(5)), seconds(15));
  clocks.Stop(1, clocks.AfterChoice(1, At(18)));
  clocks.Start(1, At(50));
  EXPECT_EQ(clocks.Left(1, At(50)), seconds(12));
  clocks.Halt(1, At(52));
  EXPECT_EQ(clocks.Left(1, At(99)), seconds(10)) << "what was used is gone";
}

TEST(Clocks, WithoutTermsThereIsNoLimit) {
  const MatchTerms terms;
  Clocks clocks(terms);
  clocks.Start(0, At(0));
  EXPECT_EQ(clocks.Left(0, At(1000)), std::nullopt);
  EXPECT_EQ(clocks.AfterChoice(0, At(1000)), std::nullopt);
}

}  // namespace
}  // namespace openseat
