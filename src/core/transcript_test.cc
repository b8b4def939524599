#include "core/transcript.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/budget.h"
#include "base/json.h"
#include "base/metrics.h"
#include "testing/fake_scheduler.h"
#include "testing/memory_journal.h"

namespace openseat {
namespace {

BudgetLimits Loopback(const PeerLimits& limits) {
  BudgetLimits all;
  all.loopback = limits;
  return all;
}

using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

const Error kFull{ErrorCode::kIo, "the disk is full", {}};

// Answers only when `answers` runs.
class SlowJournal final : public Journal {
 public:
  void Append(const TableId& table, Seq expected, std::vector<Event> events, Scheduler&, AppendDone done,
              AppendTerms terms) override {
    ++appends;
    kept.Append(table, expected, std::move(events), answers, std::move(done), terms);
  }
  Result<std::vector<StoredEvent>> Read(const TableId& table, Seq after, std::size_t limit) override {
    return kept.Read(table, after, limit);
  }
  Result<std::vector<TableRecord>> Tables(std::size_t limit, std::uint64_t before) override {
    return kept.Tables(limit, before);
  }
  Result<std::vector<TableRecord>> OpenTables(std::size_t limit, std::uint64_t after) override {
    return kept.OpenTables(limit, after);
  }
  Result<TableRecord> Find(const TableId& table) override { return kept.Find(table); }
  Result<void> Flush() override { return {}; }

  std::size_t appends = 0;
  testing::MemoryJournal kept;
  testing::FakeScheduler answers;
};

class TranscriptTest : public ::testing::Test {
 protected:
  std::vector<std::string> Kinds() {
    std::vector<std::string> kinds;
    const auto events = journal_.Read(TableId("t"), 0, 1000);
    if (!events) return {};
    for (const StoredEvent& event : *events) kinds.emplace_back(*EventKindName(event.event.kind));
    return kinds;
  }
  std::int64_t Lost(const std::string& payload) { return json::Parse(payload)->at("lost").as_int64(); }
  // The answer to a commit of one note, once it has arrived.
  Result<Seq> Commit(Transcript& transcript) {
    Result<Seq> out = Seq{0};
    transcript.Commit({{EventKind::kNote, scheduler_.clock().Now(), "committed"}},
                      [&out](Result<Seq> result) { out = std::move(result); });
    scheduler_.Run();
    return out;
  }

  testing::FakeScheduler scheduler_;
  testing::MemoryJournal journal_;
};

TEST_F(TranscriptTest, AppendsWhatATurnOfTheLoopGathered) {
  Transcript transcript(journal_, scheduler_, TableId("t"));
  EXPECT_EQ(transcript.Add(EventKind::kOpened, "{}"), 1u);
  EXPECT_EQ(transcript.Add(EventKind::kNote, "a"), 2u);
  EXPECT_FALSE(journal_.Read(TableId("t"), 0, 10).has_value());
  scheduler_.Run();
  EXPECT_EQ(journal_.Read(TableId("t"), 0, 10)->size(), 2u);
  EXPECT_EQ(transcript.Add(EventKind::kNote, "b"), 3u);
  scheduler_.Run();
  EXPECT_EQ(journal_.Read(TableId("t"), 2, 10)->front().event.payload, "b");
}

TEST_F(TranscriptTest, WhatNobodyWaitsForLingers) {
  Transcript transcript(journal_, scheduler_, TableId("t"), 0, seconds(1));
  transcript.Add(EventKind::kOpened, "{}");
  EXPECT_EQ(transcript.Add(EventKind::kNote, "a"), 2u);
  scheduler_.Run();
  EXPECT_TRUE(Kinds().empty());
  EXPECT_EQ(Commit(transcript), Seq{3}) << "it takes along what has gathered";
  EXPECT_EQ(Kinds().size(), 3u);
  transcript.Add(EventKind::kNote, "b");
  scheduler_.Run();
  EXPECT_EQ(Kinds().size(), 3u);
  scheduler_.Advance(seconds(1));
  EXPECT_EQ(Kinds().size(), 4u);
  transcript.Add(EventKind::kNote, std::string(40'000, 'x'));
  EXPECT_EQ(Kinds().size(), 4u);
  transcript.Add(EventKind::kNote, std::string(40'000, 'x'));
  EXPECT_EQ(Kinds().size(), 6u) << "so much is not kept back";
  transcript.Add(EventKind::kClosed, "{}");
  scheduler_.Advance(seconds(1));
  EXPECT_EQ(Kinds().back(), "closed");
}

TEST_F(TranscriptTest, AppendsTheRestWhenItGoes) {
  {
    Transcript(journal_, scheduler_, TableId("t")).Add(EventKind::kOpened, "{}");
  }
  EXPECT_EQ(journal_.Read(TableId("t"), 0, 10)->size(), 1u);
  scheduler_.Run();
  EXPECT_EQ(journal_.Read(TableId("t"), 0, 10)->size(), 1u);
}

TEST_F(TranscriptTest, GoesOnAfterAFullDiskAndSaysWhatIsMissing) {
  Transcript transcript(journal_, scheduler_, TableId("t"));
  std::vector<std::string> told;
  transcript.OnGap([&](const std::string& reason) { told.push_back(reason); });
  transcript.OnGoesOn([&] { told.emplace_back("goes on"); });
  transcript.Add(EventKind::kOpened, "{}");
  scheduler_.Run();
  journal_.failing = kFull;
  // Two appends are in progress when the first failure is known.
  transcript.Add(EventKind::kNote, "lost 1");
  transcript.Flush();
  transcript.Add(EventKind::kNote, "lost 2");
  scheduler_.Run();
  EXPECT_EQ(transcript.last_seq(), 1u);
  EXPECT_EQ(transcript.Add(EventKind::kNote, "lost 3"), 0u);
  scheduler_.Advance(seconds(5));
  EXPECT_THAT(told, ElementsAre("the disk is full"));
  EXPECT_THAT(Kinds(), ElementsAre("opened"));

  journal_.failing.reset();
  scheduler_.Advance(seconds(1));
  EXPECT_THAT(told, ElementsAre("the disk is full", "goes on"));
  EXPECT_EQ(transcript.Add(EventKind::kNote, "kept"), 3u);
  scheduler_.Run();
  EXPECT_THAT(Kinds(), ElementsAre("opened", "gap", "note"));
  const std::string gap = journal_.Payloads(TableId("t"), EventKind::kGap).front();
  EXPECT_EQ(Lost(gap), 3);
  EXPECT_THAT(gap, HasSubstr(R"("since":")" + FormatIso8601(Time(seconds(1'800'000'000)))));
  EXPECT_THAT(gap, HasSubstr(R"("reason":"the disk is full")"));
  EXPECT_EQ(scheduler_.timers(), 0u);
}

// Each event is there, or counted as lost.
TEST_F(TranscriptTest, EveryAppendFailsOnce) {
  constexpr std::size_t kNotes = 6;
  std::size_t failed = 0;
  for (std::size_t at = 0;; ++at) {
    SCOPED_TRACE("append " + std::to_string(at) + " fails");
    const TableId table("t" + std::to_string(at));
    journal_.appends = 0;
    journal_.fails_at = at;
    std::vector<std::string> told;
    Transcript transcript(journal_, scheduler_, table);
    transcript.OnGap([&](const std::string& reason) { told.push_back(reason); });
    transcript.OnGoesOn([&] { told.emplace_back("goes on"); });
    transcript.Add(EventKind::kOpened, "{}");
    for (std::size_t i = 0; i < kNotes; ++i) {
      scheduler_.Run();
      transcript.Add(EventKind::kNote, std::to_string(i));
    }
    scheduler_.Advance(seconds(5));
    EXPECT_NE(transcript.Add(EventKind::kNote, "last"), 0u);
    scheduler_.Advance(seconds(5));
    std::size_t lost = 0;
    for (const std::string& gap : journal_.Payloads(table, EventKind::kGap)) {
      lost += static_cast<std::size_t>(Lost(gap));
    }
    const std::vector<std::string> notes = journal_.Payloads(table, EventKind::kNote);
    EXPECT_EQ(notes.size() + lost, kNotes + 1);
    EXPECT_THAT(journal_.Payloads(table, EventKind::kOpened), SizeIs(1));
    if (journal_.appends <= at || HasFailure()) break;
    EXPECT_THAT(told, ElementsAre("the disk is full", "goes on"));
    ++failed;
  }
  EXPECT_GE(failed, kNotes);
}

TEST_F(TranscriptTest, ATableThatOpensOnAFullDiskIsRecordedOnceThereIsRoom) {
  journal_.failing = kFull;
  Transcript transcript(journal_, scheduler_, TableId("t"), std::shared_ptr<const Payer>());
  transcript.Add(EventKind::kOpened, R"({"game":"x"})");
  transcript.Add(EventKind::kNote, "lost");
  scheduler_.Run();
  journal_.failing.reset();
  scheduler_.Advance(seconds(1));
  EXPECT_THAT(Kinds(), ElementsAre("opened", "gap"));
  EXPECT_THAT(journal_.Payloads(TableId("t"), EventKind::kOpened), ElementsAre(R"({"game":"x"})"));
  EXPECT_EQ(Lost(journal_.Payloads(TableId("t"), EventKind::kGap).front()), 1);
}

TEST_F(TranscriptTest, ACommitThatIsRefusedSaysWhyAndIsNotWrittenLater) {
  Transcript transcript(journal_, scheduler_, TableId("t"));
  transcript.Add(EventKind::kOpened, "{}");
  scheduler_.Run();
  journal_.failing = kFull;
  transcript.Add(EventKind::kNote, "lost");
  transcript.Flush();
  journal_.failing.reset();
  // To the journal it is a conflict: it relies on the append before it.
  EXPECT_EQ(Commit(transcript).error(), kFull);
  EXPECT_FALSE(transcript.fenced());
  scheduler_.Advance(seconds(1));
  EXPECT_THAT(Kinds(), ElementsAre("opened", "gap"));
  EXPECT_EQ(Lost(journal_.Payloads(TableId("t"), EventKind::kGap).front()), 1);
  EXPECT_EQ(Commit(transcript), Seq{3});
}

TEST_F(TranscriptTest, ACommitDoesNotWaitToTryAgain) {
  Transcript transcript(journal_, scheduler_, TableId("t"));
  transcript.Add(EventKind::kOpened, "{}");
  scheduler_.Run();
  journal_.failing = kFull;
  EXPECT_EQ(Commit(transcript).error(), kFull);
  journal_.failing.reset();
  EXPECT_EQ(Commit(transcript), Seq{3});
  EXPECT_THAT(Kinds(), ElementsAre("opened", "gap", "note"));
  EXPECT_EQ(Lost(journal_.Payloads(TableId("t"), EventKind::kGap).front()), 0);
}

TEST_F(TranscriptTest, WhoIsFencedWritesNothingMore) {
  Transcript transcript(journal_, scheduler_, TableId("t"));
  transcript.Add(EventKind::kOpened, "{}");
  scheduler_.Run();
  journal_.Append(TableId("t"), 1, {{EventKind::kNote, scheduler_.clock().Now(), "another's"}}, scheduler_, nullptr);
  EXPECT_EQ(Commit(transcript).error().code, ErrorCode::kConflict);
  EXPECT_TRUE(transcript.fenced());
  EXPECT_EQ(transcript.Add(EventKind::kNote, "x"), 0u);
  EXPECT_EQ(Commit(transcript).error().code, ErrorCode::kConflict);
  scheduler_.Advance(seconds(10));
  EXPECT_THAT(Kinds(), ElementsAre("opened", "note"));
}

TEST_F(TranscriptTest, ARecordStopsAtItsLimitButForItsEnd) {
  Metrics metrics;
  Budget budget(Loopback({.max_journal_bytes = 1000}), &metrics);
  std::string reason;
  {
    Transcript transcript(journal_, scheduler_, TableId("t"), budget.PayerOf("127.0.0.1", Instant()));
    transcript.OnGap([&](const std::string& why) { reason = why; });
    transcript.Add(EventKind::kOpened, "{}");
    EXPECT_NE(transcript.Add(EventKind::kReceived, std::string(900, 'x')), 0u);
    EXPECT_EQ(transcript.Add(EventKind::kReceived, std::string(900, 'x')), 0u);
    EXPECT_EQ(transcript.Add(EventKind::kReceived, "x"), 0u);
    scheduler_.Advance(seconds(100));
    EXPECT_THAT(Kinds(), ElementsAre("opened", "received"));
    transcript.Add(EventKind::kClosed, "{}");
  }
  EXPECT_THAT(Kinds(), ElementsAre("opened", "received", "gap", "closed"));
  EXPECT_EQ(Lost(journal_.Payloads(TableId("t"), EventKind::kGap).front()), 2);
  EXPECT_THAT(metrics.Text(), HasSubstr(R"(openseat_refused_total{budget="max_journal_bytes"} 1)"));
  EXPECT_THAT(reason, HasSubstr("max_journal_bytes is reached: 1000 bytes"));
}

TEST_F(TranscriptTest, ATableThatClosesOnAFullDiskIsClosedOnceThereIsRoom) {
  {
    Transcript transcript(journal_, scheduler_, TableId("t"));
    transcript.Add(EventKind::kOpened, "{}");
    scheduler_.Run();
    journal_.failing = kFull;
    transcript.Add(EventKind::kNote, "lost");
    scheduler_.Run();
    transcript.Add(EventKind::kClosed, R"({"reason":"the end"})");
    scheduler_.Advance(seconds(5));
  }
  scheduler_.Advance(seconds(5));
  EXPECT_THAT(Kinds(), ElementsAre("opened"));
  journal_.failing.reset();
  scheduler_.Advance(seconds(1));
  EXPECT_THAT(Kinds(), ElementsAre("opened", "gap", "closed"));
  EXPECT_EQ(Lost(journal_.Payloads(TableId("t"), EventKind::kGap).front()), 1);
  EXPECT_THAT(journal_.Payloads(TableId("t"), EventKind::kClosed), ElementsAre(R"({"reason":"the end"})"));
  EXPECT_EQ(scheduler_.timers(), 0u) << "nothing is left of it";
}

// It is not known yet that the disk is full when the table is destroyed.
TEST_F(TranscriptTest, TheEndIsWrittenThoughWhatIsUnderWayBeforeItFails) {
  for (const bool flushed : {false, true}) {
    testing::MemoryJournal journal;
    {
      Transcript transcript(journal, scheduler_, TableId("t"), std::shared_ptr<const Payer>());
      transcript.Add(EventKind::kOpened, "{}");
      scheduler_.Run();
      journal.failing = kFull;
      transcript.Add(EventKind::kNote, "lost 1");
      transcript.Flush();
      transcript.Add(EventKind::kNote, "lost 2");
      transcript.Add(EventKind::kClosed, "{}");
      if (flushed) transcript.Flush();
    }
    scheduler_.Advance(seconds(3));
    journal.failing.reset();
    scheduler_.Advance(seconds(3));
    std::vector<std::string> kinds;
    const auto events = journal.Read(TableId("t"), 0, 1000);
    for (const StoredEvent& event : *events) kinds.emplace_back(*EventKindName(event.event.kind));
    EXPECT_THAT(kinds, ElementsAre("opened", "gap", "closed"));
    EXPECT_EQ(Lost(journal.Payloads(TableId("t"), EventKind::kGap).front()), 2);
    EXPECT_EQ(scheduler_.timers(), 0u);
  }
}

TEST_F(TranscriptTest, ATableThatNeverCameOntoTheDiskIsWrittenWithItsEnd) {
  journal_.failing = kFull;
  {
    Transcript transcript(journal_, scheduler_, TableId("t"));
    transcript.Add(EventKind::kOpened, "{}");
    scheduler_.Run();
    transcript.Add(EventKind::kClosed, "{}");
  }
  scheduler_.Advance(seconds(3));
  journal_.failing.reset();
  scheduler_.Advance(seconds(1));
  EXPECT_THAT(Kinds(), ElementsAre("opened", "gap", "closed"));
}

TEST_F(TranscriptTest, WhoIsFencedDoesNotInsistOnTheEnd) {
  {
    Transcript transcript(journal_, scheduler_, TableId("t"));
    transcript.Add(EventKind::kOpened, "{}");
    scheduler_.Run();
    journal_.Append(TableId("t"), 1, {{EventKind::kNote, scheduler_.clock().Now(), "another's"}}, scheduler_, nullptr);
    transcript.Add(EventKind::kClosed, "{}");
  }
  scheduler_.Advance(seconds(10));
  EXPECT_THAT(Kinds(), ElementsAre("opened", "note"));
  EXPECT_EQ(scheduler_.timers(), 0u);
}

TEST_F(TranscriptTest, WhatDoesNotEndIsLeftOpen) {
  {
    Transcript transcript(journal_, scheduler_, TableId("t"));
    transcript.Add(EventKind::kOpened, "{}");
    scheduler_.Run();
    journal_.failing = kFull;
    transcript.Add(EventKind::kNote, "lost");
    scheduler_.Run();
  }
  EXPECT_EQ(scheduler_.timers(), 0u) << "another process goes on with it";
}

TEST_F(TranscriptTest, ARecordGathersWhileItsAppendsAreNotAnswered) {
  SlowJournal slow;
  Transcript transcript(slow, scheduler_, TableId("t"), std::shared_ptr<const Payer>());
  std::string reason;
  transcript.OnGap([&](const std::string& why) { reason = why; });
  transcript.Add(EventKind::kOpened, "{}");
  for (Seq seq = 2; seq <= 500; ++seq) {
    EXPECT_EQ(transcript.Add(EventKind::kNote, "x"), seq);
    scheduler_.Run();
  }
  EXPECT_EQ(slow.appends, 64u);
  slow.answers.Run();
  EXPECT_EQ(slow.appends, 65u) << "an answer makes room";
  EXPECT_EQ(slow.kept.Read(TableId("t"), 0, 1000)->size(), 500u);

  // Much does not wait, but not without end either.
  std::int64_t lost = 0;
  for (int i = 0; i < 1100; ++i) {
    if (transcript.Add(EventKind::kReceived, std::string(64u << 10, 'x')) == 0) ++lost;
    scheduler_.Run();
  }
  EXPECT_GT(lost, 50);
  EXPECT_LT(lost, 150);
  EXPECT_THAT(reason, HasSubstr("the journal is too slow"));
  const std::size_t appends = slow.appends;
  scheduler_.Advance(seconds(5));
  EXPECT_EQ(slow.appends, appends);
  slow.answers.Run();
  scheduler_.Advance(seconds(1));
  EXPECT_EQ(Lost(slow.kept.Payloads(TableId("t"), EventKind::kGap).front()), lost);
  slow.answers.Run();
  EXPECT_NE(transcript.Add(EventKind::kNote, "x"), 0u);
}

TEST_F(TranscriptTest, ARecordIsThinnedToItsRate) {
  Metrics metrics;
  Budget budget(Loopback({.journal_bytes = {.per_second = 1000, .burst = 3000}}), &metrics);
  Transcript transcript(journal_, scheduler_, TableId("t"), budget.PayerOf("127.0.0.1", Instant()));
  transcript.Add(EventKind::kOpened, "{}");
  int kept = 0;
  for (int i = 0; i < 100; ++i) kept += transcript.Add(EventKind::kReceived, std::string(984, 'x')) != 0 ? 1 : 0;
  EXPECT_EQ(kept, 3);
  EXPECT_THAT(metrics.Text(), HasSubstr(R"(openseat_refused_total{budget="journal_bytes_per_second"} 1)"));
  // One may be larger than the refill of a second.
  scheduler_.Advance(seconds(1));
  EXPECT_NE(transcript.Add(EventKind::kReceived, std::string(5000, 'x')), 0u);
  EXPECT_EQ(transcript.Add(EventKind::kReceived, "x"), 0u);
  scheduler_.Advance(seconds(4));
  EXPECT_EQ(transcript.Add(EventKind::kReceived, "x"), 0u);
  scheduler_.Advance(seconds(60));
  EXPECT_NE(transcript.Add(EventKind::kReceived, "x"), 0u);
  scheduler_.Run();
  EXPECT_THAT(Kinds(), ElementsAre("opened", "received", "received", "received", "gap", "received", "gap", "received"));
  EXPECT_EQ(Lost(journal_.Payloads(TableId("t"), EventKind::kGap).front()), 97);
}

}  // namespace
}  // namespace openseat
