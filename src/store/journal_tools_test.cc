#include "store/journal_tools.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "base/clock.h"
#include "store/journal_format.h"
#include "store/journal_test_support.h"
#include "store/registry_database.h"
#include "store/registry_format.h"

namespace openseat::store {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::int64_t kLongAgo = 1'000'000'000'000'000;

class JournalToolsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const SystemClock clock;
    ASSERT_TRUE(RegistryDatabase::Open(data_.File(kRegistryFileName), clock)->CreateAccount("ann"));
    const auto journal = MustOpen(path_);
    std::vector<Event> events = OpenedAndClosed(kLongAgo);
    for (int i = 0; i < 300; ++i) {
      events.insert(events.end() - 1, MakeEvent(EventKind::kNote, std::string(3000, 'x'), kLongAgo));
    }
    ASSERT_TRUE(AppendNow(*journal, "old", 0, std::move(events)));
    ASSERT_TRUE(AppendNow(*journal, "rests", 0, Opened("{}", kLongAgo)));
    for (Seq seq = 1; seq < 10; ++seq) ASSERT_TRUE(AppendNow(*journal, "rests", seq, Note("a note", kLongAgo)));
    ASSERT_TRUE(AppendNow(*journal, "new", 0, OpenedAndClosed(kLongAgo + 1)));
  }
  void Edit(const std::string& path, const char* sql) {
    auto database = Database::Open(path, Database::Mode::kReadWrite);
    const auto done = database->Execute(sql);
    ASSERT_TRUE(done) << done.error().message;
  }
  VerifyReport Verified(const std::string& dir) {
    Result<VerifyReport> report = Verify(dir, {});
    EXPECT_TRUE(report) << report.error().message;
    return report ? *report : VerifyReport();
  }
  std::string Dir() const { return data_.path().string(); }

  const TemporaryDirectory data_;
  const std::string path_ = data_.File(kJournalFileName);
};

TEST_F(JournalToolsTest, VerifyReadsAllAndFindsAJournalWhole) {
  std::vector<std::string> told;
  const Result<VerifyReport> report =
      Verify(Dir(), [&](std::string_view what, std::uint64_t, std::uint64_t) { told.emplace_back(what); });
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_THAT(report->findings, IsEmpty());
  EXPECT_EQ(report->tables, 3u);
  EXPECT_EQ(report->open_tables, 1u);
  EXPECT_EQ(report->events, 302u + 10u + 2u);
  EXPECT_GE(report->chunks, 12u);
  EXPECT_EQ(report->mark->last, report->chunks);
  EXPECT_THAT(told, ElementsAre("pages of the journal", "tables", "tables", "tables", "pages of the registry"));
}

TEST_F(JournalToolsTest, VerifyFindsDamage) {
  const std::pair<const char*, const char*> damages[] = {
      {"UPDATE chunks SET data = zeroblob(length(data)) WHERE table_key = 2 AND first_seq = 3",
       "table \"rests\": chunk"},
      {"DELETE FROM chunks WHERE table_key = 2 AND first_seq = 3", "is missing"},
      {"UPDATE chunks SET first_seq = 99 WHERE table_key = 2 AND first_seq = 3", "is in the wrong place"},
      {"UPDATE tables SET closed = 1 WHERE key = 2", "marked as closed"},
      {"UPDATE tables SET chunks = 7 WHERE key = 2", "does not match its chunks"},
      {"INSERT INTO chunks VALUES(99, 77, 0, 1, 1, x'00')", "chunks fewer than the file"},
      {"DELETE FROM chunks WHERE id = (SELECT max(id) FROM chunks)", "had been acknowledged"}};
  for (const auto& [sql, finding] : damages) {
    const TemporaryDirectory copy;
    ASSERT_TRUE(BackUp(Dir(), copy.path().string(), {}));
    Edit(copy.File(kJournalFileName), sql);
    const VerifyReport report = Verified(copy.path().string());
    EXPECT_THAT(report.findings, ::testing::Contains(HasSubstr(finding))) << sql;
  }
  const TemporaryDirectory empty;
  EXPECT_EQ(Verify(empty.path().string(), {}).error().code, ErrorCode::kNotFound);
  std::ofstream(empty.File(kJournalFileName))
      << "no database, but long enough to have a header: " << std::string(999, '.');
  EXPECT_THAT(Verified(empty.path().string()).findings, ElementsAre(HasSubstr("is not an SQLite database")));
  std::filesystem::remove(path_);
  EXPECT_THAT(Verified(Dir()).findings, ::testing::Contains(HasSubstr("is gone")));
}

TEST_F(JournalToolsTest, VerifyFindsADamagedPageOfTheRegistry) {
  const std::string registry = data_.File(kRegistryFileName);
  const auto size = std::filesystem::file_size(registry);
  std::fstream file(registry, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(static_cast<std::streamoff>(size - 4096));
  file << std::string(4096, '\x55');
  file.close();
  EXPECT_THAT(Verified(Dir()).findings, ::testing::Contains(HasSubstr("the registry")));
}

TEST_F(JournalToolsTest, ABackupIsWholeAndOfOneMoment) {
  const TemporaryDirectory target;
  const std::string to = (target.path() / "made" / "here").string();
  {
    // While a writer continues during the copy.
    const auto journal = MustOpen(path_);
    Seq head = 10;
    const auto copied = BackUp(Dir(), to, [&](std::string_view, std::uint64_t, std::uint64_t) {
      ASSERT_TRUE(AppendNow(*journal, "rests", head++, Note("meanwhile")));
    });
    ASSERT_TRUE(copied) << copied.error().message;
    ASSERT_EQ(copied->size(), 2u);
    EXPECT_GT(copied->at(0).bytes, 0u);
    EXPECT_GT(head, 10u);
  }
  const VerifyReport report = Verified(to);
  EXPECT_THAT(report.findings, IsEmpty());
  EXPECT_EQ(report.events, 314u);
  EXPECT_EQ(report.mark->last, report.chunks);
  // The copy is a usable journal, and a registry.
  EXPECT_EQ(AppendNow(*MustOpen(to + "/" + kJournalFileName), "rests", 10, Note("from the backup")), Seq{11});
  const SystemClock clock;
  EXPECT_EQ(RegistryDatabase::Open(to + "/" + kRegistryFileName, clock)->ListAccounts()->size(), 1u);
  // The next backup replaces it.
  ASSERT_TRUE(BackUp(Dir(), to, {}));
  EXPECT_THAT(Verified(to).findings, IsEmpty());
  for (const auto& entry : std::filesystem::directory_iterator(to)) {
    EXPECT_EQ(entry.status().permissions() & std::filesystem::perms(077), std::filesystem::perms::none) << entry.path();
    EXPECT_THAT(entry.path().string(), ::testing::Not(HasSubstr(".new")));
  }
}

TEST_F(JournalToolsTest, WhatDoesNotChangeIsReadWithoutFilesNextToIt) {
  const TemporaryDirectory target;
  const std::string to = (target.path() / "100%3f #1?").string();
  ASSERT_TRUE(BackUp(Dir(), to, {}));
  const std::string path = to + "/" + kJournalFileName;
  auto database = Database::Open(path, Database::Mode::kUnchanging);
  ASSERT_TRUE(database) << database.error().message;
  EXPECT_EQ(database->QueryInt("SELECT count(*) FROM tables").value(), 3);
  EXPECT_FALSE(database->Execute("DELETE FROM tables"));
  EXPECT_FALSE(std::filesystem::exists(path + "-shm"));
  EXPECT_FALSE(std::filesystem::exists(path + "-wal"));
}

TEST_F(JournalToolsTest, ABackupReplacesWhatLiesInItsWay) {
  namespace fs = std::filesystem;
  const TemporaryDirectory target;
  const std::string precious = data_.File("precious");
  std::ofstream(precious) << "precious";
  fs::create_symlink(precious, target.File("openseat.db.new"));
  fs::create_symlink(precious, target.File("openseat.db.new-journal"));
  std::ofstream(target.File("registry.db.new")) << "prepared";
  fs::permissions(target.File("registry.db.new"), fs::perms::all);
  const auto copied = BackUp(Dir(), target.path().string(), {});
  ASSERT_TRUE(copied) << copied.error().message;
  EXPECT_EQ(fs::file_size(precious), 8u);
  for (const char* file : {kJournalFileName, kRegistryFileName}) {
    EXPECT_TRUE(fs::is_regular_file(fs::symlink_status(target.File(file)))) << file;
    EXPECT_EQ(fs::status(target.File(file)).permissions(), fs::perms::owner_read | fs::perms::owner_write) << file;
  }
  EXPECT_THAT(Verified(target.path().string()).findings, IsEmpty());
}

TEST_F(JournalToolsTest, WhatRunsInADatabaseIsRefused) {
  for (const char* sql :
       {"ALTER TABLE chunks RENAME TO c; CREATE VIEW chunks AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 "
        "FROM n) SELECT i AS id FROM n",
        "CREATE TRIGGER t AFTER DELETE ON chunks BEGIN DELETE FROM tables; END",
        "CREATE VIRTUAL TABLE v USING fts5(text)"}) {
    const TemporaryDirectory copy;
    const TemporaryDirectory target;
    const std::string dir = copy.path().string();
    ASSERT_TRUE(BackUp(Dir(), dir, {}));
    Edit(copy.File(kJournalFileName), sql);
    EXPECT_THAT(Verified(dir).findings, ElementsAre(HasSubstr("has a view, a trigger"))) << sql;
    EXPECT_THAT(BackUp(dir, target.path().string(), {}).error().message, HasSubstr("has a view, a trigger")) << sql;
  }
}

TEST_F(JournalToolsTest, AMarkThatIsAPipeIsNotWaitedFor) {
  const std::string mark = path_ + kMarkSuffix;
  std::filesystem::remove(mark);
  ASSERT_EQ(mkfifo(mark.c_str(), 0600), 0);
  EXPECT_THAT(Verified(Dir()).findings, ElementsAre(HasSubstr("the mark: ")));
}

TEST_F(JournalToolsTest, ABackupDoesNotGoOverWhatIsInUse) {
  EXPECT_EQ(BackUp(Dir(), Dir(), {}).error().code, ErrorCode::kInvalid);
  const TemporaryDirectory target;
  const auto other = MustOpen(target.File(kJournalFileName));
  EXPECT_EQ(BackUp(Dir(), target.path().string(), {}).error().code, ErrorCode::kConflict);
  const TemporaryDirectory empty;
  EXPECT_EQ(BackUp(empty.path().string(), target.File("x"), {}).error().code, ErrorCode::kNotFound);
}

TEST_F(JournalToolsTest, PruneForgetsClosedTablesAndGivesTheirSpaceBack) {
  const Time before(Duration(kLongAgo + 1));
  const Result<PruneReport> trial = Prune(Dir(), before, true, {});
  ASSERT_TRUE(trial) << trial.error().message;
  EXPECT_EQ(trial->tables, 1u);
  EXPECT_EQ(trial->events, 302u);
  EXPECT_THAT(trial->names, ElementsAre(TableId("old")));
  EXPECT_EQ(Verified(Dir()).tables, 3u);

  const Result<PruneReport> done = Prune(Dir(), before, false, {});
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_EQ(done->tables, 1u);
  EXPECT_GT(done->bytes_before, 900'000u);
  EXPECT_LT(done->bytes_after, 300'000u);
  EXPECT_EQ(done->free_bytes, 0u);
  EXPECT_EQ(std::filesystem::file_size(path_), done->bytes_after);
  EXPECT_THAT(Verified(Dir()).findings, IsEmpty());
  EXPECT_EQ(Verified(Dir()).tables, 2u);

  // Nothing is left of the newest table, and its chunk ids are not reused: the next start works.
  ASSERT_TRUE(Prune(Dir(), Time::max(), false, {}));
  EXPECT_THAT(Verified(Dir()).findings, IsEmpty());
  const auto journal = MustOpen(path_);
  EXPECT_EQ(AppendNow(*journal, "rests", 10, Note("x")), Seq{11});
  EXPECT_THAT(Verified(Dir()).findings, IsEmpty());
}

TEST_F(JournalToolsTest, PruneWorksBesideTheServer) {
  const auto journal = MustOpen(path_);
  ASSERT_TRUE(AppendNow(*journal, "rests", 10, Note("x")));
  const Result<PruneReport> done = Prune(Dir(), Time::max(), false, {});
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_EQ(done->tables, 2u);
  ASSERT_TRUE(AppendNow(*journal, "rests", 11, Note("x")));
  EXPECT_EQ(journal->Tables(10)->size(), 1u);
  EXPECT_THAT(Verified(Dir()).findings, IsEmpty());
}

TEST_F(JournalToolsTest, AFileOfATimeBeforeFilesCouldShrinkIsMadeOneThatCan) {
  Edit(path_, "PRAGMA auto_vacuum = NONE; VACUUM");
  {
    const auto journal = MustOpen(path_);
    const Result<PruneReport> beside = Prune(Dir(), Time(Duration(kLongAgo + 1)), false, {});
    ASSERT_TRUE(beside) << beside.error().message;
    EXPECT_GT(beside->free_bytes, 500'000u);
  }
  const Result<PruneReport> alone = Prune(Dir(), std::nullopt, false, {});
  ASSERT_TRUE(alone) << alone.error().message;
  EXPECT_EQ(alone->free_bytes, 0u);
  EXPECT_LT(alone->bytes_after, 300'000u);
  EXPECT_EQ(Database::Open(path_, Database::Mode::kReadOnly)->QueryInt("PRAGMA auto_vacuum"), 2);
  EXPECT_THAT(Verified(Dir()).findings, IsEmpty());
}

}  // namespace
}  // namespace openseat::store
