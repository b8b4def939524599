#include "store/journal_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "store/journal_format.h"

namespace openseat::store {
namespace {

tl::unexpected<Error> OpenFailure(const std::string& path, const Error& error) {
  if (error.code == ErrorCode::kInvalid) {
    return Fail(ErrorCode::kInvalid, "\"" + path + "\" is not an SQLite database", path);
  }
  return Fail(error.code, "cannot open the journal \"" + path + "\": " + error.message, path);
}

tl::unexpected<Error> NoFile(const std::string& path) {
  return Fail(ErrorCode::kInvalid, "the journal \"" + path + "\" should be a file and is a directory or device", path);
}

// What the header says: ours, nobody's yet (an empty database), or a reason to refuse.
enum class Content { kOurs, kEmpty };
Result<Content> Inspect(Database& database, const std::string& path) {
  const Result<std::int64_t> application = database.QueryInt("PRAGMA application_id");
  if (!application) return OpenFailure(path, application.error());
  const Result<std::int64_t> version = database.QueryInt("PRAGMA user_version");
  if (!version) return OpenFailure(path, version.error());
  const Result<std::int64_t> objects = database.QueryInt("SELECT count(*) FROM sqlite_schema");
  if (!objects) return OpenFailure(path, objects.error());
  if (*application == 0 && *version == 0 && *objects == 0) return Content::kEmpty;
  if (*application != kApplicationId || *version < 1) {
    return Fail(ErrorCode::kInvalid, "\"" + path + "\" is an SQLite database of another program, not a journal", path);
  }
  if (*version > kSchemaVersion) {
    return Fail(ErrorCode::kUnsupported,
                "the journal \"" + path + "\" has version " + std::to_string(*version) +
                    "; this program knows up to version " + std::to_string(kSchemaVersion) +
                    ": use the openseat that wrote it, or a later one",
                path);
  }
  return Content::kOurs;
}

// An existing file is looked at by name only: opening and closing it here would drop the locks that SQLite may hold on
// it for another connection of this process.
Result<void> CreateFile(const std::string& path) {
  const int descriptor = open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (descriptor >= 0) {
    close(descriptor);
    return {};
  }
  if (errno == EEXIST) {
    struct stat status;
    if (stat(path.c_str(), &status) == 0) {
      if (!S_ISREG(status.st_mode)) return NoFile(path);
      if (access(path.c_str(), R_OK | W_OK) == 0) return {};
    }
  }
  return Fail(ErrorCode::kIo, "cannot open the journal \"" + path + "\" for writing: " + std::strerror(errno), path);
}

Result<void> CreateTables(Database& database) {
  const std::string sql = "BEGIN IMMEDIATE; PRAGMA application_id = " + std::to_string(kApplicationId) +
                          "; PRAGMA user_version = " + std::to_string(kSchemaVersion) + ";" + kSchema + "COMMIT;";
  return database.Execute(sql.c_str());
}

Result<void> UseWriteAheadLog(Database& database, const std::string& path) {
  Result<Statement> statement = database.Prepare("PRAGMA journal_mode = WAL");
  if (!statement) return OpenFailure(path, statement.error());
  const Result<bool> row = statement->Step();
  if (!row) return OpenFailure(path, row.error());
  if (statement->Bytes(0) != "wal") {
    return Fail(ErrorCode::kIo, "the file system of \"" + path + "\" does not offer what a write-ahead log needs",
                path);
  }
  return {};
}

}  // namespace

Result<Database> OpenJournalForWriting(const std::string& path, std::uint64_t max_bytes) {
  if (Result<void> created = CreateFile(path); !created) return Fail(created.error());
  Result<Database> database = Database::Open(path, Database::Mode::kReadWrite);
  if (!database) return OpenFailure(path, database.error());
  const Result<Content> content = Inspect(*database, path);
  if (!content) return Fail(content.error());
  if (*content == Content::kEmpty) {
    // Must come before the file has its first page. The log costs a call and a header a page: few and large is cheaper.
    if (Result<void> set = database->Execute("PRAGMA page_size = 16384"); !set) return OpenFailure(path, set.error());
  }
  if (Result<void> wal = UseWriteAheadLog(*database, path); !wal) return Fail(wal.error());
  if (Result<void> set = database->Execute("PRAGMA synchronous = FULL; PRAGMA journal_size_limit = 67108864"); !set) {
    return OpenFailure(path, set.error());
  }
  if (*content == Content::kEmpty) {
    if (Result<void> tables = CreateTables(*database); !tables) return OpenFailure(path, tables.error());
  }
  if (max_bytes > 0) {
    const Result<std::int64_t> page = database->QueryInt("PRAGMA page_size");
    if (!page) return OpenFailure(path, page.error());
    const std::string sql = "PRAGMA max_page_count = " + std::to_string(max_bytes / static_cast<std::uint64_t>(*page));
    if (Result<void> set = database->Execute(sql.c_str()); !set) return OpenFailure(path, set.error());
  }
  return database;
}

Result<Database> OpenJournalForReading(const std::string& path) {
  struct stat status;
  if (stat(path.c_str(), &status) != 0) {
    if (errno == ENOENT) return Fail(ErrorCode::kNotFound, "there is no journal \"" + path + "\"", path);
    return Fail(ErrorCode::kIo, "cannot open the journal \"" + path + "\": " + std::strerror(errno), path);
  }
  if (!S_ISREG(status.st_mode)) return NoFile(path);
  Result<Database> database = Database::Open(path, Database::Mode::kReadOnly);
  if (!database) return OpenFailure(path, database.error());
  const Result<Content> content = Inspect(*database, path);
  if (!content) return Fail(content.error());
  if (*content == Content::kEmpty) {
    return Fail(ErrorCode::kInvalid, "\"" + path + "\" is an empty database, not a journal", path);
  }
  return database;
}

}  // namespace openseat::store
