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
  const std::string code = codes.Put(PassOf("a"), start);
  EXPECT_EQ(code.size(), 26u) << "130 bits";
  EXPECT_TRUE(codes.Has(code, start));
  EXPECT_FALSE(codes.Has("", start));
  ASSERT_TRUE(codes.Take(code, start));
  EXPECT_FALSE(codes.Take(code, start)) << "once";
  const std::string late = codes.Put(PassOf("a"), start);
  EXPECT_FALSE(codes.Has(late, start + SeatCodes::kLife));
  EXPECT_FALSE(codes.Take(late, start + SeatCodes::kLife));
}

TEST(SeatCodes, ASeatHasOneCode) {
  SeatCodes codes;
  const Instant now{};
  const std::string first = codes.Put(PassOf("a"), now);
  const std::string second = codes.Put(PassOf("a"), now);
  EXPECT_FALSE(codes.Has(first, now));
  EXPECT_EQ(codes.Take(second, now)->token, "token of a");
}

TEST(SeatCodes, OfTooManyTheOldestIsForgotten) {
  SeatCodes codes;
  const Instant now{};
  const std::string first = codes.Put(PassOf("first"), now);
  const std::string second = codes.Put(PassOf("second"), now);
  for (std::size_t i = 1; i < SeatCodes::kMost; ++i) codes.Put(PassOf(std::to_string(i)), now);
  EXPECT_FALSE(codes.Has(first, now));
  EXPECT_TRUE(codes.Has(second, now));
}

}  // namespace
}  // namespace openseat
