// How much room streams have, without NATS.
#include "store/nats_room.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

namespace openseat::store {
namespace {

using ::testing::HasSubstr;

constexpr AppendTerms kExpendable{.expendable = true};
constexpr AppendTerms kStranger{.of_stranger = true};
constexpr Instant kNow{};

TEST(NatsRoomTest, CountsWhatWasStoredSinceNatsWasAsked) {
  NatsRoom room({.max_bytes = 1000}, 2);
  room.AskedForStream(0);
  room.AskedForStream(1);
  room.OnStream(0, 300);
  room.OnStream(1, 200);
  EXPECT_EQ(room.used(), 500u);
  ASSERT_TRUE(room.Take(100, {}, kNow));
  ASSERT_TRUE(room.Take(50, {}, kNow));
  EXPECT_EQ(room.used(), 650u) << "what is on the way counts";
  room.Stored(0, 100);
  room.AskedForStream(0);
  EXPECT_EQ(room.used(), 650u);
  room.Stored(0, 50);
  room.OnStream(0, 420);  // it takes a little more
  EXPECT_EQ(room.used(), 670u) << "the size as it was when NATS was asked, and what came after";
  ASSERT_TRUE(room.Take(330, {}, kNow));
  EXPECT_FALSE(room.Take(1, {}, kNow));
  room.Drop(330);
  EXPECT_TRUE(room.Take(1, {}, kNow));
}

TEST(NatsRoomTest, WhatAnotherNodeWroteCountsAtOnce) {
  NatsRoom room({}, 2);
  room.OnStream(1, 100);
  room.OnTold(1, 300);
  room.OnTold(0, 50);
  EXPECT_EQ(room.used(), 350u);
  room.OnTold(1, 200);
  EXPECT_EQ(room.used(), 350u) << "told late";
  ASSERT_TRUE(room.Take(10, {}, kNow));
  room.Stored(1, 10);
  room.OnTold(1, 400);
  EXPECT_EQ(room.SizeOf(1), 400u);
  room.AskedForStream(1);
  room.OnStream(1, 320);
  EXPECT_EQ(room.SizeOf(1), 320u) << "what NATS says";
}

TEST(NatsRoomTest, ALimitThatNobodySetBindsOnlyRecordingsAndStrangers) {
  NatsRoom room({.max_bytes = 1000, .reserve_bytes = 400, .binds_all = false}, 1);
  room.OnStream(0, 5000);
  EXPECT_FALSE(room.Take(1, kExpendable, kNow));
  EXPECT_FALSE(room.Take(1, kStranger, kNow));
  EXPECT_TRUE(room.Take(1, {}, kNow));
  EXPECT_TRUE(room.Check(kNow));
}

TEST(NatsRoomTest, RecordingsStopFirstAndThenStrangers) {
  NatsRoom room({.max_bytes = 1000, .reserve_bytes = 400}, 1);
  room.OnStream(0, 550);
  ASSERT_TRUE(room.Take(50, kExpendable, kNow));
  EXPECT_THAT(room.Take(1, kExpendable, kNow).error().message, HasSubstr("reserved for hosted matches"));
  ASSERT_TRUE(room.Take(200, kStranger, kNow));
  EXPECT_THAT(room.Take(1, kStranger, kNow).error().message, HasSubstr("this machine and the administrator"));
  EXPECT_EQ(room.refused(), 2u);
  ASSERT_TRUE(room.Take(200, {}, kNow));
  EXPECT_FALSE(room.Check(kNow));
  EXPECT_EQ(room.Take(1, {}, kNow).error().code, ErrorCode::kIo);
  EXPECT_EQ(room.refused(), 2u) << "what strangers did not cause";
}

TEST(NatsRoomTest, LeavesRoomOfTheAccountToClaims) {
  constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;
  NatsRoom room({.reserve_bytes = 2 * kMiB}, 1);
  EXPECT_TRUE(room.Take(kMiB * kMiB, kExpendable, kNow)) << "without a limit";
  room.Drop(kMiB * kMiB);
  room.AskedForAccount();
  room.OnAccount(8 * kMiB);
  ASSERT_TRUE(room.Take(2 * kMiB, kExpendable, kNow));
  EXPECT_THAT(room.Take(1, kExpendable, kNow).error().message, HasSubstr("NATS is nearly full"));
  ASSERT_TRUE(room.Take(kMiB, kStranger, kNow));
  EXPECT_FALSE(room.Take(1, kStranger, kNow));
  ASSERT_TRUE(room.Take(kMiB, {}, kNow));
  EXPECT_THAT(room.Take(1, {}, kNow).error().message, HasSubstr("NATS has no room left for the journal"));
  room.Stored(0, 4 * kMiB);
  EXPECT_FALSE(room.Take(1, {}, kNow));
  room.AskedForAccount();
  room.OnAccount(16 * kMiB);
  EXPECT_TRUE(room.Take(kMiB, kExpendable, kNow));
}

TEST(NatsRoomTest, ForgetsALimitThatTheAccountHasNoMore) {
  for (const bool answered : {true, false}) {
    NatsRoom room({}, 1);
    EXPECT_FALSE(room.bounded());
    room.AskedForAccount();
    room.OnAccount(std::uint64_t{5} << 20);
    EXPECT_TRUE(room.bounded());
    ASSERT_TRUE(room.Take(1000, {}, kNow));
    room.Stored(0, 1000);
    EXPECT_FALSE(room.Take(std::uint64_t{1} << 20, {}, kNow));
    if (answered) {
      room.OnAccount(NatsRoom::kNoLimit);
    } else {
      for (int i = 0; i < 100; ++i) room.AskedForAccount();
      EXPECT_TRUE(room.bounded()) << "NATS is away";
      for (int i = 0; i < 100; ++i) {
        room.OnStream(0, 1000);
        room.AskedForAccount();
        if (i == 10) {
          EXPECT_TRUE(room.bounded()) << "an answer may be late";
        }
      }
    }
    EXPECT_FALSE(room.bounded());
    ASSERT_TRUE(room.Take(std::uint64_t{1} << 40, {}, kNow));
    room.Stored(0, std::uint64_t{1} << 40);
    EXPECT_TRUE(room.Take(std::uint64_t{1} << 40, {}, kNow));
    // And has one again.
    room.AskedForAccount();
    room.OnAccount(0);
    EXPECT_FALSE(room.Take(1, {}, kNow));
  }
  EXPECT_TRUE(NatsRoom({.max_bytes = 1}, 1).bounded());
}

TEST(NatsRoomTest, AfterNatsWasFullOnlyTheOthersTryAgain) {
  NatsRoom room({}, 1);
  EXPECT_FALSE(room.IsFull(kNow));
  room.OnFull(kNow);
  EXPECT_TRUE(room.IsFull(kNow));
  EXPECT_FALSE(room.Check(kNow));
  EXPECT_FALSE(room.Take(1, kExpendable, kNow));
  EXPECT_FALSE(room.Take(1, kStranger, kNow));
  EXPECT_TRUE(room.Take(1, {}, kNow));
  EXPECT_FALSE(room.IsFull(kNow + std::chrono::seconds(10)));
  EXPECT_TRUE(room.Check(kNow + std::chrono::seconds(10)));
  EXPECT_FALSE(room.Take(1, kExpendable, kNow + std::chrono::seconds(10)));
  const Instant later = kNow + std::chrono::minutes(1);
  EXPECT_TRUE(room.Take(1, kExpendable, later));
}

}  // namespace
}  // namespace openseat::store
