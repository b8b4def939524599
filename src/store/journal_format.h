// The journal on disk, in numbers and names. The prose is docs/formats/journal.md; a change here is a change there, and
// of kSchemaVersion or kChunkVersion.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace openseat::store {

inline constexpr const char* kJournalFileName = "openseat.db";  // in the data directory

// "OSet" in the file's header (PRAGMA application_id): tells our files from other programs' SQLite databases.
inline constexpr std::int64_t kApplicationId = 0x4F536574;
// PRAGMA user_version: the shape of the tables below. A program refuses a file with a higher one.
inline constexpr std::int64_t kSchemaVersion = 1;

inline constexpr const char* kSchema = R"(
  CREATE TABLE tables(
    key INTEGER PRIMARY KEY,
    id TEXT UNIQUE,
    opened INTEGER NOT NULL,
    first_chunk INTEGER NOT NULL,
    last_chunk INTEGER NOT NULL,
    chunks INTEGER NOT NULL,
    last_seq INTEGER NOT NULL,
    last_time INTEGER NOT NULL,
    closed INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE chunks(
    id INTEGER PRIMARY KEY,
    table_key INTEGER NOT NULL,
    prev INTEGER NOT NULL,
    first_seq INTEGER NOT NULL,
    count INTEGER NOT NULL,
    data BLOB NOT NULL
  ) STRICT;
  CREATE TABLE marks(
    table_key INTEGER NOT NULL,
    last_seq INTEGER NOT NULL,
    chunk INTEGER NOT NULL,
    PRIMARY KEY(table_key, last_seq)
  ) STRICT, WITHOUT ROWID;
)";

// A chunk's data: the version, its records, a CRC-32 of four bytes, little-endian.
inline constexpr std::uint8_t kChunkVersion = 1;
inline constexpr std::size_t kChunkHeaderBytes = 1;
inline constexpr std::size_t kChunkTrailerBytes = 4;
// A chunk that has grown to this takes no further record.
inline constexpr std::size_t kChunkTargetBytes = std::size_t{256} << 10;
// Every so many chunks of a table, one is entered in `marks`.
inline constexpr std::uint64_t kChunksPerMark = 64;

// The mark beside the database: a line of text.
inline constexpr std::string_view kMarkHeader = "openseat-journal-mark-1";
inline constexpr std::size_t kMarkBytes = 80;
inline constexpr const char* kMarkSuffix = ".mark";

inline constexpr std::size_t kMaxPayloadBytes = std::size_t{64} << 20;
inline constexpr std::size_t kMaxTableIdBytes = 255;

}  // namespace openseat::store
