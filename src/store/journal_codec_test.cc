#include "store/journal_codec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <limits>

#include "store/journal_format.h"

namespace openseat::store {
namespace {

Event EventAt(EventKind kind, std::int64_t time, std::string payload) {
  return {kind, Time(Duration(time)), std::move(payload)};
}

std::vector<Event> Sample() {
  return {EventAt(EventKind::kOpened, 1'800'000'000'000'000, R"({"game":"chicken"})"),
          EventAt(EventKind::kReceived, 1'800'000'000'000'150, "no JSON \xFF at all"),
          EventAt(EventKind::kSent, 1'799'999'999'999'000, ""),
          EventAt(static_cast<EventKind>(200), -5, std::string(300, 'x'))};
}

std::string Encode(const std::vector<Event>& events, std::uint64_t table_key, Seq first_seq) {
  ChunkBuilder builder;
  for (const Event& event : events) builder.Add(event);
  return std::string(builder.Finish(table_key, first_seq));
}

void ExpectEqual(const std::vector<Event>& a, const std::vector<Event>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].kind, b[i].kind);
    EXPECT_EQ(a[i].time, b[i].time);
    EXPECT_EQ(a[i].payload, b[i].payload);
  }
}

TEST(JournalCodec, ReturnsWhatWasPutIn) {
  const std::string data = Encode(Sample(), 7, 41);
  const auto events = DecodeChunk({7, 41, 4}, data);
  ASSERT_TRUE(events) << events.error().message;
  ExpectEqual(*events, Sample());
}

TEST(JournalCodec, HasTheBytesThatTheDocumentShows) {
  const std::string data = Encode({EventAt(EventKind::kNote, 1000, "hi"), EventAt(EventKind::kClosed, 999, "")}, 1, 1);
  EXPECT_EQ(data.substr(0, data.size() - kChunkTrailerBytes), std::string("\x01\x0C\xD0\x0F\x02hi\x0D\x01\x00", 10));
  EXPECT_EQ(data.substr(data.size() - kChunkTrailerBytes), "\xCB\xE9\xFE\xCD");
}

TEST(JournalCodec, RefusesAChunkCutAnywhere) {
  const std::string data = Encode(Sample(), 7, 41);
  for (std::size_t size = 0; size < data.size(); ++size) {
    EXPECT_FALSE(DecodeChunk({7, 41, 4}, std::string_view(data).substr(0, size))) << size;
  }
}

TEST(JournalCodec, RefusesRecordsCutAnywhere) {
  const std::string data = Encode(Sample(), 7, 41);
  const std::string_view records =
      std::string_view(data).substr(kChunkHeaderBytes, data.size() - kChunkHeaderBytes - kChunkTrailerBytes);
  ASSERT_TRUE(DecodeRecords(4, records));
  for (std::size_t size = 0; size < records.size(); ++size) EXPECT_FALSE(DecodeRecords(4, records.substr(0, size)));
  EXPECT_FALSE(DecodeRecords(3, records));
  EXPECT_FALSE(DecodeRecords(5, records));
  EXPECT_FALSE(DecodeRecords(std::numeric_limits<std::uint64_t>::max(), records));
}

TEST(JournalCodec, FindsEveryFlippedBit) {
  std::string data = Encode(Sample(), 7, 41);
  for (std::size_t i = 0; i < data.size(); ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      data[i] = static_cast<char>(data[i] ^ (1 << bit));
      EXPECT_FALSE(DecodeChunk({7, 41, 4}, data)) << "byte " << i << ", bit " << bit;
      data[i] = static_cast<char>(data[i] ^ (1 << bit));
    }
  }
}

TEST(JournalCodec, RefusesAChunkOfAnotherPlace) {
  const std::string data = Encode(Sample(), 7, 41);
  EXPECT_FALSE(DecodeChunk({8, 41, 4}, data));
  EXPECT_FALSE(DecodeChunk({7, 40, 4}, data));
  EXPECT_FALSE(DecodeChunk({7, 41, 3}, data));
}

TEST(JournalCodec, SaysThatAChunkIsOfALaterVersion) {
  std::string data = Encode(Sample(), 7, 41);
  data.front() = 2;
  const auto events = DecodeChunk({7, 41, 4}, data);
  ASSERT_FALSE(events);
  EXPECT_EQ(events.error().code, ErrorCode::kUnsupported);
  EXPECT_EQ(events.error().message, "the chunk has version 2; this program supports version 1");
}

TEST(JournalCodec, RefusesNumbersThatAreNotInTheirShortestForm) {
  EXPECT_TRUE(DecodeRecords(1, std::string_view("\x0C\x02\x00", 3)));
  EXPECT_FALSE(DecodeRecords(1, std::string_view("\x0C\x82\x00\x00", 4)));
  EXPECT_FALSE(DecodeRecords(1, "\x0C\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x02" + std::string(1, '\0')));
}

RC_GTEST_PROP(JournalCodec, RoundTripsAnything, ()) {
  std::vector<Event> events;
  const auto count = *rc::gen::inRange<std::size_t>(1, 20);
  for (std::size_t i = 0; i < count; ++i) {
    events.push_back(EventAt(static_cast<EventKind>(*rc::gen::inRange(1, 256)), *rc::gen::arbitrary<std::int64_t>(),
                             *rc::gen::arbitrary<std::string>()));
  }
  const std::string data = Encode(events, 3, 9);
  const auto decoded = DecodeChunk({3, 9, count}, data);
  RC_ASSERT(decoded.has_value());
  RC_ASSERT(decoded->size() == count);
  for (std::size_t i = 0; i < count; ++i) {
    RC_ASSERT((*decoded)[i].kind == events[i].kind);
    RC_ASSERT((*decoded)[i].time == events[i].time);
    RC_ASSERT((*decoded)[i].payload == events[i].payload);
  }
}

RC_GTEST_PROP(JournalCodec, DecodesAnyBytesToAResult, (std::uint64_t count, const std::string& bytes)) {
  const auto events = DecodeRecords(count % 64, bytes);
  if (events) RC_ASSERT(events->size() == count % 64);
}

}  // namespace
}  // namespace openseat::store
