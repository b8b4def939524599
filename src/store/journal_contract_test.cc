// The Journal contract, tested on SQLite and on NATS JetStream.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "store/journal_format.h"
#include "store/journal_test_support.h"
#include "store/nats_journal.h"
#include "store/nats_test_server.h"
#include "store/sqlite_journal.h"

namespace openseat::store {
namespace {

using ::testing::ElementsAre;

enum class JournalKind : std::uint8_t { kSqlite, kNats };

class JournalContract : public ::testing::TestWithParam<JournalKind> {
 protected:
  void SetUp() override {
    if (GetParam() == JournalKind::kNats && !NatsTestServer::installed()) GTEST_SKIP() << NatsTestServer::kMissing;
  }

  // The test's journal, to be written.
  std::unique_ptr<Journal> Open() {
    if (GetParam() == JournalKind::kSqlite) return MustOpen(directory_.File("openseat.db"));
    return MustOpenNats(NatsTestServer::Shared(), cluster_);
  }

 private:
  const TemporaryDirectory directory_;
  const std::string cluster_ = NatsTestServer::NewCluster();
};

INSTANTIATE_TEST_SUITE_P(All, JournalContract, ::testing::Values(JournalKind::kSqlite, JournalKind::kNats),
                         [](const auto& entry) { return entry.param == JournalKind::kSqlite ? "Sqlite" : "Nats"; });

TEST_P(JournalContract, ReturnsWhatWasAppended) {
  const auto journal = Open();
  EXPECT_EQ(AppendNow(*journal, "a", 0, Opened("first", 1)), Seq{1});
  std::vector<Event> more = Note("second", 2);
  more.push_back(MakeEvent(EventKind::kReceived, "third", 3));
  EXPECT_EQ(AppendNow(*journal, "a", 1, std::move(more)), Seq{3});

  const auto events = journal->Read(TableId("a"), 0, kAll);
  ASSERT_TRUE(events) << events.error().message;
  EXPECT_THAT(Payloads(events), ElementsAre("first", "second", "third"));
  EXPECT_EQ(events->at(2).seq, 3u);
  EXPECT_EQ(events->at(2).event.kind, EventKind::kReceived);
  EXPECT_EQ(events->at(2).event.time, Time(Duration(3)));
}

TEST_P(JournalContract, GoesOnWhereItEnded) {
  EXPECT_EQ(AppendNow(*Open(), "a", 0, Opened("one")), Seq{1});
  const auto journal = Open();
  EXPECT_EQ(AppendNow(*journal, "a", 0, Opened("other")).error().code, ErrorCode::kConflict);
  EXPECT_EQ(AppendNow(*journal, "a", 1, Note("two")), Seq{2});
  EXPECT_THAT(Payloads(journal->Read(TableId("a"), 0, kAll)), ElementsAre("one", "two"));
}

TEST_P(JournalContract, ReadIncludesWhatIsNotDurableYet) {
  MailboxScheduler scheduler;
  const auto journal = Open();
  journal->Append(TableId("a"), 0, Opened("1"), scheduler, {});
  for (Seq seq = 1; seq < 500; ++seq) {
    journal->Append(TableId("a"), seq, Note(std::to_string(seq + 1)), scheduler, {});
    if (seq % 50 == 0) {
      EXPECT_EQ(journal->Read(TableId("a"), 0, kAll)->size(), seq + 1);
    }
  }
}

TEST_P(JournalContract, AnUnknownTableIsNotFound) {
  const auto journal = Open();
  EXPECT_EQ(journal->Read(TableId("a"), 0, 1).error(), (Error{ErrorCode::kNotFound, "there is no table \"a\"", ""}));
}

TEST_P(JournalContract, ListsTablesNewestFirst) {
  const auto journal = Open();
  ASSERT_TRUE(AppendNow(*journal, "b", 0, Opened("of b", 10)));
  ASSERT_TRUE(AppendNow(*journal, "a", 0, Opened("of a", 20)));
  ASSERT_TRUE(AppendNow(*journal, "c", 0, Opened("of c", 30)));
  ASSERT_TRUE(AppendNow(*journal, "b", 1, Closed(40)));

  const auto tables = journal->Tables(kAll);
  ASSERT_TRUE(tables) << tables.error().message;
  ASSERT_EQ(tables->size(), 3u);
  EXPECT_EQ(tables->at(0).id.str(), "c");
  EXPECT_EQ(tables->at(1).id.str(), "a");
  EXPECT_EQ(tables->at(2).id.str(), "b");
  EXPECT_EQ(tables->at(2).opened, Time(Duration(10)));
  EXPECT_EQ(tables->at(2).opened_payload, "of b");
  EXPECT_EQ(tables->at(2).last_seq, 2u);
  EXPECT_TRUE(tables->at(2).closed);
  EXPECT_FALSE(tables->at(1).closed);
  EXPECT_EQ(journal->Tables(1)->size(), 1u);

  const auto b = journal->Find(TableId("b"));
  ASSERT_TRUE(b) << b.error().message;
  EXPECT_EQ(b->opened_payload, "of b");
  EXPECT_EQ(b->number, tables->at(2).number);
  EXPECT_TRUE(b->closed);
  EXPECT_EQ(journal->Find(TableId("d")).error().code, ErrorCode::kNotFound);
}

TEST_P(JournalContract, ListsOpenTablesOldestFirst) {
  auto journal = Open();
  const auto ids = [&journal](std::size_t limit, std::uint64_t after) {
    std::vector<std::string> out;
    const auto tables = journal->OpenTables(limit, after);
    if (!tables) return std::vector{"error: " + tables.error().message};
    for (const TableRecord& table : *tables) out.push_back(table.id.str());
    return out;
  };
  for (const char* table : {"f", "a", "e", "b", "d", "c"}) {
    ASSERT_TRUE(AppendNow(*journal, table, 0, Opened(std::string("of ") + table)));
  }
  for (const char* table : {"a", "b", "c"}) ASSERT_TRUE(AppendNow(*journal, table, 1, Closed()));
  ASSERT_TRUE(AppendNow(*journal, "short", 0, OpenedAndClosed(50)));
  EXPECT_THAT(ids(kAll, 0), ElementsAre("f", "e", "d"));

  const auto page = journal->OpenTables(2, 0);
  ASSERT_TRUE(page) << page.error().message;
  ASSERT_EQ(page->size(), 2u);
  const TableRecord& second = page->back();
  EXPECT_EQ(second.id.str(), "e");
  EXPECT_EQ(second.opened_payload, "of e");
  EXPECT_EQ(second.last_seq, 1u);
  EXPECT_FALSE(second.closed);
  EXPECT_EQ(second.number, journal->Find(TableId("e"))->number);
  EXPECT_THAT(ids(2, second.number), ElementsAre("d"));
  EXPECT_THAT(ids(2, journal->Find(TableId("d"))->number), ElementsAre());

  // Nothing prevents a writer from continuing after the end of a table.
  ASSERT_TRUE(AppendNow(*journal, "f", 1, Closed()));
  ASSERT_TRUE(AppendNow(*journal, "b", 2, Note("goes on")));
  ASSERT_TRUE(AppendNow(*journal, "d", 1, Note("goes on")));
  EXPECT_THAT(ids(kAll, 0), ElementsAre("e", "b", "d"));
  journal.reset();
  journal = Open();
  EXPECT_THAT(ids(kAll, 0), ElementsAre("e", "b", "d"));
}

TEST_P(JournalContract, OfTwoWritersWithTheSameExpectationOneSucceeds) {
  const auto journal = Open();
  ASSERT_TRUE(AppendNow(*journal, "a", 0, Opened()));
  MailboxScheduler scheduler;
  std::vector<Result<Seq>> results;
  const auto keep = [&results](Result<Seq> result) { results.push_back(std::move(result)); };
  journal->Append(TableId("a"), 1, Note("left"), scheduler, keep);
  journal->Append(TableId("a"), 1, Note("right"), scheduler, keep);
  // Counted on the first one's success, and that on the second's.
  journal->Append(TableId("a"), 2, Note("after left"), scheduler, keep);
  journal->Append(TableId("a"), 4, Note("after nothing"), scheduler, keep);
  while (results.size() < 4) scheduler.RunSome();
  EXPECT_EQ(results[0], Seq{2});
  EXPECT_EQ(results[1].error(), (Error{ErrorCode::kConflict, "table \"a\" has 2 events, not 1", ""}));
  EXPECT_EQ(results[2], Seq{3});
  EXPECT_EQ(results[3].error().code, ErrorCode::kConflict);
  EXPECT_THAT(Payloads(journal->Read(TableId("a"), 1, kAll)), ElementsAre("left", "after left"));
}

TEST_P(JournalContract, RefusesWhatCannotBeRecorded) {
  const auto journal = Open();
  EXPECT_EQ(AppendNow(*journal, "a", 0, Note("not opened")).error().code, ErrorCode::kInvalid);
  EXPECT_EQ(AppendNow(*journal, "", 0, Opened()).error().code, ErrorCode::kInvalid);
  EXPECT_EQ(AppendNow(*journal, std::string(256, 'a'), 0, Opened()).error().code, ErrorCode::kInvalid);
  EXPECT_EQ(AppendNow(*journal, "a", 0, Opened(std::string(kMaxPayloadBytes + 1, 'x'))).error().code,
            ErrorCode::kTooLarge);
  EXPECT_EQ(AppendNow(*journal, "a", 3, Note("no such table")).error().code, ErrorCode::kConflict);
  EXPECT_TRUE(journal->Tables(kAll)->empty());
  EXPECT_TRUE(journal->Flush());
}

TEST_P(JournalContract, AnAppendOfNothingComparesTheExpectation) {
  const auto journal = Open();
  EXPECT_EQ(AppendNow(*journal, "a", 0, {}), Seq{0});
  ASSERT_TRUE(AppendNow(*journal, "a", 0, Opened()));
  EXPECT_EQ(AppendNow(*journal, "a", 1, {}), Seq{1});
  EXPECT_EQ(AppendNow(*journal, "a", 0, {}).error().code, ErrorCode::kConflict);
}

TEST_P(JournalContract, TakesAppendsAndReadsFromManyThreads) {
  constexpr Seq kEach = 300;
  const auto journal = Open();
  std::atomic<int> failures = 0;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&journal, &failures, thread] {
      const TableId table("table-" + std::to_string(thread));
      MailboxScheduler scheduler;
      std::size_t answers = 0;
      for (Seq seq = 0; seq < kEach; ++seq) {
        journal->Append(table, seq, seq == 0 ? Opened() : Note("x"), scheduler,
                        [&answers, &failures, seq](const Result<Seq>& result) {
                          ++answers;
                          if (result != seq + 1) ++failures;
                        });
        if (seq % 60 == 59 && journal->Read(table, seq, 10)->size() != 1) ++failures;
      }
      while (answers < kEach) scheduler.RunSome();
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(failures, 0);
  EXPECT_EQ(journal->Tables(kAll)->size(), 4u);
}

TEST_P(JournalContract, WritesWhatIsWaitingWhenItCloses) {
  MailboxScheduler scheduler;
  std::size_t answers = 0;
  {
    const auto journal = Open();
    for (Seq seq = 0; seq < 500; ++seq) {
      journal->Append(TableId("a"), seq, seq == 0 ? Opened() : Note("x"), scheduler,
                      [&answers](const Result<Seq>& result) { answers += result.has_value() ? 1 : 0; });
    }
  }
  scheduler.RunSome();
  EXPECT_EQ(answers, 500u);
  EXPECT_EQ(Open()->Read(TableId("a"), 0, kAll)->size(), 500u);
}

TEST_P(JournalContract, SaysOnlyFailuresWhereThatIsAskedFor) {
  MailboxScheduler scheduler;
  const auto journal = Open();
  std::vector<Result<Seq>> results;
  const auto keep = [&results](Result<Seq> result) { results.push_back(std::move(result)); };
  journal->Append(TableId("a"), 0, Opened(), scheduler, keep, {.failures_only = true});
  journal->Append(TableId("a"), 7, Note("x"), scheduler, keep, {.failures_only = true});
  scheduler.RunSome();
  ASSERT_EQ(results.size(), 1u);
  EXPECT_EQ(results[0].error().code, ErrorCode::kConflict);
}

TEST_P(JournalContract, WhatComesOfAnAnswerIsChargedToWhoAppended) {
  const auto anna = std::make_shared<LoopShare>();
  const auto berta = std::make_shared<LoopShare>();
  MailboxScheduler scheduler;
  const auto journal = Open();
  std::vector<LoopSharePtr> charged;
  const auto append = [&](const LoopSharePtr& share, const std::string& table) {
    const LoopBill bill(share);
    journal->Append(TableId(table), 0, Opened(), scheduler, [&](const Result<Seq>& result) {
      EXPECT_TRUE(result);
      charged.push_back(LoopBill::Current());
    });
  };
  append(anna, "a");
  append(berta, "b");
  append(nullptr, "c");
  while (charged.size() < 3) scheduler.RunSome();
  EXPECT_THAT(charged, ::testing::UnorderedElementsAre(anna, berta, nullptr));
  EXPECT_EQ(LoopBill::Current(), nullptr);
}

TEST_P(JournalContract, ReadsAnyPartOfATable) {
  // One chunk each, so that marks are used, too (journal_format.h).
  constexpr Seq kEvents = 2 * kChunksPerMark + 9;
  const auto journal = Open();
  ASSERT_TRUE(AppendNow(*journal, "a", 0, Opened("1")));
  for (Seq seq = 2; seq <= kEvents; ++seq) ASSERT_TRUE(AppendNow(*journal, "a", seq - 1, Note(std::to_string(seq))));
  for (Seq after = 0; after <= kEvents + 1; ++after) {
    for (const std::size_t limit : {std::size_t{0}, std::size_t{1}, std::size_t{5}, std::size_t{64}, kAll}) {
      const auto events = journal->Read(TableId("a"), after, limit);
      ASSERT_TRUE(events) << events.error().message;
      ASSERT_EQ(events->size(), after >= kEvents ? 0 : std::min<std::size_t>(limit, kEvents - after));
      for (std::size_t i = 0; i < events->size(); ++i) {
        ASSERT_EQ((*events)[i].seq, after + 1 + i);
        ASSERT_EQ((*events)[i].event.payload, std::to_string(after + 1 + i));
      }
    }
  }
}

TEST_P(JournalContract, KeepsLargeEventsAndMany) {
  const auto journal = Open();
  std::vector<Event> events = Opened(std::string(3 << 20, 'L'));
  for (int i = 0; i < 20'000; ++i)
    events.push_back(MakeEvent(EventKind::kNote, std::to_string(i) + std::string(100, '.')));
  EXPECT_EQ(AppendNow(*journal, "a", 0, std::move(events)), Seq{20'001});
  // They do not fit into one answer.
  std::vector<StoredEvent> read;
  std::size_t pages = 0;
  for (;; ++pages) {
    auto page = journal->Read(TableId("a"), read.size(), kAll);
    ASSERT_TRUE(page) << page.error().message;
    if (page->empty()) break;
    std::size_t bytes = 0;
    for (StoredEvent& event : *page) {
      bytes += event.event.payload.size();
      read.push_back(std::move(event));
      ASSERT_EQ(read.back().seq, read.size());
    }
    EXPECT_LE(bytes, Journal::kReadBytes);
  }
  EXPECT_EQ(pages, 2u);
  ASSERT_EQ(read.size(), 20'001u);
  EXPECT_EQ(read.front().event.payload.size(), std::size_t{3} << 20);
  EXPECT_EQ(read.back().event.payload, "19999" + std::string(100, '.'));
}

TEST_P(JournalContract, KeepsAThousandTablesApart) {
  constexpr Seq kTables = 1000;
  constexpr Seq kEach = 25;
  MailboxScheduler scheduler;
  const auto journal = Open();
  std::size_t answers = 0;
  for (Seq seq = 0; seq < kEach; ++seq) {
    for (Seq table = 0; table < kTables; ++table) {
      std::string payload = std::to_string(table) + "/" + std::to_string(seq);
      journal->Append(TableId(std::to_string(table)), seq, seq == 0 ? Opened(payload) : Note(payload), scheduler,
                      [&answers, seq](const Result<Seq>& result) {
                        EXPECT_EQ(result, seq + 1);
                        ++answers;
                      });
    }
  }
  ASSERT_TRUE(journal->Flush());
  scheduler.RunSome();
  EXPECT_EQ(answers, kTables * kEach);
  for (Seq table = 0; table < kTables; ++table) {
    const auto events = journal->Read(TableId(std::to_string(table)), 0, kAll);
    ASSERT_TRUE(events) << events.error().message;
    ASSERT_EQ(events->size(), kEach);
    for (Seq seq = 0; seq < kEach; ++seq) {
      ASSERT_EQ((*events)[seq].event.payload, std::to_string(table) + "/" + std::to_string(seq));
    }
  }
}

}  // namespace
}  // namespace openseat::store
