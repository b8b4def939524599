// Opens an SQLite file of ours: creates it, or checks that it is one that this program understands. For the files of
// this module only.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "store/sqlite.h"

namespace openseat::store {

// What tells one kind of file from another program's.
struct DatabaseFormat {
  std::string_view name;        // "journal": for messages
  std::int64_t application_id;  // PRAGMA application_id
  std::int64_t version;         // PRAGMA user_version: a program refuses a file with a higher one
  std::int64_t page_size;
  const char* schema;  // statements that make the tables
  // Whether what becomes free can be given back to the file system, by PRAGMA incremental_vacuum. Of new files.
  bool shrinks = false;
  // Those that make the tables of version n + 1 of those of version n, from 1 on.
  std::span<const char* const> upgrades{};
};

// Creates the file, mode 0600, where there is none, and brings one of an earlier version up to date; WAL,
// synchronous=FULL. kInvalid where the path is no file or the
// file another program's, kUnsupported where a later version wrote it, kParse where it is damaged, else kIo.
Result<Database> OpenForWriting(const DatabaseFormat& format, const std::string& path);

// For reading alone, beside a writer or without one. Errors as above, and kNotFound where there is no file.
Result<Database> OpenForReading(const DatabaseFormat& format, const std::string& path);

// An error of a statement, as one about this file.
tl::unexpected<Error> OpenFailure(const DatabaseFormat& format, const std::string& path, const Error& error);

}  // namespace openseat::store
