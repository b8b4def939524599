#include "base/loop_share.h"

#include <gtest/gtest.h>

namespace openseat {
namespace {

using std::chrono::milliseconds;
using Span = LoopShare::Span;
using Moment = LoopShare::Moment;

// Its turns take this long.
void MakeLong(LoopShare& share, Span took, Moment now = Moment()) {
  for (int i = 0; i < 2; ++i) share.Spend(Span(0), took, now);
}

TEST(LoopShare, AddsWhatIsUsedFromTheFairTimeOn) {
  LoopShare share;
  MakeLong(share, milliseconds(3));
  share.Spend(milliseconds(100), milliseconds(3), Moment());
  EXPECT_EQ(share.used(), Span(milliseconds(103)));
  share.Spend(milliseconds(101), milliseconds(3), Moment());
  EXPECT_EQ(share.used(), Span(milliseconds(106))) << "it is ahead";
  share.Spend(milliseconds(500), milliseconds(3), Moment());
  EXPECT_EQ(share.used(), Span(milliseconds(503))) << "it was away, and saved nothing";
}

TEST(LoopShare, ShortTurnsDoNotCountOnceTheyTakeLong) {
  LoopShare share;
  for (int i = 0; i < 100'000; ++i) share.Spend(milliseconds(100), std::chrono::microseconds(100), Moment());
  share.Spend(milliseconds(100), milliseconds(1), Moment());
  share.Spend(milliseconds(100), milliseconds(1), Moment());
  EXPECT_TRUE(share.IsLong());
  EXPECT_EQ(share.used(), Span(milliseconds(101))) << "ahead by that turn, not by ten seconds";
}

TEST(LoopShare, OneLongTurnSaysNothingAndTwoDo) {
  LoopShare share;
  Moment now = Moment() + std::chrono::hours(1);
  for (int i = 0; i < 10; ++i) share.Spend(Span(0), std::chrono::microseconds(100), now);
  share.Spend(Span(0), milliseconds(60), now);
  EXPECT_EQ(share.usual(), Span(std::chrono::microseconds(100)));
  EXPECT_EQ(share.used(), Span(0));
  for (int i = 0; i < 10; ++i) share.Spend(Span(0), std::chrono::microseconds(100), now += milliseconds(100));
  EXPECT_FALSE(share.IsLong());
  share.Spend(Span(0), milliseconds(5), now);
  EXPECT_EQ(share.usual(), Span(milliseconds(5)));
  EXPECT_EQ(share.used(), Span(milliseconds(5)));
}

TEST(LoopShare, LongTurnsAreForgottenOverSomeSecondsOfShortOnes) {
  LoopShare share;
  Moment now = Moment() + std::chrono::hours(1);
  share.Spend(Span(0), milliseconds(1), now);
  MakeLong(share, milliseconds(10), now);
  EXPECT_EQ(share.usual(), Span(milliseconds(10)));
  for (int i = 0; i < 1'000; ++i) share.Spend(Span(0), Span(0), now);
  EXPECT_GT(share.usual(), Span(milliseconds(9))) << "many at once count as one";
  for (int i = 0; i < 50; ++i) share.Spend(Span(0), Span(0), now += milliseconds(100));
  EXPECT_LT(share.longest(), Span(milliseconds(1)));
  EXPECT_LT(share.usual(), Span(milliseconds(1)));
  MakeLong(share, milliseconds(2), now);
  EXPECT_EQ(share.usual(), Span(milliseconds(2)));
}

}  // namespace
}  // namespace openseat
