// Which tables a shard's index has. The rest of it is tested with NATS.
#include "store/nats_index.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace openseat::store {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

NatsStamp StampOf(std::uint64_t number, Seq seq, bool closed) {
  NatsStamp stamp;
  stamp.part = stamp.parts = 1;
  stamp.table_number = number;
  stamp.first_seq = seq;
  stamp.count = 1;
  stamp.closed = closed;
  return stamp;
}

TEST(NatsIndexTest, HasAllOpenTablesAndThoseThatWereClosedLast) {
  NatsIndex index(2);
  std::uint64_t position = 0;
  for (std::uint64_t i = 1; i <= 5000; ++i) {
    const TableId table(std::to_string(i));
    index.Add(table, StampOf(i, 1, false), ++position);
    if (i > 3) index.Add(table, StampOf(i, 2, true), ++position);
  }
  EXPECT_THAT(index.open(), ElementsAre(1, 2, 3));
  EXPECT_EQ(index.by_number().size(), 5u);
  EXPECT_NE(index.Find(TableId("1")), nullptr);
  EXPECT_NE(index.Find(TableId("5000")), nullptr);
  for (std::uint64_t i = 4; i <= 4998; ++i) {
    const TableId table(std::to_string(i));
    ASSERT_EQ(index.Find(table), nullptr);
    ASSERT_TRUE(index.MayBeOld(table));
  }
  EXPECT_FALSE(index.MayBeOld(TableId("1")));
  EXPECT_FALSE(index.MayBeOld(TableId("none")));
  // Also what was closed since it was asked.
  index.Add(TableId("new"), StampOf(5001, 1, true), ++position);
  EXPECT_TRUE(index.MayBeOld(TableId("4999")));
}

TEST(NatsIndexTest, ATableThatGoesOnIsNotOld) {
  NatsIndex index(1);
  const TableId again("again");
  index.Add(again, StampOf(1, 1, true), 1);
  index.Add(again, StampOf(1, 2, false), 2);
  index.Add(TableId("b"), StampOf(2, 1, true), 3);
  ASSERT_NE(index.Find(again), nullptr);
  EXPECT_THAT(index.open(), ElementsAre(1));
  index.Add(again, StampOf(1, 3, true), 4);
  EXPECT_EQ(index.Find(TableId("b")), nullptr);
  EXPECT_EQ(index.Find(again)->last_seq, 3u);
  EXPECT_THAT(index.Places(again, 0, 10), ElementsAre(1, 2, 4));
}

TEST(NatsIndexTest, ALongTableLosesItsPlacesWhenItIsClosed) {
  NatsIndex index(2, 2);
  const TableId table("a");
  for (Seq seq = 1; seq <= 3; ++seq) index.Add(table, StampOf(1, seq, false), seq);
  EXPECT_THAT(index.Places(table, 0, 10), ElementsAre(1, 2, 3));
  index.Add(table, StampOf(1, 4, true), 4);
  ASSERT_NE(index.Find(table), nullptr);
  EXPECT_FALSE(index.Find(table)->placed);
  EXPECT_EQ(index.Find(table)->last_seq, 4u);
  EXPECT_THAT(index.Places(table, 0, 10), IsEmpty());
}

}  // namespace
}  // namespace openseat::store
