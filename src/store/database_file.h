// Opens one of our SQLite files: creates it, or checks that this program understands it. Internal to
// this module.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "store/sqlite.h"

namespace openseat::store {

// Identifies a kind of file.
struct DatabaseFormat {
  std::string_view name;        // "journal": for messages
  std::int64_t application_id;  // PRAGMA application_id
  std::int64_t version;         // PRAGMA user_version: a program refuses a file with a higher one
  std::int64_t page_size;
  const char* schema;  // statements that create the tables
  // Statements that create the indexes unless they exist. They change nothing for a program that makes none, so they
  // are not part of the version: a file without them gets them when it is opened for writing.
  const char* indexes;
  // Whether freed space can be returned to the file system with PRAGMA incremental_vacuum. For new files.
  bool shrinks = false;
  // Statements that upgrade the tables from version n to n + 1, starting with n = 1.
  std::span<const char* const> upgrades{};
};

// Creates the file, mode 0600, if it does not exist, and upgrades an earlier version; WAL,
// synchronous=FULL. kInvalid if the path is not a file or the
// file is another program's or has more than tables and indexes, kUnsupported if a later version wrote it, kParse if it
// is damaged, else kIo.
Result<Database> OpenForWriting(const DatabaseFormat& format, const std::string& path);

// Read-only, with or without a concurrent writer. Errors as above, and kNotFound if there is no file.
Result<Database> OpenForReading(const DatabaseFormat& format, const std::string& path);

// A database in memory: a new one, or the one with this image (Database::Image), which is upgraded. Errors as above.
Result<Database> OpenInMemory(const DatabaseFormat& format, std::string_view image);

// Turns a statement's error into one about this file.
tl::unexpected<Error> OpenFailure(const DatabaseFormat& format, const std::string& path, const Error& error);

}  // namespace openseat::store
