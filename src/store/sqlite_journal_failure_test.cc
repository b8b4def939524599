// What a SqliteJournal does when a file is not what it should be, or the disk says no.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>
#include <fstream>
#include <limits>

#include "store/journal_format.h"
#include "store/journal_test_support.h"
#include "store/sqlite.h"

namespace openseat::store {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class SqliteJournalFailureTest : public ::testing::Test {
 protected:
  // The error of opening the file, which must be one.
  Error OpenError() {
    const auto journal = SqliteJournal::Open(path_);
    EXPECT_FALSE(journal);
    return journal ? Error{} : journal.error();
  }
  // What another program would do to the file. REQUIRES that no journal has it open.
  void Edit(const std::string& sql) {
    auto database = Database::Open(path_, Database::Mode::kReadWrite);
    ASSERT_TRUE(database);
    const auto done = database->Execute(sql.c_str());
    ASSERT_TRUE(done) << done.error().message;
  }
  void WriteFile(const std::string& text) { std::ofstream(path_) << text; }

  const TemporaryDirectory directory_;
  const std::string path_ = directory_.File("openseat.db");
};

TEST_F(SqliteJournalFailureTest, OnlyTheOwnerMayReadTheFiles) {
  const auto journal = MustOpen(path_);
  for (const char* suffix : {"", "-wal", "-shm", ".lock"}) {
    struct stat status;
    ASSERT_EQ(stat((path_ + suffix).c_str(), &status), 0) << suffix;
    EXPECT_EQ(status.st_mode & 0777, 0600u) << suffix;
  }
}

TEST_F(SqliteJournalFailureTest, RefusesASecondWriter) {
  {
    const auto journal = MustOpen(path_);
    const Error error = OpenError();
    EXPECT_EQ(error.code, ErrorCode::kConflict);
    EXPECT_THAT(error.message, HasSubstr("is held by another openseat (process " + std::to_string(getpid()) + ")"));
    EXPECT_TRUE(AppendNow(*journal, "a", 0, Opened()));
  }
  EXPECT_TRUE(SqliteJournal::Open(path_));
}

TEST_F(SqliteJournalFailureTest, ReadsBesideTheWriterAndWithoutOne) {
  {
    const auto journal = MustOpen(path_);
    ASSERT_TRUE(AppendNow(*journal, "a", 0, Opened("1")));
    auto reader = SqliteJournal::OpenReadOnly(path_);
    ASSERT_TRUE(reader) << reader.error().message;
    EXPECT_EQ((*reader)->Read(TableId("a"), 0, kAll)->size(), 1u);
    ASSERT_TRUE(AppendNow(*journal, "a", 1, Note("2")));
    EXPECT_EQ((*reader)->Read(TableId("a"), 0, kAll)->size(), 2u);
    EXPECT_EQ((*reader)->Tables(kAll)->size(), 1u);
    EXPECT_EQ(AppendNow(**reader, "a", 2, Note("3")).error().code, ErrorCode::kDenied);
    EXPECT_TRUE((*reader)->Flush());
  }
  auto reader = SqliteJournal::OpenReadOnly(path_);
  ASSERT_TRUE(reader) << reader.error().message;
  EXPECT_EQ((*reader)->Read(TableId("a"), 0, kAll)->size(), 2u);
  EXPECT_TRUE(SqliteJournal::Open(path_));
}

TEST_F(SqliteJournalFailureTest, SaysWhyAFileCannotBeOpened) {
  EXPECT_EQ(SqliteJournal::OpenReadOnly(path_).error().code, ErrorCode::kNotFound);

  WriteFile("This is no database, but a text that is long enough to have a header of one hundred bytes, and more. " +
            std::string(1000, '.'));
  EXPECT_EQ(OpenError(), (Error{ErrorCode::kInvalid, "\"" + path_ + "\" is not an SQLite database", path_}));
  EXPECT_EQ(SqliteJournal::OpenReadOnly(path_).error().code, ErrorCode::kInvalid);

  std::filesystem::remove(path_);
  std::filesystem::create_directory(path_);
  EXPECT_EQ(OpenError().code, ErrorCode::kInvalid);
  EXPECT_THAT(OpenError().message, HasSubstr("should be a file and is a directory"));
  EXPECT_EQ(SqliteJournal::OpenReadOnly(path_).error().code, ErrorCode::kInvalid);

  const Error missing = SqliteJournal::Open(directory_.File("none/openseat.db")).error();
  EXPECT_EQ(missing.code, ErrorCode::kIo);
  EXPECT_THAT(missing.message, HasSubstr("No such file or directory"));
}

TEST_F(SqliteJournalFailureTest, RefusesTheDatabaseOfAnotherProgram) {
  WriteFile("");
  Edit("CREATE TABLE recipes(name TEXT)");
  EXPECT_EQ(OpenError().code, ErrorCode::kInvalid);
  EXPECT_THAT(OpenError().message, HasSubstr("is an SQLite database of another program"));
}

TEST_F(SqliteJournalFailureTest, RefusesAFileOfALaterVersion) {
  MustOpen(path_).reset();
  Edit("PRAGMA user_version = 2");
  EXPECT_EQ(OpenError().code, ErrorCode::kUnsupported);
  EXPECT_THAT(OpenError().message, HasSubstr("has version 2; this program knows up to version 1"));
  EXPECT_EQ(SqliteJournal::OpenReadOnly(path_).error().code, ErrorCode::kUnsupported);
}

TEST_F(SqliteJournalFailureTest, AnEmptyFileBecomesAJournal) {
  WriteFile("");
  EXPECT_EQ(SqliteJournal::OpenReadOnly(path_).error().code, ErrorCode::kInvalid);
  EXPECT_TRUE(AppendNow(*MustOpen(path_), "a", 0, Opened()));
}

TEST_F(SqliteJournalFailureTest, FindsEveryDamageToAChain) {
  const char* const damages[] = {
      // torn: the end of a chunk is zeros; cut short; edited
      "UPDATE chunks SET data = CAST(substr(data, 1, 20) || zeroblob(length(data) - 20) AS BLOB) WHERE id = 3",
      "UPDATE chunks SET data = substr(data, 1, length(data) - 1) WHERE id = 3",
      "UPDATE chunks SET data = CAST(replace(CAST(data AS TEXT), 'three', 'THREE') AS BLOB) WHERE id = 3",
      // gone, of another table, renumbered, swapped, chained wrongly
      "DELETE FROM chunks WHERE id = 3", "UPDATE chunks SET table_key = 2 WHERE id = 3",
      "UPDATE chunks SET first_seq = 4 WHERE id = 3", "UPDATE chunks SET count = 2 WHERE id = 3",
      "UPDATE chunks SET count = -1 WHERE id = 3", "UPDATE chunks SET count = 0, first_seq = 4 WHERE id = 3",
      "UPDATE chunks SET data = (SELECT data FROM chunks WHERE id = 2) WHERE id = 3",
      "UPDATE chunks SET prev = 2 WHERE id = 4", "UPDATE chunks SET prev = 4 WHERE id = 4",
      "UPDATE tables SET last_chunk = 2 WHERE key = 1", "UPDATE tables SET last_seq = 9 WHERE key = 1"};
  for (const char* damage : damages) {
    for (const char* suffix : {"", "-wal", "-shm"}) std::filesystem::remove(path_ + suffix);
    {
      const auto journal = MustOpen(path_);
      ASSERT_TRUE(AppendNow(*journal, "a", 0, Opened("this is event one")));
      ASSERT_TRUE(AppendNow(*journal, "a", 1, Note("this is event two")));
      ASSERT_TRUE(AppendNow(*journal, "a", 2, Note("this is event three")));
      ASSERT_TRUE(AppendNow(*journal, "a", 3, Note("this is event four")));
      ASSERT_TRUE(AppendNow(*journal, "b", 0, Opened("another")));
    }
    Edit(damage);
    const auto journal = MustOpen(path_);
    const auto events = journal->Read(TableId("a"), 0, kAll);
    ASSERT_FALSE(events) << damage;
    EXPECT_EQ(events.error().code, ErrorCode::kParse) << damage;
    EXPECT_THAT(events.error().message, HasSubstr("the journal of table \"a\" is damaged: ")) << damage;
    EXPECT_EQ(journal->Read(TableId("b"), 0, kAll)->size(), 1u) << damage;
    EXPECT_EQ(journal->Tables(kAll)->size(), 2u) << damage;
  }
}

TEST_F(SqliteJournalFailureTest, ListsATableWhoseFirstChunkIsDamaged) {
  ASSERT_TRUE(AppendNow(*MustOpen(path_), "a", 0, Opened("payload")));
  Edit("UPDATE chunks SET data = zeroblob(20)");
  const auto tables = MustOpen(path_)->Tables(kAll);
  ASSERT_TRUE(tables) << tables.error().message;
  ASSERT_EQ(tables->size(), 1u);
  EXPECT_EQ(tables->front().last_seq, 1u);
  EXPECT_EQ(tables->front().opened_payload, "");
}

TEST_F(SqliteJournalFailureTest, AFullFileFailsClearlyAndRecoversWithSpace) {
  SqliteJournalOptions options;
  options.max_bytes = std::uint64_t{1} << 20;
  const auto journal = MustOpen(path_, options);
  std::vector<Event> events = Opened();
  events.push_back(MakeEvent(EventKind::kNote, std::string(400'000, 'x')));
  events.push_back(MakeEvent(EventKind::kClosed, "{}"));
  ASSERT_TRUE(AppendNow(*journal, "to forget", 0, std::move(events)));
  ASSERT_TRUE(AppendNow(*journal, "a", 0, Opened()));
  Seq head = 1;
  Result<Seq> result = head;
  while ((result = AppendNow(*journal, "a", head, Note(std::string(50'000, 'y'))))) ++head;
  EXPECT_EQ(result.error().code, ErrorCode::kIo);
  EXPECT_THAT(result.error().message, HasSubstr("database or disk is full"));

  // All that was acknowledged is there, and no more; what was not can be tried again, and fails the same way.
  EXPECT_EQ(journal->Read(TableId("a"), 0, kAll)->size(), head);
  EXPECT_EQ(AppendNow(*journal, "a", head, Note(std::string(50'000, 'y'))).error().code, ErrorCode::kIo);
  EXPECT_EQ(AppendNow(*journal, "a", head + 1, Note("after what failed")).error().code, ErrorCode::kConflict);
  MailboxScheduler scheduler;
  journal->Append(TableId("a"), head, Note(std::string(50'000, 'y')), scheduler, {});
  EXPECT_EQ(journal->Flush().error().code, ErrorCode::kIo);  // tells of failures since the last one
  EXPECT_TRUE(journal->Flush());
  EXPECT_EQ(journal->stats().failures, 3u);

  ASSERT_EQ(journal->Forget(TableId("to forget")), std::size_t{3});
  EXPECT_FALSE(journal->Forget(TableId("none")));  // a slice of garbage was collected when this returns
  EXPECT_EQ(AppendNow(*journal, "a", head, Note(std::string(50'000, 'y'))), head + 1);
  EXPECT_EQ(journal->Read(TableId("a"), 0, kAll)->size(), head + 1);
}

TEST_F(SqliteJournalFailureTest, AFailingWriteLosesNothingThatWasAcknowledged) {
  // A limit on the size of files, which the write-ahead log runs into.
  struct rlimit before;
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto signal_before = std::signal(SIGXFSZ, SIG_IGN);
  Seq head = 1;
  {
    const auto journal = MustOpen(path_);
    ASSERT_TRUE(AppendNow(*journal, "a", 0, Opened()));
    struct rlimit tight = before;
    tight.rlim_cur = 200'000;
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &tight), 0);
    Result<Seq> result = head;
    while ((result = AppendNow(*journal, "a", head, Note(std::string(30'000, 'y'))))) ++head;
    EXPECT_EQ(result.error().code, ErrorCode::kIo);
    EXPECT_EQ(journal->Read(TableId("a"), 0, kAll)->size(), head);
    EXPECT_EQ(AppendNow(*journal, "a", head, Note(std::string(300'000, 'y'))).error().code, ErrorCode::kIo);

    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
    EXPECT_EQ(AppendNow(*journal, "a", head, Note("again")), head + 1);
  }
  std::signal(SIGXFSZ, signal_before);
  EXPECT_EQ(MustOpen(path_)->Read(TableId("a"), 0, kAll)->size(), head + 1);
}

}  // namespace
}  // namespace openseat::store
