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

TEST(LoopShare, ShortTurnsAreNotChargedOnceLongOnesCome) {
  LoopShare share;
  for (int i = 0; i < 100'000; ++i) share.Spend(milliseconds(100), std::chrono::microseconds(100), Moment());
  share.Spend(milliseconds(100), milliseconds(1), Moment());
  share.Spend(milliseconds(100), milliseconds(1), Moment());
  EXPECT_TRUE(share.IsLong());
  EXPECT_EQ(share.used(), Span(milliseconds(101))) << "ahead by that turn, not by ten seconds";
}

TEST(LoopShare, OneLongTurnAfterManyShortOnesIsForgiven) {
  LoopShare share;
  Moment now = Moment() + std::chrono::hours(1);
  for (int i = 0; i < 64; ++i) share.SpendLittle();
  share.Spend(Span(0), milliseconds(60), now);
  EXPECT_FALSE(share.IsLong());
  EXPECT_EQ(share.used(), Span(0));
  EXPECT_EQ(share.remembered(), Span(milliseconds(60)));
  for (int i = 0; i < 64; ++i) share.Spend(Span(0), std::chrono::microseconds(10), now += milliseconds(10));
  share.Spend(Span(0), milliseconds(5), now);
  EXPECT_EQ(share.usual(), Span(milliseconds(5))) << "the first is remembered";
  EXPECT_EQ(share.used(), Span(milliseconds(5)));
}

TEST(LoopShare, WhoIsNotKnownForShortTurnsHasNoException) {
  LoopShare share;
  for (int i = 0; i < 63; ++i) share.SpendLittle();
  share.Spend(Span(0), milliseconds(1), Moment());
  EXPECT_TRUE(share.IsLong());
}

TEST(LoopShare, LongTurnsAreForgottenOverSomeSecondsOfShortOnes) {
  LoopShare share;
  Moment now = Moment() + std::chrono::hours(1);
  share.Spend(Span(0), milliseconds(1), now);
  share.Spend(Span(0), milliseconds(10), now);
  EXPECT_EQ(share.usual(), Span(milliseconds(10)));
  for (int i = 0; i < 1'000; ++i) share.Spend(Span(0), Span(0), now);
  EXPECT_GT(share.usual(), Span(milliseconds(9))) << "many at once count as one";
  for (int i = 0; i < 50; ++i) share.Spend(Span(0), Span(0), now += milliseconds(100));
  EXPECT_LT(share.remembered(), Span(milliseconds(1)));
  for (int i = 0; i < 20; ++i) share.Spend(Span(0), Span(0), now += milliseconds(100));
  share.Spend(Span(0), milliseconds(2), now);
  EXPECT_EQ(share.remembered(), Span(milliseconds(2)));
  EXPECT_FALSE(share.IsLong()) << "its short turns are known";
  share.Spend(Span(0), milliseconds(2), now);
  EXPECT_TRUE(share.IsLong());
}

}  // namespace
}  // namespace openseat
