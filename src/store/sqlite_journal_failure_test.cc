// SqliteJournal with invalid files and failing disks.
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
  // The error of opening the file, which must fail.
  Error OpenError() {
    const auto journal = SqliteJournal::Open(path_);
    EXPECT_FALSE(journal);
    return journal ? Error{} : journal.error();
  }
  // What another program could do to the file. REQUIRES that no journal has it open.
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
  for (const char* suffix : {"", "-wal", "-shm", ".lock", ".mark"}) {
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
    EXPECT_THAT(error.message, HasSubstr("is locked by another openseat (process " + std::to_string(getpid()) + ")"));
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

  WriteFile("This is not a database, but a text that is long enough for a header of one hundred bytes, and more. " +
            std::string(1000, '.'));
  EXPECT_EQ(OpenError(), (Error{ErrorCode::kInvalid, "\"" + path_ + "\" is not an SQLite database", path_}));
  EXPECT_EQ(SqliteJournal::OpenReadOnly(path_).error().code, ErrorCode::kInvalid);

  std::filesystem::remove(path_);
  std::filesystem::create_directory(path_);
  EXPECT_EQ(OpenError().code, ErrorCode::kInvalid);
  EXPECT_THAT(OpenError().message, HasSubstr("must be a file, but it is a directory"));
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
  EXPECT_THAT(OpenError().message, HasSubstr("has version 2; this program supports up to version 1"));
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
      // missing, of another table, renumbered, swapped, wrongly linked
      "DELETE FROM chunks WHERE id = 3", "UPDATE chunks SET table_key = 2 WHERE id = 3",
      "UPDATE chunks SET first_seq = 4 WHERE id = 3", "UPDATE chunks SET count = 2 WHERE id = 3",
      "UPDATE chunks SET count = -1 WHERE id = 3", "UPDATE chunks SET count = 0, first_seq = 4 WHERE id = 3",
      "UPDATE chunks SET data = (SELECT data FROM chunks WHERE id = 2) WHERE id = 3",
      "UPDATE chunks SET prev = 2 WHERE id = 4", "UPDATE chunks SET prev = 4 WHERE id = 4",
      "UPDATE tables SET last_chunk = 2 WHERE key = 1", "UPDATE tables SET last_seq = 9 WHERE key = 1"};
  for (const char* damage : damages) {
    for (const char* suffix : {"", "-wal", "-shm", ".mark"}) std::filesystem::remove(path_ + suffix);
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
  options.room.max_bytes = std::uint64_t{1} << 20;
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
  EXPECT_THAT(result.error().message, HasSubstr("has reached its limit of 1048576 bytes ([journal] max_bytes)"));
  EXPECT_EQ(journal->Writable().error(), result.error());

  // Everything acknowledged is there, and no more; the rest can be retried, and fails the same way.
  EXPECT_EQ(journal->Read(TableId("a"), 0, kAll)->size(), head);
  EXPECT_EQ(AppendNow(*journal, "a", head, Note(std::string(50'000, 'y'))).error().code, ErrorCode::kIo);
  EXPECT_EQ(AppendNow(*journal, "a", head + 1, Note("after what failed")).error().code, ErrorCode::kConflict);
  MailboxScheduler scheduler;
  journal->Append(TableId("a"), head, Note(std::string(50'000, 'y')), scheduler, {});
  EXPECT_EQ(journal->Flush().error().code, ErrorCode::kIo);  // reports failures since the last Flush
  EXPECT_TRUE(journal->Flush());
  EXPECT_EQ(journal->stats().failures, 3u);

  ASSERT_EQ(journal->Forget(TableId("to forget")), std::size_t{3});
  // Garbage is collected in slices, and the file measured again, along with appends.
  while (!(result = AppendNow(*journal, "a", head, Note(std::string(50'000, 'y'))))) {
    ASSERT_EQ(result.error().code, ErrorCode::kIo);
  }
  EXPECT_EQ(result, head + 1);
  EXPECT_EQ(journal->Read(TableId("a"), 0, kAll)->size(), head + 1);
  while (!journal->Writable()) ASSERT_TRUE(AppendNow(*journal, "a", ++head, Note("")));
}

TEST_F(SqliteJournalFailureTest, RecordingsLeaveAReserveToHostedMatches) {
  Metrics metrics;
  SqliteJournalOptions options;
  options.room = {.max_bytes = std::uint64_t{1} << 20, .reserve_bytes = std::uint64_t{1} << 19};
  options.metrics = &metrics;
  const auto journal = MustOpen(path_, options);
  constexpr AppendTerms kRecording{.expendable = true};
  ASSERT_TRUE(AppendNow(*journal, "game", 0, Opened(), kRecording));
  ASSERT_TRUE(AppendNow(*journal, "match", 0, Opened()));
  Seq head = 1;
  Result<Seq> result = head;
  while ((result = AppendNow(*journal, "game", head, Note(std::string(20'000, 'y')), kRecording))) ++head;
  EXPECT_THAT(result.error().message, HasSubstr("the rest is reserved for hosted matches"));
  EXPECT_GT(head, 10u);
  EXPECT_TRUE(journal->Writable()) << "the journal does what it should";
  EXPECT_TRUE(journal->Flush());
  for (Seq seq = 1; seq <= 10; ++seq) {
    ASSERT_TRUE(AppendNow(*journal, "match", seq, Note(std::string(20'000, 'y')))) << seq;
  }
  EXPECT_TRUE(journal->Flush());
  EXPECT_THAT(metrics.Text(), HasSubstr(R"(openseat_refused_total{budget="journal.max_bytes"} 1)"));
}

// The reserve of the default settings is larger than a small disk, on which nothing would be recorded.
TEST(JournalRoomTest, TheReserveIsAtMostAnEighthOfTheDisk) {
  constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;
  constexpr AppendTerms kRecording{.expendable = true};
  constexpr AppendTerms kFromElsewhere{.of_stranger = true};
  const JournalRoom room{.reserve_bytes = 64 * kMiB};
  JournalUse use;
  use.size = 32 * kMiB;
  use.left = 5 * kMiB;
  EXPECT_TRUE(CheckRoom(room, use, kMiB, kRecording));
  EXPECT_FALSE(CheckRoom(room, use, kMiB + 1, kRecording));
  EXPECT_TRUE(CheckRoom(room, use, 3 * kMiB, kFromElsewhere));
  EXPECT_FALSE(CheckRoom(room, use, 3 * kMiB + 1, kFromElsewhere));
  EXPECT_TRUE(CheckRoom(room, use, 5 * kMiB, {}));
  use.size = 1024 * kMiB;
  use.left = 65 * kMiB;
  EXPECT_TRUE(CheckRoom(room, use, kMiB, kRecording));
  EXPECT_FALSE(CheckRoom(room, use, kMiB + 1, kRecording));
}

TEST_F(SqliteJournalFailureTest, RecordsOnADiskThatIsSmallerThanTheReserve) {
  const std::filesystem::space_info disk = std::filesystem::space(directory_.path());
  if (disk.available < disk.capacity / 4) GTEST_SKIP() << "this disk is nearly full";
  SqliteJournalOptions options;
  options.room = {.reserve_bytes = disk.capacity};
  const Result<Seq> recorded = AppendNow(*MustOpen(path_, options), "game", 0, Opened(), {.expendable = true});
  EXPECT_TRUE(recorded) << recorded.error().message;
}

TEST_F(SqliteJournalFailureTest, MatchesOfStrangersLeaveHalfOfTheReserve) {
  SqliteJournalOptions options;
  options.room = {.max_bytes = std::uint64_t{1} << 20, .reserve_bytes = std::uint64_t{1} << 19};
  const auto journal = MustOpen(path_, options);
  // Appends until there is no room; returns how many kilobytes there were, and why there are no more.
  const auto fill = [&](const std::string& table, AppendTerms terms) {
    Seq head = 0;
    Result<Seq> result = AppendNow(*journal, table, head, Opened(), terms);
    while (result) result = AppendNow(*journal, table, ++head, Note(std::string(10'000, 'y')), terms);
    return std::pair(head * 10, result.error().message);
  };
  const auto recording = fill("game", {.expendable = true});
  EXPECT_THAT(recording.second, HasSubstr("the rest is reserved for hosted matches"));
  const auto stranger = fill("stranger", {.of_stranger = true});
  EXPECT_GT(stranger.first, 150u);
  EXPECT_THAT(stranger.second, HasSubstr("the rest is reserved for matches of this machine and the administrator"));
  const auto own = fill("own", {});
  EXPECT_GT(own.first, 150u);
  EXPECT_THAT(own.second, HasSubstr("the journal has reached its limit"));
}

TEST_F(SqliteJournalFailureTest, ARecordingThatIsTooFastForTheDiskIsRefusedInItsPlace) {
  SqliteJournalOptions options;
  options.backlog_bytes = 30'000;
  const auto journal = MustOpen(path_, options);
  MailboxScheduler scheduler;
  std::vector<Result<Seq>> results;
  constexpr std::size_t kAppends = 2000;
  for (Seq seq = 0; seq < kAppends; ++seq) {
    journal->Append(TableId("game"), seq, seq == 0 ? Opened() : Note(std::string(1000, 'x')), scheduler,
                    [&results](Result<Seq> result) { results.push_back(std::move(result)); }, {.expendable = true});
    ASSERT_LE(journal->stats().backlog_bytes, 30'000u + kAppends * 200);
  }
  while (results.size() < kAppends) scheduler.RunSome();
  // All appends up to the first refused one are there, and none after it.
  const auto refused = std::ranges::find_if(results, [](const Result<Seq>& result) { return !result; });
  const auto kept = static_cast<std::size_t>(refused - results.begin());
  EXPECT_EQ(journal->Read(TableId("game"), 0, kAll)->size(), kept);
  if (refused != results.end()) {
    EXPECT_THAT(refused->error().message, HasSubstr("too slow for the events to record"));
  }
  EXPECT_TRUE(std::all_of(refused, results.end(), [](const Result<Seq>& result) { return !result; }));
}

TEST_F(SqliteJournalFailureTest, AFailingWriteLosesNothingThatWasAcknowledged) {
  // A limit on file size, which the write-ahead log exceeds.
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

// The next start detects that acknowledged data is missing.
class SqliteJournalMarkTest : public SqliteJournalFailureTest {
 protected:
  // A journal left by a killed process: everything is in the write-ahead log.
  void SetUp() override {
    {
      const auto journal = MustOpen(path_);
      for (Seq seq = 0; seq < 20; ++seq) {
        ASSERT_TRUE(AppendNow(*journal, "a", seq, seq == 0 ? Opened() : Note(std::string(5000, 'x'))));
      }
      for (const char* suffix : {"", "-wal", ".mark"}) {
        std::filesystem::copy_file(path_ + suffix, killed_ + suffix, std::filesystem::copy_options::overwrite_existing);
      }
    }
    path_now_ = killed_;
  }
  Error Refused() {
    const auto journal = SqliteJournal::Open(path_now_);
    EXPECT_FALSE(journal);
    return journal ? Error{} : journal.error();
  }
  std::string Contents(const char* suffix) {
    std::ifstream in(path_now_ + suffix, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  const std::string killed_ = directory_.File("killed.db");
  std::string path_now_;
};

TEST_F(SqliteJournalMarkTest, AJournalThatWasKilledIsWhole) {
  EXPECT_EQ(MustOpen(path_now_)->Read(TableId("a"), 0, kAll)->size(), 20u);
}

TEST_F(SqliteJournalMarkTest, AFlippedByteInTheLogIsNoticedAndTheFilesAreLeftAsTheyAre) {
  std::string log = Contents("-wal");
  log[log.size() / 2] ^= 1;
  std::ofstream(path_now_ + "-wal", std::ios::binary) << log;
  const Error error = Refused();
  EXPECT_EQ(error.code, ErrorCode::kParse);
  EXPECT_THAT(error.message,
              testing::MatchesRegex(".*has [0-9]+ chunks of events, but by .* 20 had been acknowledged.*"));
  EXPECT_THAT(error.message, HasSubstr("to continue with what is there, delete \"" + path_now_ + ".mark\""));
  EXPECT_EQ(Contents("-wal"), log);
  EXPECT_EQ(Refused().code, ErrorCode::kParse) << "nor does a second look lose anything";
  // It continues if told to.
  std::filesystem::remove(path_now_ + ".mark");
  const auto journal = MustOpen(path_now_);
  const Seq head = journal->Read(TableId("a"), 0, kAll)->size();
  EXPECT_LT(head, 20u);
  EXPECT_EQ(AppendNow(*journal, "a", head, Note("on")), head + 1);
}

TEST_F(SqliteJournalMarkTest, ALogThatIsGoneIsNoticed) {
  std::filesystem::remove(path_now_ + "-wal");
  EXPECT_EQ(Refused().code, ErrorCode::kParse);
}

TEST_F(SqliteJournalMarkTest, AnEmptyOrMissingDatabaseIsNoticed) {
  std::ofstream(path_now_, std::ios::binary | std::ios::trunc).close();
  EXPECT_THAT(Refused().message, HasSubstr("is empty, but by "));
  std::filesystem::remove(path_now_);
  EXPECT_THAT(Refused().message, HasSubstr("is gone, but by "));
  EXPECT_FALSE(std::filesystem::exists(path_now_));
}

TEST_F(SqliteJournalMarkTest, AnOlderCopyIsNoticed) {
  {
    const auto journal = MustOpen(path_now_);
    ASSERT_TRUE(AppendNow(*journal, "a", 20, Note("newer")));
  }
  const std::string older = Contents("");
  {
    const auto journal = MustOpen(path_now_);
    ASSERT_TRUE(AppendNow(*journal, "a", 21, Note("newest")));
  }
  std::ofstream(path_now_, std::ios::binary) << older;
  EXPECT_THAT(Refused().message, HasSubstr("has 21 chunks of events, but by "));
}

TEST_F(SqliteJournalMarkTest, AMarkThatClaimsLessOrIsDamagedHoldsNobodyUp) {
  const std::string mark = Contents(".mark");
  ASSERT_EQ(mark.size(), 80u);
  ASSERT_TRUE(AppendNow(*MustOpen(path_now_), "a", 20, Note("the mark of this is lost")));
  std::ofstream(path_now_ + ".mark", std::ios::binary) << mark;
  EXPECT_EQ(MustOpen(path_now_)->Read(TableId("a"), 0, kAll)->size(), 21u);
  for (std::size_t i = 0; i < mark.size(); ++i) {
    std::string damaged = mark;
    damaged[i] ^= 1;
    std::ofstream(path_now_ + ".mark", std::ios::binary) << damaged;
    ASSERT_EQ(MustOpen(path_now_)->Read(TableId("a"), 0, kAll)->size(), 21u) << i;
  }
  for (const std::string& other : {std::string(), mark.substr(1), mark + "x"}) {
    std::ofstream(path_now_ + ".mark", std::ios::binary) << other;
    ASSERT_EQ(MustOpen(path_now_)->Read(TableId("a"), 0, kAll)->size(), 21u) << other;
  }
  ASSERT_TRUE(AppendNow(*MustOpen(path_now_), "a", 21, Note("writes it again")));
  std::filesystem::remove(path_now_);
  EXPECT_THAT(Refused().message, HasSubstr(" 22 had been acknowledged"));
}

}  // namespace
}  // namespace openseat::store
