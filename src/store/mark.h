// The mark: a small file next to a database that records what was acknowledged, so that the next program that opens it
// notices if it lost some of it. The journal and the registry have one each; docs/formats/journal.md describes it.
// Internal to this module.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/time.h"
#include "store/database_file.h"
#include "store/sqlite.h"

namespace openseat::store {

struct Mark {
  std::uint64_t last = 0;  // the highest number, of those that the database counts, whose commit was synced
  Time at{};               // when that happened

  bool operator==(const Mark&) const = default;
};

// A kind of database that has a mark.
struct MarkedFormat {
  const DatabaseFormat* format;
  std::string_view header;                    // which the mark begins with
  std::string_view counted;                   // "chunks of events": for messages
  Result<std::uint64_t> (*count)(Database&);  // the highest number that this database ever had
};

// The file's contents; nullopt if there is no file. kParse if it is not a mark of this kind, kIo if it cannot be read.
Result<std::optional<Mark>> ReadMark(const MarkedFormat& kind, const std::string& path);

// Checks that the database has everything that its mark says was acknowledged; does not change the files, which others
// may write. kParse, with advice, if something is missing; else as for opening the database. A database without a mark
// passes.
Result<void> CheckMark(const MarkedFormat& kind, const std::string& path, const std::string& mark_path);

// The writing end. One thread; several processes may write, and the last one counts.
class MarkFile {
 public:
  // Creates the file, mode 0600, if it does not exist, with an empty claim. It belongs to the user whose `database` it
  // is, also if root creates it. kIo if it cannot be written. `kind` outlives it.
  static Result<MarkFile> Open(const MarkedFormat& kind, const std::string& path, const std::string& database);
  MarkFile(MarkFile&& other) noexcept;
  MarkFile& operator=(MarkFile&&) = delete;
  ~MarkFile();

  // Writes in place once, without a sync: it survives a killed process; after a power cut, it may be an older mark,
  // which claims less. Call only when what it claims is synced.
  void Write(const Mark& mark);

 private:
  MarkFile(const MarkedFormat& kind, int descriptor) : kind_(&kind), descriptor_(descriptor) {}
  const MarkedFormat* kind_;
  int descriptor_;
  bool warned_ = false;
};

}  // namespace openseat::store
