#include "store/sqlite.h"

#include <sqlite3.h>

#include <algorithm>
#include <cerrno>
#include <limits>

#include "base/check.h"
#include "base/text.h"

namespace openseat::store {
namespace {

// How long a statement waits for another process's lock, in milliseconds. Only a program that bypasses our own lock
// (the sqlite3 shell) can hold one.
constexpr int kBusyMilliseconds = 5000;

tl::unexpected<Error> SqliteFailure(sqlite3* database) {
  const int code = sqlite3_extended_errcode(database);
  ErrorCode error = ErrorCode::kIo;
  if ((code & 0xFF) == SQLITE_NOTADB) error = ErrorCode::kInvalid;
  if ((code & 0xFF) == SQLITE_CORRUPT) error = ErrorCode::kParse;
  std::string message = sqlite3_errmsg(database);
  if ((code & 0xFF) == SQLITE_FULL) {
    message = SystemMessage(ENOSPC);
  } else if ((code & 0xFF) == SQLITE_IOERR || (code & 0xFF) == SQLITE_CANTOPEN) {
    // SQLite says only that an operation failed.
    if (const int system = sqlite3_system_errno(database); system != 0) message += ": " + SystemMessage(system);
  }
  message += " (SQLite code " + std::to_string(code) + ")";
  const char* file = sqlite3_db_filename(database, "main");
  if (error == ErrorCode::kParse && file != nullptr && *file != '\0') message += ": " + std::string(file);
  return Fail(error, message);
}

// The file as a URI with SQLite's parameter "immutable".
std::string UnchangingUri(const std::string& path) {
  std::string uri = "file:";
  for (const char c : path) {
    uri += c == '%' ? "%25" : c == '?' ? "%3f" : c == '#' ? "%23" : std::string(1, c);
  }
  return uri + "?immutable=1";
}

}  // namespace

void Statement::Finalize::operator()(sqlite3_stmt* statement) const {
  sqlite3_finalize(statement);
}

void Statement::Bind(int parameter, std::uint64_t value) {
  Bind(parameter, static_cast<std::int64_t>(value));
}

void Statement::Bind(int parameter, std::int64_t value) {
  OPENSEAT_CHECK(sqlite3_bind_int64(statement_.get(), parameter, value) == SQLITE_OK,
                 "the statement has the parameter");
}

void Statement::BindText(int parameter, std::string_view text) {
  OPENSEAT_CHECK(sqlite3_bind_text64(statement_.get(), parameter, text.data(), text.size(), SQLITE_STATIC,
                                     SQLITE_UTF8) == SQLITE_OK,
                 "the statement has the parameter, and SQLite accepts the text's size");
}

void Statement::BindBlob(int parameter, std::string_view bytes) {
  OPENSEAT_CHECK(
      sqlite3_bind_blob64(statement_.get(), parameter, bytes.data(), bytes.size(), SQLITE_STATIC) == SQLITE_OK,
      "the statement has the parameter, and SQLite accepts the blob's size");
}

Result<bool> Statement::Step() {
  switch (sqlite3_step(statement_.get())) {
    case SQLITE_ROW:
      return true;
    case SQLITE_DONE:
      return false;
    default:
      return SqliteFailure(sqlite3_db_handle(statement_.get()));
  }
}

std::int64_t Statement::Int(int column) const {
  return sqlite3_column_int64(statement_.get(), column);
}

std::string_view Statement::Bytes(int column) const {
  // In this order: the call for the bytes may convert, and the size is that of the converted value.
  const void* bytes = sqlite3_column_blob(statement_.get(), column);
  const int size = sqlite3_column_bytes(statement_.get(), column);
  if (bytes == nullptr) return {};
  return {static_cast<const char*>(bytes), static_cast<std::size_t>(size)};
}

bool Statement::IsNull(int column) const {
  return sqlite3_column_type(statement_.get(), column) == SQLITE_NULL;
}

void Statement::Reset() {
  sqlite3_reset(statement_.get());
}

Result<void> Statement::Run() {
  // Read the error before the reset, which sets its own.
  const Result<bool> row = Step();
  Reset();
  if (!row) return Fail(row.error());
  return {};
}

void Database::Close::operator()(sqlite3* database) const {
  sqlite3_close_v2(database);
}

Result<Database> Database::Open(const std::string& path, Mode mode) {
  // One thread at a time uses each connection, so SQLite needs no mutex of its own.
  const int flags = SQLITE_OPEN_NOMUTEX | (mode == Mode::kReadWrite ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY);
  Database out;
  sqlite3* database = nullptr;
  const int code = mode == Mode::kUnchanging
                       ? sqlite3_open_v2(UnchangingUri(path).c_str(), &database, flags | SQLITE_OPEN_URI, nullptr)
                       : sqlite3_open_v2(path.c_str(), &database, flags, nullptr);
  out.database_.reset(database);
  OPENSEAT_CHECK(database != nullptr, "out of memory");
  if (code != SQLITE_OK) return SqliteFailure(database);
  sqlite3_extended_result_codes(database, 1);
  sqlite3_busy_timeout(database, kBusyMilliseconds);
  // Expressions in the file's own schema may call only functions without side effects.
  sqlite3_db_config(database, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  return out;
}

Result<Statement> Database::Prepare(std::string_view sql) {
  sqlite3_stmt* statement = nullptr;
  if (sqlite3_prepare_v3(database_.get(), sql.data(), static_cast<int>(sql.size()), SQLITE_PREPARE_PERSISTENT,
                         &statement, nullptr) != SQLITE_OK) {
    return SqliteFailure(database_.get());
  }
  return Statement(statement);
}

Result<void> Database::Execute(const char* sql) {
  if (sqlite3_exec(database_.get(), sql, nullptr, nullptr, nullptr) != SQLITE_OK) return SqliteFailure(database_.get());
  return {};
}

Result<std::int64_t> Database::QueryInt(std::string_view sql) {
  Result<Statement> statement = Prepare(sql);
  if (!statement) return Fail(statement.error());
  const Result<bool> row = statement->Step();
  if (!row) return Fail(row.error());
  OPENSEAT_CHECK(*row, "the query has a row");
  return statement->Int(0);
}

Result<void> Database::CopyTo(Database& target, int pages_per_step,
                              const std::function<void(std::uint64_t done, std::uint64_t total)>& step) {
  sqlite3_backup* backup = sqlite3_backup_init(target.database_.get(), "main", database_.get(), "main");
  if (backup == nullptr) return SqliteFailure(target.database_.get());
  int code = SQLITE_OK;
  while (code == SQLITE_OK) {
    code = sqlite3_backup_step(backup, pages_per_step);
    const auto total = static_cast<std::uint64_t>(sqlite3_backup_pagecount(backup));
    step(total - static_cast<std::uint64_t>(sqlite3_backup_remaining(backup)), total);
  }
  const int finished = sqlite3_backup_finish(backup);
  if (code == SQLITE_DONE && finished == SQLITE_OK) return {};
  return SqliteFailure(target.database_.get());
}

Result<std::string> Database::Image() {
  sqlite3_int64 size = 0;
  unsigned char* const bytes = sqlite3_serialize(database_.get(), "main", &size, 0);
  if (bytes == nullptr) return SqliteFailure(database_.get());
  std::string out(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(size));
  sqlite3_free(bytes);
  return out;
}

Result<void> Database::Load(std::string_view image) {
  auto* const bytes = static_cast<unsigned char*>(sqlite3_malloc64(image.size()));
  OPENSEAT_CHECK(bytes != nullptr, "out of memory");
  std::ranges::copy(image, bytes);
  const auto size = static_cast<sqlite3_int64>(image.size());
  // It frees the bytes, also when it fails.
  if (sqlite3_deserialize(database_.get(), "main", bytes, size, size,
                          SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_RESIZEABLE) != SQLITE_OK) {
    return SqliteFailure(database_.get());
  }
  // As large as any other database in memory.
  sqlite3_int64 limit = std::numeric_limits<sqlite3_int64>::max();
  sqlite3_file_control(database_.get(), "main", SQLITE_FCNTL_SIZE_LIMIT, &limit);
  return {};
}

std::int64_t Database::last_insert_id() const {
  return sqlite3_last_insert_rowid(database_.get());
}

std::size_t Database::changes() const {
  return static_cast<std::size_t>(sqlite3_changes64(database_.get()));
}

std::uint64_t Database::total_changes() const {
  return static_cast<std::uint64_t>(sqlite3_total_changes64(database_.get()));
}

void Database::KeepLogOnClose(bool keep) {
  sqlite3_db_config(database_.get(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, keep ? 1 : 0, nullptr);
}

bool Database::in_transaction() const {
  return sqlite3_get_autocommit(database_.get()) == 0;
}

}  // namespace openseat::store
