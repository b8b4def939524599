#include "store/journal_tools.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <utility>

#include "base/clock.h"
#include "base/text.h"
#include "store/file_lock.h"
#include "store/journal_codec.h"
#include "store/journal_file.h"
#include "store/journal_format.h"
#include "store/journal_writer.h"
#include "store/mark.h"
#include "store/registry_file.h"
#include "store/registry_format.h"
#include "store/sqlite.h"

namespace openseat::store {
namespace {

constexpr int kPagesPerStep = 256;

std::uint64_t FileBytes(const std::string& path) {
  struct stat status;
  return stat(path.c_str(), &status) == 0 ? static_cast<std::uint64_t>(status.st_size) : 0;
}

Result<void> SyncPath(const std::string& path) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  const bool synced = descriptor >= 0 && fsync(descriptor) == 0;
  const int error = errno;
  if (descriptor >= 0) close(descriptor);
  if (synced) return {};
  return Fail(ErrorCode::kIo, "cannot write \"" + path + "\": " + SystemMessage(error), path);
}

// Of a former file: its log would be mistaken for that of the next one.
void RemoveLogs(const std::string& path) {
  for (const char* suffix : {"-journal", "-wal", "-shm"}) unlink((path + suffix).c_str());
}

// Copies what `source`, which has an open read transaction, shows to `path`, synced.
Result<void> CopyDatabase(Database& source, const std::string& path, std::string_view what,
                          const ToolProgress& progress) {
  // Others may write in that folder: a link of theirs is not followed, and a file of theirs would stay theirs.
  unlink(path.c_str());
  RemoveLogs(path);
  const int descriptor = open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (descriptor < 0) return Fail(ErrorCode::kIo, "cannot create \"" + path + "\": " + SystemMessage(errno), path);
  close(descriptor);
  {
    Result<Database> target = Database::Open(path, Database::Mode::kReadWrite);
    if (!target) return Fail(target.error());
    Result<void> copied = source.CopyTo(*target, kPagesPerStep, [&](std::uint64_t done, std::uint64_t total) {
      if (progress) progress(what, done, total);
    });
    if (!copied) return Fail(ErrorCode::kIo, "cannot write \"" + path + "\": " + copied.error().message, path);
  }
  return SyncPath(path);
}

// Makes the directory and those above it that are missing; it has secrets, so nobody else may look into it.
Result<void> MakeClosedDirectory(const std::string& path) {
  std::filesystem::path dir = std::filesystem::path(path).lexically_normal();
  if (!dir.has_filename()) dir = dir.parent_path();  // "backup/"
  std::error_code error;
  if (dir.has_parent_path()) std::filesystem::create_directories(dir.parent_path(), error);
  if (!error && mkdir(dir.c_str(), 0700) != 0) error = std::error_code(errno, std::generic_category());
  std::error_code ignored;
  if (!error || std::filesystem::is_directory(dir, ignored)) return {};
  return Fail(ErrorCode::kIo, "cannot create the directory " + path + ": " + error.message(), path);
}

// Writes a copy's mark, synced.
Result<void> WriteMark(const Mark& mark, Result<MarkFile> file, const std::string& path) {
  if (!file) return Fail(file.error());
  file->Write(mark);
  return SyncPath(path);
}

// Moves a finished copy to its place.
Result<void> Replace(const std::string& from, const std::string& to) {
  RemoveLogs(to);
  if (rename(from.c_str(), to.c_str()) == 0) return {};
  return Fail(ErrorCode::kIo, "cannot create \"" + to + "\": " + SystemMessage(errno), to);
}

// --- Verify ---

class Verifier {
 public:
  Verifier(VerifyReport& report, const ToolProgress& progress) : report_(report), progress_(progress) {}

  void Found(std::string what) {
    if (report_.findings.size() < VerifyReport::kMaxFindings) report_.findings.push_back(std::move(what));
  }

  // Runs SQLite's own checks and reports what they find.
  void CheckPages(Database& database, const std::string& name) {
    if (progress_) progress_("pages of the " + name, 0, 0);
    Result<Statement> check = database.Prepare("PRAGMA integrity_check(100)");
    if (!check) return Found("the " + name + " cannot be read: " + check.error().message);
    for (;;) {
      const Result<bool> row = check->Step();
      if (!row) return Found("the " + name + " cannot be read: " + row.error().message);
      if (!*row) return;
      if (check->Bytes(0) != "ok") Found("the " + name + ": " + std::string(check->Bytes(0)));
    }
  }

  Result<void> CheckTables(Database& database) {
    const std::pair<Statement*, const char*> statements[] = {
        {&next_, "SELECT key FROM tables WHERE id IS NOT NULL AND key > ?1 ORDER BY key LIMIT 1"},
        {&table_, "SELECT id, first_chunk, last_chunk, chunks, last_seq, closed FROM tables WHERE key = ?1"},
        {&chunk_, "SELECT table_key, prev, first_seq, count, data FROM chunks WHERE id = ?1"}};
    for (const auto& [statement, sql] : statements) {
      Result<Statement> prepared = database.Prepare(sql);
      if (!prepared) return Fail(prepared.error());
      *statement = std::move(*prepared);
    }
    const Result<std::int64_t> count = database.QueryInt("SELECT count(*) FROM tables WHERE id IS NOT NULL");
    if (!count) return Fail(count.error());
    std::uint64_t key = 0;
    for (;;) {
      {
        const ScopedReset reset(next_);
        next_.Bind(1, key);
        const Result<bool> row = next_.Step();
        if (!row) return Fail(row.error());
        if (!*row) return {};
        key = next_.Unsigned(0);
      }
      // One transaction per table: the writer may continue meanwhile, and its log can still be emptied.
      if (Result<void> begun = database.Execute("BEGIN"); !begun) return begun;
      Result<void> checked = CheckTable(key);
      if (Result<void> ended = database.Execute("COMMIT"); !ended) return ended;
      if (!checked) return checked;
      if (progress_) progress_("tables", report_.tables, static_cast<std::uint64_t>(*count));
    }
  }

 private:
  // Reads the table's chunks from last to first. Errors are the database's, not the table's.
  Result<void> CheckTable(std::uint64_t key) {
    std::string id;
    std::uint64_t first = 0;
    std::uint64_t at = 0;
    std::uint64_t chunks = 0;
    Seq last = 0;
    bool closed = false;
    {
      const ScopedReset reset(table_);
      table_.Bind(1, key);
      const Result<bool> row = table_.Step();
      if (!row) return Fail(row.error());
      if (!*row || table_.IsNull(0)) return {};  // deleted in the meantime
      id = std::string(table_.Bytes(0));
      first = table_.Unsigned(1);
      at = table_.Unsigned(2);
      chunks = table_.Unsigned(3);
      last = table_.Unsigned(4);
      closed = table_.Int(5) != 0;
    }
    ++report_.tables;
    if (!closed) ++report_.open_tables;
    const auto damaged = [&](const std::string& what) -> Result<void> {
      Found("table \"" + SanitizeUtf8(id) + "\": " + what);
      return {};
    };
    Seq expected = last;  // number of the last event of the next chunk
    std::uint64_t seen = 0;
    for (;;) {
      const std::string name = "chunk " + std::to_string(at);
      const ScopedReset reset(chunk_);
      chunk_.Bind(1, at);
      const Result<bool> row = chunk_.Step();
      if (!row) return Fail(row.error());
      if (!*row || chunk_.Unsigned(0) != key) return damaged(name + " is missing");
      const ChunkPlace place{key, chunk_.Unsigned(2), chunk_.Unsigned(3)};
      const std::uint64_t prev = chunk_.Unsigned(1);
      if (place.count == 0 || place.count > expected || place.first_seq != expected - place.count + 1) {
        return damaged(name + " is in the wrong place");
      }
      const Result<std::vector<Event>> events = DecodeChunk(place, chunk_.Bytes(4));
      if (!events) return damaged(name + ": " + events.error().message);
      if (expected == last && (events->back().kind == EventKind::kClosed) != closed) {
        return damaged(closed ? "it is marked as closed but is not" : "it is closed but marked as open");
      }
      ++report_.chunks;
      ++seen;
      report_.events += events->size();
      expected = place.first_seq - 1;
      if (expected == 0) break;
      // Ids ascend, so a chain cannot loop.
      if (prev == 0 || prev >= at) return damaged(name + " has a wrong link");
      at = prev;
    }
    if (at != first || seen != chunks) return damaged("its row does not match its chunks");
    return {};
  }

  VerifyReport& report_;
  const ToolProgress& progress_;
  Statement next_;
  Statement table_;
  Statement chunk_;
};

// Opens a database of which its mark's check said `whole`; nullopt if that is not possible, which is a finding. Errors:
// it cannot be opened, which says nothing about it.
Result<std::optional<Database>> OpenToVerify(const Result<void>& whole, Result<Database> database, Verifier& verifier) {
  if (!whole) {
    if (whole.error().code == ErrorCode::kIo) return Fail(whole.error());
    verifier.Found(whole.error().message);
  }
  if (!database) {
    if (database.error().code == ErrorCode::kIo) return Fail(database.error());
    // The mark's check found the same, with a better message.
    if (whole) verifier.Found(database.error().message);
    return std::optional<Database>();
  }
  database->KeepLogOnClose(true);
  return std::optional<Database>(std::move(*database));
}

Result<void> VerifyJournal(const std::string& path, Verifier& verifier) {
  const Result<void> whole = CheckJournalMark(path);
  Result<std::optional<Database>> opened = OpenToVerify(whole, OpenJournalForReading(path), verifier);
  if (!opened) return Fail(opened.error());
  std::optional<Database>& database = *opened;
  if (!database) return {};
  verifier.CheckPages(*database, "journal");
  if (Result<void> checked = verifier.CheckTables(*database); !checked) {
    verifier.Found("the journal cannot be read: " + checked.error().message);
    return {};
  }
  // Only chunks that are being deleted may be outside of any table.
  const Result<std::int64_t> stray = database->QueryInt(
      "SELECT CASE WHEN EXISTS(SELECT 1 FROM tables WHERE id IS NULL) THEN 0 ELSE (SELECT count(*) FROM chunks) - "
      "(SELECT coalesce(sum(chunks), 0) FROM tables) END");
  if (stray && *stray != 0) {
    verifier.Found("the tables have " + std::to_string(std::abs(*stray)) + " chunks " +
                   (*stray > 0 ? "fewer" : "more") + " than the file");
  }
  return {};
}

Result<void> VerifyRegistry(const std::string& path, Verifier& verifier) {
  const Result<std::optional<Mark>> mark = ReadRegistryMark(path);
  if (!mark) verifier.Found("the registry's mark: " + mark.error().message);
  std::error_code error;
  const bool claims = mark && *mark && (*mark)->last != 0;
  // A data directory from before registries has none.
  if (!claims && !std::filesystem::exists(path, error)) return {};
  const Result<void> whole = claims ? CheckRegistryMark(path) : Result<void>();
  Result<std::optional<Database>> opened = OpenToVerify(whole, OpenRegistryForReading(path), verifier);
  if (!opened) return Fail(opened.error());
  if (*opened) verifier.CheckPages(**opened, "registry");
  return {};
}

// --- Prune ---

Result<void> Collect(JournalWriter& writer, const ToolProgress& progress) {
  for (std::uint64_t done = 1;; ++done) {
    const Result<bool> more = writer.CollectGarbage();
    if (!more) return Fail(more.error());
    if (!*more) return {};
    if (progress) progress("slices of deleted data", done, 0);
  }
}

Result<void> LookForOld(Database& database, Time before, PruneReport& report) {
  Result<Statement> find = database.Prepare(
      "SELECT id, last_seq FROM tables WHERE id IS NOT NULL AND closed = 1 AND last_time < ?1 ORDER BY last_time");
  if (!find) return Fail(find.error());
  find->Bind(1, before.time_since_epoch().count());
  for (;;) {
    const Result<bool> row = find->Step();
    if (!row) return Fail(row.error());
    if (!*row) return {};
    ++report.tables;
    report.events += find->Unsigned(1);
    if (report.names.size() < PruneReport::kMaxNames) report.names.emplace_back(std::string(find->Bytes(0)));
  }
}

}  // namespace

Result<std::vector<CopiedFile>> BackUp(const std::string& data_dir, const std::string& target,
                                       const ToolProgress& progress) {
  if (Result<void> made = MakeClosedDirectory(target); !made) return Fail(made.error());
  std::error_code error;
  if (std::filesystem::equivalent(data_dir, target, error)) {
    return Fail(ErrorCode::kInvalid, "a backup needs a directory other than the data directory: " + target, target);
  }
  const std::string journal_to = target + "/" + kJournalFileName;
  const std::string registry_to = target + "/" + kRegistryFileName;
  // A server running on the backup would lose its files.
  Result<FileLock> lock = FileLock::Acquire(journal_to + ".lock");
  if (!lock) return Fail(lock.error());

  std::vector<CopiedFile> copied;
  Mark mark;
  Mark registry_mark;
  {
    Result<Database> journal = OpenJournalForReading(data_dir + "/" + kJournalFileName);
    if (!journal) return Fail(journal.error());
    // One snapshot for everything: a writer may continue.
    if (Result<void> begun = journal->Execute("BEGIN"); !begun) return Fail(begun.error());
    const Result<std::uint64_t> highest = HighestChunk(*journal);
    if (!highest) return Fail(highest.error());
    mark = {*highest, SystemClock().Now()};
    if (Result<void> done = CopyDatabase(*journal, journal_to + ".new", "journal", progress); !done) {
      return Fail(done.error());
    }
  }
  // The journal refers to webhook targets in the registry. Copied later, the registry has all of them.
  const std::string registry_from = data_dir + "/" + kRegistryFileName;
  const bool has_registry = std::filesystem::exists(registry_from, error);
  if (has_registry) {
    Result<Database> registry = OpenRegistryForReading(registry_from);
    if (!registry) return Fail(registry.error());
    if (Result<void> begun = registry->Execute("BEGIN"); !begun) return Fail(begun.error());
    const Result<std::uint64_t> changes = RegistryChanges(*registry);
    if (!changes) return Fail(changes.error());
    registry_mark = {*changes, SystemClock().Now()};
    if (Result<void> done = CopyDatabase(*registry, registry_to + ".new", "registry", progress); !done) {
      return Fail(done.error());
    }
  }
  // A backup whose mark claims more than it contains would be refused.
  unlink((journal_to + kMarkSuffix).c_str());
  if (has_registry) unlink(RegistryMarkPath(registry_to).c_str());
  if (Result<void> done = Replace(journal_to + ".new", journal_to); !done) return Fail(done.error());
  copied.push_back({journal_to, FileBytes(journal_to)});
  if (has_registry) {
    if (Result<void> done = Replace(registry_to + ".new", registry_to); !done) return Fail(done.error());
    copied.push_back({registry_to, FileBytes(registry_to)});
    Result<void> marked = WriteMark(registry_mark, OpenRegistryMark(registry_to), RegistryMarkPath(registry_to));
    if (!marked) return Fail(marked.error());
  }
  Result<void> marked = WriteMark(mark, OpenJournalMark(journal_to), journal_to + kMarkSuffix);
  if (!marked) return Fail(marked.error());
  if (Result<void> synced = SyncPath(target); !synced) return Fail(synced.error());
  return copied;
}

Result<VerifyReport> Verify(const std::string& data_dir, const ToolProgress& progress) {
  VerifyReport report;
  Verifier verifier(report, progress);
  const std::string path = data_dir + "/" + kJournalFileName;
  // Before the journal is read: a server may be running.
  if (const Result<std::optional<Mark>> mark = ReadJournalMark(path)) {
    report.mark = *mark;
  } else {
    verifier.Found("the mark: " + mark.error().message);
  }
  std::error_code error;
  if (!report.mark && !std::filesystem::exists(path, error)) {
    return Fail(ErrorCode::kNotFound, "there is no journal \"" + path + "\"", path);
  }
  if (Result<void> opened = VerifyJournal(path, verifier); !opened) return Fail(opened.error());
  if (Result<void> opened = VerifyRegistry(data_dir + "/" + kRegistryFileName, verifier); !opened) {
    return Fail(opened.error());
  }
  return report;
}

Result<PruneReport> Prune(const std::string& data_dir, std::optional<Time> before, bool trial,
                          const ToolProgress& progress,
                          const std::function<void(const PruneReport& so_far)>& forgotten) {
  const std::string path = data_dir + "/" + kJournalFileName;
  PruneReport report;
  report.bytes_before = FileBytes(path);
  report.bytes_after = report.bytes_before;
  {
    Result<Database> database = OpenJournalForReading(path);
    if (!database) return Fail(database.error());
    database->KeepLogOnClose(true);
    if (before) {
      if (Result<void> found = LookForOld(*database, *before, report); !found) return Fail(found.error());
    }
  }
  if (trial) return report;

  // A running server continues meanwhile; SQLite makes each wait for the other, one slice at a time.
  const Result<FileLock> lock = FileLock::Acquire(path + ".lock");
  if (!lock && lock.error().code != ErrorCode::kConflict) return Fail(lock.error());
  if (lock) {
    // Damaged data is not changed.
    if (Result<void> whole = CheckJournalMark(path); !whole) return Fail(whole.error());
  }
  Result<Database> database = OpenJournalForWriting(path);
  if (!database) return Fail(database.error());
  Result<std::unique_ptr<JournalWriter>> writer = JournalWriter::Create(std::move(*database), path, {});
  if (!writer) return Fail(writer.error());
  if (before) {
    const Result<std::size_t> tables = (*writer)->ForgetOlder(*before);
    if (!tables) return Fail(tables.error());
    report.tables = *tables;
    if (forgotten) forgotten(report);
  }
  if (Result<void> collected = Collect(**writer, progress); !collected) return Fail(collected.error());
  if (Result<void> emptied = (*writer)->Shrink(lock.has_value()); !emptied) return Fail(emptied.error());
  report.bytes_after = FileBytes(path);
  report.free_bytes = (*writer)->totals().free_bytes;
  return report;
}

}  // namespace openseat::store
