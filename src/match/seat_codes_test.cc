#include "match/seat_codes.h"

#include <gtest/gtest.h>

namespace openseat {
namespace {

SeatPass PassOf(const std::string& match) {
  return {"tictactoe", match, "Ann", "token of " + match};
}

TEST(SeatCodes, AreGoodOnceForSomeMinutes) {
  SeatCodes codes;
  const Instant start(std::chrono::seconds(100));
  const std::string code = codes.Put(PassOf("a"), "192.0.2.1", start);
  EXPECT_EQ(code.size(), 26u) << "130 bits";
  EXPECT_TRUE(codes.Has(code, start));
  EXPECT_FALSE(codes.Has("", start));
  ASSERT_TRUE(codes.Take(code, start));
  EXPECT_FALSE(codes.Take(code, start)) << "once";
  const std::string late = codes.Put(PassOf("a"), "192.0.2.1", start);
  EXPECT_FALSE(codes.Has(late, start + SeatCodes::kLife));
  EXPECT_FALSE(codes.Take(late, start + SeatCodes::kLife));
}

TEST(SeatCodes, ASeatHasOneCode) {
  SeatCodes codes;
  const Instant now{};
  const std::string first = codes.Put(PassOf("a"), "192.0.2.1", now);
  const std::string second = codes.Put(PassOf("a"), "192.0.2.1", now);
  EXPECT_FALSE(codes.Has(first, now));
  EXPECT_EQ(codes.Take(second, now)->token, "token of a");
}

// A stranger has as many addresses as there are /64s.
TEST(SeatCodes, ManyAddressesDoNotPushOutTheCodeOfAnother) {
  SeatCodes codes;
  const Instant now{};
  const std::string other = codes.Put(PassOf("other"), "192.0.2.1", now);
  for (std::size_t i = 0; i < 2 * SeatCodes::kMost; ++i) {
    codes.Put(PassOf(std::to_string(i)), std::to_string(i / SeatCodes::kMostOfOne), now);
  }
  EXPECT_TRUE(codes.Has(other, now));
}

TEST(SeatCodes, OneAddressOnlyLosesItsOwn) {
  SeatCodes codes;
  const Instant now{};
  const std::string other = codes.Put(PassOf("other"), "192.0.2.1", now);
  const std::string first = codes.Put(PassOf("first"), "192.0.2.2", now);
  const std::string second = codes.Put(PassOf("second"), "192.0.2.2", now);
  for (std::size_t i = 1; i < SeatCodes::kMostOfOne; ++i) codes.Put(PassOf(std::to_string(i)), "192.0.2.2", now);
  EXPECT_TRUE(codes.Has(other, now));
  EXPECT_FALSE(codes.Has(first, now));
  EXPECT_TRUE(codes.Has(second, now));
}

}  // namespace
}  // namespace openseat
