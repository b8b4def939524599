// A thin cover of SQLite's C interface: handles that close themselves, errors as Results. For the files of this module
// only. One thread at a time for a Database and its Statements.
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

  // Parameters count from 1. Text and blobs are not copied: they must live until the next Reset.
  void Bind(int parameter, std::uint64_t value);
  void Bind(int parameter, std::int64_t value);
  void BindText(int parameter, std::string_view text);
  void BindBlob(int parameter, std::string_view bytes);

  // Whether there is a row (another one). Bytes of a column live until the next Step or Reset.
  Result<bool> Step();
  std::int64_t Int(int column) const;
  std::uint64_t Unsigned(int column) const { return static_cast<std::uint64_t>(Int(column)); }
  std::string_view Bytes(int column) const;
  bool IsNull(int column) const;

  // Back to before the first Step. A statement that is not reset may hold a read transaction open.
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
  enum class Mode { kReadOnly, kReadWrite };

  Database() = default;
  // REQUIRES that the file exists. Opening reads nothing yet: that a file is no database shows at the first statement.
  // Errors of all members: kInvalid where the file is no SQLite database, kParse where it is a damaged one, else kIo.
  static Result<Database> Open(const std::string& path, Mode mode);

  Result<Statement> Prepare(std::string_view sql);
  // One or several statements; rows are ignored.
  Result<void> Execute(const char* sql);
  // The first column of the first row. REQUIRES a statement that has one.
  Result<std::int64_t> QueryInt(std::string_view sql);

  // Copies all of this database, as its open read transaction shows it, over `target`; `step` is told of the pages that
  // are done, so many at a time. REQUIRES an open transaction, and that `target` has none.
  Result<void> CopyTo(Database& target, int pages_per_step,
                      const std::function<void(std::uint64_t done, std::uint64_t total)>& step);

  std::int64_t last_insert_id() const;
  // Rows that the last statement changed.
  std::size_t changes() const;
  bool in_transaction() const;
  // Whether the write-ahead log stays as it is when the last connection is closed; else it goes into the database then.
  void KeepLogOnClose(bool keep);

 private:
  struct Close {
    void operator()(sqlite3* database) const;
  };
  std::unique_ptr<sqlite3, Close> database_;
};

}  // namespace openseat::store
