#include "store/database_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "base/log.h"
#include "base/text.h"

namespace openseat::store {
namespace {

std::string The(const DatabaseFormat& format, const std::string& path) {
  return "the " + std::string(format.name) + " \"" + path + "\"";
}

tl::unexpected<Error> NoFile(const DatabaseFormat& format, const std::string& path) {
  return Fail(ErrorCode::kInvalid, The(format, path) + " must be a file, but it is a directory or device", path);
}

// What the header says: our file, a new one (an empty database), or a reason to refuse.
enum class Content { kOurs, kEmpty };
Result<Content> Inspect(const DatabaseFormat& format, Database& database, const std::string& path) {
  const Result<std::int64_t> application = database.QueryInt("PRAGMA application_id");
  if (!application) return OpenFailure(format, path, application.error());
  const Result<std::int64_t> version = database.QueryInt("PRAGMA user_version");
  if (!version) return OpenFailure(format, path, version.error());
  const Result<std::int64_t> objects = database.QueryInt("SELECT count(*) FROM sqlite_schema");
  if (!objects) return OpenFailure(format, path, objects.error());
  if (*application == 0 && *version == 0 && *objects == 0) return Content::kEmpty;
  if (*application != format.application_id || *version < 1) {
    return Fail(ErrorCode::kInvalid,
                "\"" + path + "\" is an SQLite database of another program, not a " + std::string(format.name), path);
  }
  if (*version > format.version) {
    return Fail(ErrorCode::kUnsupported,
                The(format, path) + " has version " + std::to_string(*version) +
                    "; this program supports up to version " + std::to_string(format.version) +
                    ". Use the openseat that wrote it, or a newer one",
                path);
  }
  // A view or a trigger runs what its author wrote, perhaps without end.
  const Result<std::int64_t> foreign = database.QueryInt(
      "SELECT count(*) FROM sqlite_schema WHERE sql IS NOT NULL AND sql NOT LIKE 'CREATE TABLE %' "
      "AND sql NOT LIKE 'CREATE INDEX %' AND sql NOT LIKE 'CREATE UNIQUE INDEX %'");
  if (!foreign) return OpenFailure(format, path, foreign.error());
  if (*foreign > 0) {
    return Fail(ErrorCode::kInvalid,
                The(format, path) + " has a view, a trigger or a virtual table; openseat never makes one", path);
  }
  return Content::kOurs;
}

// Looks at an existing file by name only: opening and closing it here would drop the locks that SQLite may hold on
// it for another connection of this process.
Result<void> CreateFile(const DatabaseFormat& format, const std::string& path) {
  const int descriptor = open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (descriptor >= 0) {
    close(descriptor);
    return {};
  }
  if (errno == EEXIST) {
    struct stat status;
    if (stat(path.c_str(), &status) == 0) {
      if (!S_ISREG(status.st_mode)) return NoFile(format, path);
      if (access(path.c_str(), R_OK | W_OK) == 0) return {};
    }
  }
  return Fail(ErrorCode::kIo, "cannot open " + The(format, path) + " for writing: " + SystemMessage(errno), path);
}

Result<void> CreateTables(const DatabaseFormat& format, Database& database) {
  const std::string sql = "BEGIN IMMEDIATE; PRAGMA application_id = " + std::to_string(format.application_id) +
                          "; PRAGMA user_version = " + std::to_string(format.version) + ";" + format.schema + "COMMIT;";
  return database.Execute(sql.c_str());
}

Result<void> Upgrade(const DatabaseFormat& format, Database& database) {
  for (;;) {
    Result<std::int64_t> version = database.QueryInt("PRAGMA user_version");
    if (!version) return Fail(version.error());
    if (*version >= format.version) return {};
    if (Result<void> begun = database.Execute("BEGIN IMMEDIATE"); !begun) return begun;
    // Another process may have been faster.
    version = database.QueryInt("PRAGMA user_version");
    std::string sql = "COMMIT;";
    if (version && *version < format.version) {
      sql = format.upgrades[static_cast<std::size_t>(*version - 1)] +
            ("PRAGMA user_version = " + std::to_string(*version + 1) + ";") + sql;
    }
    Result<void> done = version ? database.Execute(sql.c_str()) : Fail(version.error());
    if (!done) {
      if (database.in_transaction()) static_cast<void>(database.Execute("ROLLBACK").has_value());
      return done;
    }
  }
}

// Without them, some reading takes longer, but nothing else: a full disk is not a reason to refuse.
void AddIndexes(const DatabaseFormat& format, Database& database, const std::string& path) {
  if (const Result<void> made = database.Execute(format.indexes); !made) {
    log::Warn("{}: \"{}\" lacks an index: {}", format.name, path, made.error().message);
  }
}

Result<void> UseWriteAheadLog(const DatabaseFormat& format, Database& database, const std::string& path) {
  Result<Statement> statement = database.Prepare("PRAGMA journal_mode = WAL");
  if (!statement) return OpenFailure(format, path, statement.error());
  const Result<bool> row = statement->Step();
  if (!row) return OpenFailure(format, path, row.error());
  if (statement->Bytes(0) != "wal") {
    return Fail(ErrorCode::kIo, "the file system of \"" + path + "\" does not support a write-ahead log", path);
  }
  return {};
}

// Whether readers cannot make the files that SQLite needs for them next to a database that a writer may change: in a
// backup on a read-only file system, or another user's.
bool FolderIsReadOnly(const std::string& path) {
  const std::string folder = path.find('/') == std::string::npos ? "." : path.substr(0, path.rfind('/') + 1);
  return access(folder.c_str(), W_OK) != 0 && access((path + "-shm").c_str(), F_OK) != 0;
}

bool HasLog(const std::string& path) {
  struct stat status;
  return stat((path + "-wal").c_str(), &status) == 0 && status.st_size > 0;
}

}  // namespace

tl::unexpected<Error> OpenFailure(const DatabaseFormat& format, const std::string& path, const Error& error) {
  if (error.code == ErrorCode::kInvalid) {
    return Fail(ErrorCode::kInvalid, "\"" + path + "\" is not an SQLite database", path);
  }
  return Fail(error.code, "cannot open " + The(format, path) + ": " + error.message, path);
}

Result<Database> OpenForWriting(const DatabaseFormat& format, const std::string& path) {
  if (Result<void> created = CreateFile(format, path); !created) return Fail(created.error());
  Result<Database> database = Database::Open(path, Database::Mode::kReadWrite);
  if (!database) return OpenFailure(format, path, database.error());
  Result<Content> content = Inspect(format, *database, path);
  if (!content) return Fail(content.error());
  if (*content == Content::kEmpty) {
    // Must run before the file has its first page.
    const std::string form = "PRAGMA page_size = " + std::to_string(format.page_size) +
                             (format.shrinks ? "; PRAGMA auto_vacuum = INCREMENTAL" : "");
    if (Result<void> set = database->Execute(form.c_str()); !set) return OpenFailure(format, path, set.error());
  }
  if (Result<void> wal = UseWriteAheadLog(format, *database, path); !wal) return Fail(wal.error());
  if (Result<void> set = database->Execute("PRAGMA synchronous = FULL; PRAGMA journal_size_limit = 67108864"); !set) {
    return OpenFailure(format, path, set.error());
  }
  if (*content == Content::kOurs) {
    if (Result<void> done = Upgrade(format, *database); !done) return OpenFailure(format, path, done.error());
  }
  if (*content == Content::kEmpty) {
    Result<void> tables = CreateTables(format, *database);
    if (!tables) {
      if (database->in_transaction()) static_cast<void>(database->Execute("ROLLBACK").has_value());
      // Another process may have created them in the meantime.
      content = Inspect(format, *database, path);
      if (!content) return Fail(content.error());
      if (*content == Content::kEmpty) return OpenFailure(format, path, tables.error());
    }
  }
  AddIndexes(format, *database, path);
  return database;
}

Result<Database> OpenInMemory(const DatabaseFormat& format, std::string_view image) {
  const std::string name = ":memory:";
  Result<Database> database = Database::Open(name, Database::Mode::kReadWrite);
  if (!database) return OpenFailure(format, name, database.error());
  if (!image.empty()) {
    if (Result<void> loaded = database->Load(image); !loaded) return OpenFailure(format, name, loaded.error());
  }
  const Result<Content> content = Inspect(format, *database, name);
  if (!content) return Fail(content.error());
  const Result<void> ready = *content == Content::kEmpty ? CreateTables(format, *database) : Upgrade(format, *database);
  if (!ready) return OpenFailure(format, name, ready.error());
  AddIndexes(format, *database, name);
  return database;
}

Result<Database> OpenForReading(const DatabaseFormat& format, const std::string& path) {
  struct stat status;
  if (stat(path.c_str(), &status) != 0) {
    if (errno == ENOENT)
      return Fail(ErrorCode::kNotFound, "there is no " + std::string(format.name) + " \"" + path + "\"", path);
    return Fail(ErrorCode::kIo, "cannot open " + The(format, path) + ": " + SystemMessage(errno), path);
  }
  if (!S_ISREG(status.st_mode)) return NoFile(format, path);
  const bool read_only = FolderIsReadOnly(path);
  if (read_only && HasLog(path)) {
    return Fail(ErrorCode::kIo,
                The(format, path) + " cannot be read where it is: its newest changes are in \"" + path +
                    "-wal\", and its folder is read-only. Copy the folder, and use the copy",
                path);
  }
  Result<Database> database = Database::Open(path, read_only ? Database::Mode::kUnchanging : Database::Mode::kReadOnly);
  if (!database) return OpenFailure(format, path, database.error());
  const Result<Content> content = Inspect(format, *database, path);
  if (!content) return Fail(content.error());
  if (*content == Content::kEmpty) {
    return Fail(ErrorCode::kInvalid, "\"" + path + "\" is an empty database, not a " + std::string(format.name), path);
  }
  return database;
}

}  // namespace openseat::store
