#include "base/line_sieve.h"

#include <gtest/gtest.h>

namespace openseat {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

constexpr LineSieve::Rates kRates{.of_address = {.per_second = 0.1, .burst = 100},
                                  .of_all = {.per_second = 1, .burst = 1000},
                                  .tell_every = minutes(1)};

Instant OnSecond(int second) {
  return Instant(seconds(1000)) + seconds(second);
}

int Taken(LineSieve& sieve, int times, std::string_view from, Instant now, std::string_view kind = {}) {
  int taken = 0;
  for (int i = 0; i < times; ++i) taken += sieve.Take(kind, from, now) ? 1 : 0;
  return taken;
}

TEST(LineSieve, AnAddressHasSoManyLinesOfAKind) {
  LineSieve sieve(kRates);
  EXPECT_EQ(Taken(sieve, 5000, "2001:db8::7", OnSecond(0)), 100);
  EXPECT_EQ(Taken(sieve, 1, "2001:db8::8", OnSecond(0)), 0) << "the same /64";
  EXPECT_EQ(Taken(sieve, 1, "2001:db8::/64", OnSecond(0)), 0) << "as a payer's address is written";
  EXPECT_EQ(Taken(sieve, 5000, "2001:db8::7", OnSecond(0), "other"), 100);
  EXPECT_EQ(Taken(sieve, 1, "192.0.2.7", OnSecond(0)), 1);
  EXPECT_EQ(Taken(sieve, 100, "2001:db8::7", OnSecond(60)), 6);
}

TEST(LineSieve, AllAddressesTogetherHaveSoMany) {
  LineSieve sieve(kRates);
  int taken = 0;
  for (int i = 0; i < 5000; ++i) {
    taken += Taken(sieve, 1, "198.51." + std::to_string(i / 250) + "." + std::to_string(i % 250), OnSecond(0));
  }
  EXPECT_EQ(taken, 1000);
}

TEST(LineSieve, SaysHowManyItLeftOut) {
  LineSieve sieve(kRates);
  EXPECT_FALSE(sieve.TellLeftOut(OnSecond(0)));
  Taken(sieve, 101, "192.0.2.7", OnSecond(0));
  const std::optional<LineSieve::LeftOut> first = sieve.TellLeftOut(OnSecond(0));
  ASSERT_TRUE(first);
  EXPECT_EQ(first->Count(), "1 line");
  EXPECT_EQ(first->from, "192.0.2.7");
  Taken(sieve, 1, "192.0.2.7", OnSecond(1));
  Taken(sieve, 102, "192.0.2.8", OnSecond(1));
  EXPECT_FALSE(sieve.TellLeftOut(OnSecond(59)));
  const std::optional<LineSieve::LeftOut> second = sieve.TellLeftOut(OnSecond(60));
  ASSERT_TRUE(second);
  EXPECT_EQ(second->Count(), "3 lines");
  EXPECT_EQ(second->from, "several addresses");
  Taken(sieve, 200, "192.0.2.8", OnSecond(61));
  EXPECT_EQ(sieve.TellLeftOut(Instant::max())->from, "192.0.2.8") << "the last of them, whenever that was told";
}

}  // namespace
}  // namespace openseat
