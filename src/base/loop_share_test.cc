#include "base/loop_share.h"

#include <gtest/gtest.h>

namespace openseat {
namespace {

using std::chrono::milliseconds;
using Span = LoopShare::Span;
using Moment = LoopShare::Moment;

TEST(LoopShare, AddsWhatIsUsedFromTheFairTimeOn) {
  LoopShare share;
  share.Spend(milliseconds(100), milliseconds(3), Moment());
  EXPECT_EQ(share.used(), Span(milliseconds(103)));
  share.Spend(milliseconds(101), milliseconds(3), Moment());
  EXPECT_EQ(share.used(), Span(milliseconds(106))) << "it is ahead";
  share.Spend(milliseconds(500), milliseconds(3), Moment());
  EXPECT_EQ(share.used(), Span(milliseconds(503))) << "it was away, and saved nothing";
}

TEST(LoopShare, ShortTurnsDoNotCountOnceOneTakesLong) {
  LoopShare share;
  for (int i = 0; i < 100'000; ++i) share.Spend(milliseconds(100), std::chrono::microseconds(100), Moment());
  EXPECT_FALSE(share.IsLong());
  share.Spend(milliseconds(100), milliseconds(1), Moment());
  EXPECT_TRUE(share.IsLong());
  EXPECT_EQ(share.used(), Span(milliseconds(101))) << "ahead by that turn, not by ten seconds";
}

TEST(LoopShare, ALongTurnIsForgottenOverSomeSecondsOfShortOnes) {
  LoopShare share;
  Moment now = Moment() + std::chrono::hours(1);
  share.Spend(Span(0), milliseconds(1), now);
  share.Spend(Span(0), milliseconds(10), now);
  EXPECT_EQ(share.usual(), Span(milliseconds(10)));
  for (int i = 0; i < 1'000; ++i) share.Spend(Span(0), Span(0), now);
  EXPECT_GT(share.usual(), Span(milliseconds(9))) << "many at once count as one";
  for (int i = 0; i < 50; ++i) share.Spend(Span(0), Span(0), now += milliseconds(100));
  EXPECT_LT(share.usual(), Span(milliseconds(1)));
  share.Spend(Span(0), milliseconds(2), now);
  EXPECT_EQ(share.usual(), Span(milliseconds(2)));
}

}  // namespace
}  // namespace openseat
