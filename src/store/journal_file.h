// Opens a journal's SQLite file: creates it, or checks that this program understands it and that
// everything acknowledged is there. Internal to this module.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
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

// Checks that the journal has everything that its mark says was acknowledged; does not change the files. kParse, with
// advice, if something is missing; other errors as above. A journal without a mark passes.
Result<void> CheckMark(const std::string& path);

}  // namespace openseat::store
