#include "store/nats_format.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "store/nats_index.h"

namespace openseat::store {
namespace {

constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();

TEST(NatsFormat, AStampReadsBack) {
  for (const NatsStamp& stamp :
       {NatsStamp(), NatsStamp{{1, 2, 3}, 1, 1, 7, 1, 5, -9, true},
        NatsStamp{{kMost, kMost, kMost}, 2, 3, kMost, 1, 1, std::numeric_limits<std::int64_t>::min(), false}}) {
    EXPECT_EQ(ReadNatsStamp(WriteNatsStamp(stamp)), stamp);
  }
}

TEST(NatsFormat, AnythingElseIsNotAStamp) {
  const std::string good = WriteNatsStamp({{1, 2, 3}, 1, 1, 7, 1, 5, 9, true});
  ASSERT_EQ(good, "1 1 2 3 1 1 7 1 5 9 1");
  ASSERT_TRUE(ReadNatsStamp(good));
  for (std::size_t end = 0; end < good.size(); ++end) EXPECT_FALSE(ReadNatsStamp(good.substr(0, end))) << end;
  for (const char* bad : {"1 1 2 3 1 1 7 1 5 9 1 ", "1 1 2 3 1 1 7 1 5 9 1 1", "1  1 2 3 1 1 7 1 5 9 1",
                          "1 1 2 3 1 1 7 1 5 9 2", "1 1 2 3 2 1 7 1 5 9 1", "1 1 2 3 0 1 7 1 5 9 1",
                          "1 1 2 3 1 1 7 0 5 9 1", "1 1 2 3 1 1 7 1 0 9 1", "1 -1 2 3 1 1 7 1 5 9 1",
                          "1 18446744073709551616 2 3 1 1 7 1 5 9 1", "1 1 2 3 1 1 7 18446744073709551615 5 9 1"}) {
    EXPECT_EQ(ReadNatsStamp(bad).error().code, ErrorCode::kParse) << bad;
  }
  EXPECT_EQ(ReadNatsStamp("2 what it says is unknown").error().code, ErrorCode::kUnsupported);
}

TEST(NatsFormat, ReadsBase64) {
  for (const auto& [text, bytes] :
       {std::pair{"", ""}, {"Zg==", "f"}, {"Zm8=", "fo"}, {"Zm9v", "foo"}, {"+/+/", "\xfb\xff\xbf"}}) {
    EXPECT_EQ(ReadNatsBase64(text), bytes);
  }
  for (const char* bad : {"Z", "Zm9", "Zm9v=", "Zm=v", "Zm9-", "===="})
    EXPECT_EQ(ReadNatsBase64(bad), std::nullopt) << bad;
}

TEST(NatsFormat, ReadsAHeader) {
  const std::string headers = "NATS/1.0\r\nOpenseats: 9\r\nOpenseat: 1 2 3\r\nA:b\r\n\r\n";
  EXPECT_EQ(ReadNatsHeader(headers, "Openseat"), "1 2 3");
  EXPECT_EQ(ReadNatsHeader(headers, "A"), "b");
  EXPECT_EQ(ReadNatsHeader(headers, "B"), "");
  EXPECT_EQ(ReadNatsHeader("Openseat: 1", "Openseat"), "1");
  EXPECT_EQ(ReadNatsHeader("", "Openseat"), "");
}

TEST(NatsFormat, EveryTableHasItsSubject) {
  const NatsShardNames names("north_1", 64, 7);
  EXPECT_EQ(names.stream, "openseat_north_1_j64_07");
  EXPECT_EQ(names.claim, "openseat.north_1.j64.07.claim");
  EXPECT_EQ(names.TableSubject(TableId("magnificent-platypus")), "openseat.north_1.j64.07.t.magnificent-platypus");
  for (const std::string id : {"a", "a.b", "*", ">", " ", "=41", "\xC3\xA9", "two\nlines"}) {
    const std::string subject = names.TableSubject(TableId(id));
    EXPECT_EQ(subject.find_first_of(" *>\n", names.tables.size()), std::string::npos) << subject;
    EXPECT_EQ(subject.find('.', names.tables.size()), std::string::npos) << subject;
    EXPECT_EQ(names.TableOf(subject), TableId(id));
  }
  for (const char* bad : {"", "a", "=4", "=zz", "=41", "=C3"})
    EXPECT_FALSE(names.TableOf(names.tables + (*bad == 'a' ? "a b" : bad))) << bad;
  EXPECT_FALSE(names.TableOf("openseat.north_1.j64.08.t.a"));
}

TEST(NatsFormat, ATablesShardNeverChanges) {
  // Part of the format: a table would not be found in another shard.
  EXPECT_EQ(NatsShardOf(TableId("magnificent-platypus"), 64), 28u);
  EXPECT_EQ(NatsShardOf(TableId("a"), 64), 10u);
  std::vector<int> counts(64);
  for (int i = 0; i < 6400; ++i) ++counts[NatsShardOf(TableId("table-" + std::to_string(i)), 64)];
  for (const int count : counts) EXPECT_GT(count, 50);
}

TEST(NatsFormat, ClusterNamesArePlain) {
  for (const char* good : {"a", "North-1_b"}) EXPECT_TRUE(CheckClusterName(good)) << good;
  for (const std::string& bad :
       {std::string(), std::string("a.b"), std::string("a b"), std::string(">"), std::string(33, 'a')}) {
    EXPECT_EQ(CheckClusterName(bad).error().code, ErrorCode::kInvalid) << bad;
  }
}

NatsStamp Chunk(std::uint64_t part, std::uint64_t parts, Seq first, std::uint64_t count) {
  return {{1, 1, 1}, part, parts, 640, first, count, 5, false};
}

TEST(NatsDelivered, IsReadFromTheRepliesOfOldAndNewServers) {
  for (const char* const reply : {"$JS.ACK.stream.consumer.1.42.7.1700000000123456789.3",
                                  "$JS.ACK.domain.account.stream.consumer.1.42.7.1700000000123456789.3",
                                  "$JS.ACK.domain.account.stream.consumer.1.42.7.1700000000123456789.3.random"}) {
    const std::optional<NatsDelivered> delivered = ReadNatsDelivered(reply);
    ASSERT_TRUE(delivered) << reply;
    EXPECT_EQ(delivered->position, 42u);
    EXPECT_EQ(delivered->time.time_since_epoch().count(), 1'700'000'000'123'456);
    EXPECT_TRUE(delivered->more);
  }
  EXPECT_FALSE(ReadNatsDelivered("$JS.ACK.stream.consumer.1.42.7.1700000000123456789.0")->more);
  for (const char* const reply : {"", "$JS.ACK.stream.consumer.1.42.7.1700000000123456789", "$JS.ACK.a.b.1.x.7.1.3",
                                  "$JS.ACK.a.b.1.42.7.1.", "$JS.NAK.a.b.1.42.7.1.3"}) {
    EXPECT_FALSE(ReadNatsDelivered(reply)) << reply;
  }
}

TEST(NatsIndex, CountsAChunkWhenAllItsPartsAreThere) {
  NatsIndex index;
  const TableId a("a");
  index.Add(a, Chunk(1, 2, 1, 3), 10);
  EXPECT_EQ(index.Find(a), nullptr);
  EXPECT_TRUE(index.by_number().empty());
  index.Add(a, Chunk(2, 2, 1, 3), 11);
  ASSERT_NE(index.Find(a), nullptr);
  EXPECT_EQ(index.Find(a)->first, 10u);
  EXPECT_EQ(index.Places(a, index.Find(a)->last_seq - 1, 9).back(), 11u);
  EXPECT_EQ(index.Find(a)->last_seq, 3u);
}

TEST(NatsIndex, AChunkThatWasNeverFinishedChangesNothing) {
  NatsIndex index;
  const TableId a("a");
  index.Add(a, Chunk(1, 1, 1, 1), 10);
  index.Add(a, Chunk(1, 3, 2, 7), 11);
  index.Add(a, Chunk(2, 3, 2, 7), 12);
  // Its writer was replaced: another one goes on.
  index.Add(a, Chunk(1, 1, 2, 1), 14);
  EXPECT_EQ(index.Find(a)->last_seq, 2u);
  // Not the rest of anything.
  index.Add(a, Chunk(3, 3, 2, 7), 15);
  EXPECT_EQ(index.Find(a)->last_seq, 2u);
  EXPECT_EQ(index.Places(a, index.Find(a)->last_seq - 1, 9).back(), 14u);
}

TEST(NatsIndex, KnowsWhatIsOpen) {
  NatsIndex index;
  const TableId a("a");
  NatsStamp stamp = Chunk(1, 1, 1, 1);
  index.Add(a, stamp, 10);
  EXPECT_THAT(index.open(), ::testing::ElementsAre(stamp.table_number));
  stamp = Chunk(1, 1, 2, 1);
  stamp.closed = true;
  index.Add(a, stamp, 11);
  EXPECT_THAT(index.open(), ::testing::IsEmpty());
  index.Add(a, Chunk(1, 1, 3, 1), 12);
  EXPECT_THAT(index.open(), ::testing::ElementsAre(stamp.table_number));
}

}  // namespace
}  // namespace openseat::store
