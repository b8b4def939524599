// Opens the registry's SQLite file: creates it, or checks that this program understands it; and its mark, which says
// what was acknowledged. Internal to this module.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"
#include "store/database_file.h"
#include "store/mark.h"
#include "store/sqlite.h"

namespace openseat::store {

const DatabaseFormat& RegistryFormat();

// The file, read-only, concurrent with writers. Errors: OpenForReading.
Result<Database> OpenRegistryForReading(const std::string& path);

// The number of changes that the registry has, for its mark. 0: a file from before marks.
Result<std::uint64_t> RegistryChanges(Database& database);

// The mark of the registry at this path: CheckMark, ReadMark, MarkFile::Open.
std::string RegistryMarkPath(const std::string& path);
Result<void> CheckRegistryMark(const std::string& path);
Result<std::optional<Mark>> ReadRegistryMark(const std::string& path);
Result<MarkFile> OpenRegistryMark(const std::string& path);

}  // namespace openseat::store
