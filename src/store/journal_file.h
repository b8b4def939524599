// Opens the SQLite file of a journal: creates it, or checks that it is one that this program understands, and that it
// has all that was acknowledged. For the files of this module only.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "store/sqlite.h"

namespace openseat::store {

// For the one writer (REQUIRES that the caller holds the lock). Creates the file, mode 0600, where there is none;
// WAL, synchronous=FULL. kInvalid where the path is no file or the file another program's, kUnsupported where a later
// version wrote it, kParse where it is damaged, else kIo.
Result<Database> OpenJournalForWriting(const std::string& path);

// For one reader, beside the writer or without one. Errors as above, and kNotFound where there is no file.
Result<Database> OpenJournalForReading(const std::string& path);

// The highest id that a chunk of this journal ever had.
Result<std::uint64_t> HighestChunk(Database& database);

// Whether the journal has all that its mark says was acknowledged; leaves the files as they are. kParse where it has
// not, with what to do; other errors as above. A journal without a mark is not judged.
Result<void> CheckMark(const std::string& path);

}  // namespace openseat::store
