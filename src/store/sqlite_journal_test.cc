#include "store/sqlite_journal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "base/log.h"
#include "store/journal_format.h"
#include "store/journal_test_support.h"
#include "store/sqlite.h"

namespace openseat::store {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::int64_t Query(const std::string& path, const char* sql) {
  auto database = Database::Open(path, Database::Mode::kReadOnly);
  return database->QueryInt(sql).value();
}

class SqliteJournalTest : public ::testing::Test {
 protected:
  const TemporaryDirectory directory_;
  const std::string path_ = directory_.File("openseat.db");
};

// What these tables contain is read in journal_contract_test.cc.

TEST_F(SqliteJournalTest, EveryCommitOfATableIsAChunkAndManyHaveMarks) {
  constexpr Seq kEvents = 2 * kChunksPerMark + 9;
  const auto journal = MustOpen(path_);
  ASSERT_TRUE(AppendNow(*journal, "a", 0, Opened("1")));
  for (Seq seq = 2; seq <= kEvents; ++seq) ASSERT_TRUE(AppendNow(*journal, "a", seq - 1, Note(std::to_string(seq))));
  ASSERT_EQ(Query(path_, "SELECT count(*) FROM chunks"), kEvents);
  ASSERT_EQ(Query(path_, "SELECT count(*) FROM marks"), 2);
}

TEST_F(SqliteJournalTest, ALargeCommitIsManyChunks) {
  const auto journal = MustOpen(path_);
  std::vector<Event> events = Opened(std::string(3 << 20, 'L'));
  for (int i = 0; i < 20'000; ++i)
    events.push_back(MakeEvent(EventKind::kNote, std::to_string(i) + std::string(100, '.')));
  EXPECT_EQ(AppendNow(*journal, "a", 0, std::move(events)), Seq{20'001});
  EXPECT_GT(Query(path_, "SELECT count(*) FROM chunks"), 5);
}

TEST_F(SqliteJournalTest, ReadsNothingOfClosedTablesToListTheOpenOnes) {
  {
    const auto journal = MustOpen(path_);
    ASSERT_TRUE(AppendNow(*journal, "ended", 0, OpenedAndClosed(1)));
    ASSERT_TRUE(AppendNow(*journal, "goes-on", 0, Opened("of goes-on")));
  }
  // The log tells of a damaged chunk that was read.
  {
    auto database = Database::Open(path_, Database::Mode::kReadWrite);
    ASSERT_TRUE(database->Execute("UPDATE chunks SET data = zeroblob(20) WHERE table_key = 1"));
  }
  const auto journal = MustOpen(path_);
  const auto said = [](const std::function<void()>& list) {
    log::Flush();
    ::testing::internal::CaptureStderr();
    list();
    log::Flush();
    return ::testing::internal::GetCapturedStderr();
  };
  Result<std::vector<TableRecord>> listed = Fail(ErrorCode::kNotFound, "");
  const std::string of_all = said([&] { listed = journal->Tables(kAll); });
  EXPECT_EQ(listed->size(), 2u);
  EXPECT_THAT(of_all, HasSubstr("table ended cannot be read"));
  const std::string of_open = said([&] { listed = journal->OpenTables(kAll, 0); });
  ASSERT_EQ(listed->size(), 1u);
  EXPECT_EQ(listed->front().opened_payload, "of goes-on");
  EXPECT_EQ(of_open, "");
}

// That of a program which made no such index. The version stays the same: such a program can still use the file.
TEST_F(SqliteJournalTest, AnEarlierFileGetsTheIndexOfOpenTables) {
  const char* const has_index = "SELECT count(*) FROM sqlite_schema WHERE name = 'open_tables'";
  {
    const auto journal = MustOpen(path_);
    ASSERT_TRUE(AppendNow(*journal, "ended", 0, OpenedAndClosed(1)));
    ASSERT_TRUE(AppendNow(*journal, "goes-on", 0, Opened()));
  }
  {
    auto database = Database::Open(path_, Database::Mode::kReadWrite);
    ASSERT_TRUE(database->Execute("DROP INDEX open_tables"));
  }
  EXPECT_EQ((*SqliteJournal::OpenReadOnly(path_))->OpenTables(kAll, 0)->size(), 1u) << "read as it is";
  EXPECT_EQ(Query(path_, has_index), 0);
  {
    const auto journal = MustOpen(path_);
    EXPECT_EQ(journal->OpenTables(kAll, 0)->size(), 1u);
    EXPECT_EQ(Query(path_, has_index), 1);
    EXPECT_EQ(Query(path_, "PRAGMA user_version"), 1);
  }
  {
    auto database = Database::Open(path_, Database::Mode::kReadWrite);
    // As such a program closes it.
    ASSERT_TRUE(database->Execute("UPDATE tables SET last_time = 7, closed = 1 WHERE id = 'goes-on'"));
  }
  EXPECT_TRUE(MustOpen(path_)->OpenTables(kAll, 0)->empty());
}

TEST_F(SqliteJournalTest, AnswersAndRowsComeByTransactionAndNotByEvent) {
  constexpr Seq kTables = 1000;
  constexpr Seq kEach = 25;
  MailboxScheduler scheduler;
  const auto journal = MustOpen(path_);
  std::size_t answers = 0;
  for (Seq seq = 0; seq < kEach; ++seq) {
    for (Seq table = 0; table < kTables; ++table) {
      journal->Append(TableId(std::to_string(table)), seq, seq == 0 ? Opened() : Note("x"), scheduler,
                      [&answers](const Result<Seq>& result) { answers += result ? 1 : 0; });
    }
  }
  ASSERT_TRUE(journal->Flush());
  scheduler.RunSome();
  EXPECT_EQ(answers, kTables * kEach);
  EXPECT_LE(scheduler.posts(), journal->stats().transactions);
  EXPECT_LE(static_cast<std::uint64_t>(Query(path_, "SELECT count(*) FROM chunks")),
            kTables * journal->stats().transactions);
  EXPECT_EQ(journal->stats().events, kTables * kEach);
}

TEST_F(SqliteJournalTest, AppendWaitsWhileTheBacklogIsFull) {
  constexpr std::size_t kLimit = 20'000;
  constexpr std::size_t kOneAppend = 2'000;
  SqliteJournalOptions options;
  options.backlog_bytes = kLimit;
  const auto journal = MustOpen(path_, options);
  MailboxScheduler scheduler;
  for (Seq seq = 0; seq < 1000; ++seq) {
    journal->Append(TableId("a"), seq, seq == 0 ? Opened() : Note(std::string(1000, 'x')), scheduler, {});
    ASSERT_LE(journal->stats().backlog_bytes, kLimit + kOneAppend);
  }
  ASSERT_TRUE(journal->Flush());
  EXPECT_EQ(journal->stats().backlog_bytes, 0u);
  EXPECT_EQ(journal->stats().events, 1000u);
}

TEST_F(SqliteJournalTest, ForgetsAClosedTable) {
  const auto journal = MustOpen(path_);
  ASSERT_TRUE(AppendNow(*journal, "a", 0, Opened("old")));
  // Several slices of garbage and some marks.
  for (Seq seq = 1; seq < 300; ++seq) ASSERT_TRUE(AppendNow(*journal, "a", seq, Note("x")));
  ASSERT_TRUE(AppendNow(*journal, "b", 0, Opened("stays")));
  EXPECT_EQ(journal->Forget(TableId("a")).error().code, ErrorCode::kConflict);
  ASSERT_TRUE(AppendNow(*journal, "a", 300, Closed()));

  EXPECT_EQ(journal->Forget(TableId("a")), std::size_t{301});
  EXPECT_EQ(journal->Forget(TableId("a")).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(journal->Read(TableId("a"), 0, kAll).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(journal->Tables(kAll)->size(), 1u);
  EXPECT_EQ(AppendNow(*journal, "a", 0, Opened("new")), Seq{1});
  EXPECT_THAT(Payloads(journal->Read(TableId("a"), 0, kAll)), ElementsAre("new"));
  EXPECT_THAT(Payloads(journal->Read(TableId("b"), 0, kAll)), ElementsAre("stays"));

  // Every command is followed by a slice.
  for (int i = 0; i < 5; ++i) EXPECT_FALSE(journal->Forget(TableId("none")));
  EXPECT_EQ(Query(path_, "SELECT count(*) FROM chunks"), 2);
  EXPECT_EQ(Query(path_, "SELECT count(*) FROM tables"), 2);
  EXPECT_EQ(Query(path_, "SELECT count(*) FROM marks WHERE table_key != 0"), 0);
}

TEST_F(SqliteJournalTest, PruneForgetsWhatIsOlderThanIsKept) {
  using std::chrono::hours;
  SqliteJournalOptions options;
  options.keep_closed = hours(24);
  const auto journal = MustOpen(path_, options);
  const std::int64_t day = Duration(hours(24)).count();
  ASSERT_TRUE(AppendNow(*journal, "old", 0, OpenedAndClosed(day)));
  ASSERT_TRUE(AppendNow(*journal, "went on", 0, Opened("", day)));
  ASSERT_TRUE(AppendNow(*journal, "went on", 1, Closed(3 * day)));
  EXPECT_EQ(journal->Prune(Time(Duration(2 * day))), std::size_t{0});
  EXPECT_EQ(journal->Prune(Time(Duration(2 * day + 1))), std::size_t{1});
  EXPECT_EQ(journal->Read(TableId("old"), 0, 1).error().code, ErrorCode::kNotFound);
  EXPECT_TRUE(journal->Read(TableId("went on"), 0, 1));
}

TEST_F(SqliteJournalTest, PruneNeverForgetsAnOpenTable) {
  SqliteJournalOptions options;
  options.keep_closed = std::chrono::seconds(1);
  const auto journal = MustOpen(path_, options);
  ASSERT_TRUE(AppendNow(*journal, "a story that rests", 0, Opened("", 1)));
  EXPECT_EQ(journal->Prune(Time::max()), std::size_t{0});
  EXPECT_EQ(AppendNow(*journal, "a story that rests", 1, Note("", 2)), Seq{2});
}

TEST_F(SqliteJournalTest, AClockThatWasSetBackMakesNoTableOlder) {
  using std::chrono::hours;
  SqliteJournalOptions options;
  options.keep_closed = hours(24);
  const std::int64_t day = Duration(hours(24)).count();
  {
    const auto journal = MustOpen(path_, options);
    ASSERT_TRUE(AppendNow(*journal, "a", 0, Opened("", 100 * day)));
    ASSERT_TRUE(AppendNow(*journal, "b", 0, Opened("", 100 * day)));
    ASSERT_TRUE(AppendNow(*journal, "a", 1, Closed(3 * day)));
  }
  const auto journal = MustOpen(path_, options);
  ASSERT_TRUE(AppendNow(*journal, "b", 1, Closed(-3 * day)));
  EXPECT_EQ(journal->Prune(Time(Duration(101 * day))), std::size_t{0});
  const auto events = journal->Read(TableId("b"), 0, kAll);
  ASSERT_EQ(events->size(), 2u);
  EXPECT_EQ(events->at(1).event.time, Time(Duration(-3 * day)));
  EXPECT_EQ(journal->Prune(Time(Duration(101 * day + 1))), std::size_t{2});
}

TEST_F(SqliteJournalTest, PruneKeepsAllByDefault) {
  const auto journal = MustOpen(path_);
  ASSERT_TRUE(AppendNow(*journal, "a", 0, OpenedAndClosed(0)));
  EXPECT_EQ(journal->Prune(Time::max()), std::size_t{0});
  EXPECT_TRUE(journal->Read(TableId("a"), 0, 1));
}

TEST_F(SqliteJournalTest, ForgetsByItselfWhileItIsOpen) {
  SqliteJournalOptions options;
  options.keep_closed = std::chrono::hours(1);
  options.prune_every = Duration(1000);
  const auto journal = MustOpen(path_, options);
  ASSERT_TRUE(AppendNow(*journal, "open", 0, Opened("", 1)));
  ASSERT_TRUE(AppendNow(*journal, "old", 0, OpenedAndClosed(1)));
  while (journal->Tables(kAll)->size() != 1) {
  }
  EXPECT_TRUE(journal->Read(TableId("open"), 0, 1));
}

TEST_F(SqliteJournalTest, GivesSpaceBackToTheFileSystem) {
  {
    const auto journal = MustOpen(path_);
    std::vector<Event> events = Opened();
    for (int i = 0; i < 300; ++i) events.push_back(MakeEvent(EventKind::kNote, std::string(10'000, 'x')));
    events.push_back(MakeEvent(EventKind::kClosed, "{}"));
    ASSERT_TRUE(AppendNow(*journal, "a", 0, std::move(events)));
    ASSERT_TRUE(AppendNow(*journal, "b", 0, Opened()));
    ASSERT_EQ(journal->Forget(TableId("a")), std::size_t{302});
    while (Query(path_, "PRAGMA page_count") > 20) {
    }
  }
  EXPECT_LT(std::filesystem::file_size(path_), 400'000u);
  EXPECT_EQ(MustOpen(path_)->Read(TableId("b"), 0, kAll)->size(), 1u);
}

TEST_F(SqliteJournalTest, CountsForOperators) {
  Metrics metrics;
  SqliteJournalOptions options;
  options.metrics = &metrics;
  const auto journal = MustOpen(path_, options);
  ASSERT_TRUE(AppendNow(*journal, "a", 0, Opened()));
  ASSERT_TRUE(AppendNow(*journal, "b", 0, Opened()));
  ASSERT_TRUE(AppendNow(*journal, "b", 1, Closed()));
  const std::string text = metrics.Text();
  EXPECT_THAT(text, HasSubstr("openseat_journal_commit_seconds_count 3"));
  EXPECT_THAT(text, HasSubstr("openseat_journal_events_total 3"));
  EXPECT_THAT(text, HasSubstr(R"(openseat_journal_tables{state="open"} 1)"));
  EXPECT_THAT(text, HasSubstr(R"(openseat_journal_tables{state="closed"} 1)"));
  EXPECT_THAT(text, HasSubstr("openseat_journal_writable 1"));
  EXPECT_THAT(text, ::testing::ContainsRegex("openseat_journal_bytes [1-9]"));
}

}  // namespace
}  // namespace openseat::store
