// A thin wrapper of SQLite's C interface: handles that close themselves, errors as Results. Internal to
// this module. One thread at a time for a Database and its Statements.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

struct sqlite3;
struct sqlite3_stmt;

namespace openseat::store {

class Statement {
 public:
  Statement() = default;

  // Parameters count from 1. Text and blobs are not copied: they must stay valid until the next Reset.
  void Bind(int parameter, std::uint64_t value);
  void Bind(int parameter, std::int64_t value);
  void BindText(int parameter, std::string_view text);
  void BindBlob(int parameter, std::string_view bytes);

  // Whether there is a (further) row. A column's bytes stay valid until the next Step or Reset.
  Result<bool> Step();
  std::int64_t Int(int column) const;
  std::uint64_t Unsigned(int column) const { return static_cast<std::uint64_t>(Int(column)); }
  std::string_view Bytes(int column) const;
  bool IsNull(int column) const;

  // Back to before the first Step. A statement that is not reset may keep a read transaction open.
  void Reset();
  // For statements without rows: Step and Reset.
  Result<void> Run();

 private:
  friend class Database;
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };
  explicit Statement(sqlite3_stmt* statement) : statement_(statement) {}
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
};

// Resets a statement at the end of a scope.
class ScopedReset {
 public:
  explicit ScopedReset(Statement& statement) : statement_(statement) {}
  ~ScopedReset() { statement_.Reset(); }
  ScopedReset(const ScopedReset&) = delete;
  ScopedReset& operator=(const ScopedReset&) = delete;

 private:
  Statement& statement_;
};

class Database {
 public:
  // kUnchanging: read-only, and without the files that SQLite makes next to a database for its readers. REQUIRES that
  // nobody writes the file meanwhile.
  enum class Mode { kReadOnly, kReadWrite, kUnchanging };

  Database() = default;
  // REQUIRES that the file exists. Opening does not read it: an invalid file fails at the first statement.
  // Errors of all members: kInvalid if the file is not an SQLite database, kParse if it is damaged, else kIo.
  static Result<Database> Open(const std::string& path, Mode mode);

  Result<Statement> Prepare(std::string_view sql);
  // One or more statements; rows are ignored.
  Result<void> Execute(const char* sql);
  // The first column of the first row. REQUIRES a statement that has one.
  Result<std::int64_t> QueryInt(std::string_view sql);

  // Copies the whole database, as seen by its open read transaction, over `target`; calls `step` with the number of
  // pages done after each batch. REQUIRES an open transaction, and none in `target`.
  Result<void> CopyTo(Database& target, int pages_per_step,
                      const std::function<void(std::uint64_t done, std::uint64_t total)>& step);

  // The whole database as the bytes of its file.
  Result<std::string> Image();
  // Replaces a database in memory by the one with this image. An invalid image fails at the first statement.
  Result<void> Load(std::string_view image);

  std::int64_t last_insert_id() const;
  // Rows changed by the last statement, and by all since the database was opened, including those undone.
  std::size_t changes() const;
  std::uint64_t total_changes() const;
  bool in_transaction() const;
  // Whether the write-ahead log is kept when the last connection closes; otherwise it moves into the database then.
  void KeepLogOnClose(bool keep);

 private:
  struct Close {
    void operator()(sqlite3* database) const;
  };
  std::unique_ptr<sqlite3, Close> database_;
};

}  // namespace openseat::store
