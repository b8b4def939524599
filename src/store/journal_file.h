// Opens a journal's SQLite file: creates it, or checks that this program understands it and that
// everything acknowledged is there. Internal to this module.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"
#include "store/mark.h"
#include "store/sqlite.h"

namespace openseat::store {

// For the one writer (REQUIRES that the caller holds the lock). Creates the file, mode 0600, if it does not exist,
// and its index if there is none; WAL, synchronous=FULL. kInvalid if the path is not a file or the file is another
// program's, kUnsupported if a later version wrote it, kParse if it is damaged, else kIo.
Result<Database> OpenJournalForWriting(const std::string& path);

// For one reader, with or without a concurrent writer. Errors as above, and kNotFound if there is no file.
Result<Database> OpenJournalForReading(const std::string& path);

// The highest chunk id that this journal ever had.
Result<std::uint64_t> HighestChunk(Database& database);

// The mark of the journal at this path: CheckMark, ReadMark, MarkFile::Open.
Result<void> CheckJournalMark(const std::string& path);
Result<std::optional<Mark>> ReadJournalMark(const std::string& path);
Result<MarkFile> OpenJournalMark(const std::string& path);

}  // namespace openseat::store
