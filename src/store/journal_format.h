// The journal on disk, in numbers and names. See docs/formats/journal.md; if you change this file, change the page, and
// kSchemaVersion or kChunkVersion.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace openseat::store {

inline constexpr const char* kJournalFileName = "openseat.db";  // in the data directory

// "OSet" in the file's header (PRAGMA application_id): distinguishes our files from other SQLite databases.
inline constexpr std::int64_t kApplicationId = 0x4F536574;
// PRAGMA user_version: the version of the tables below. A program refuses a file with a higher one.
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
// Not part of the version (DatabaseFormat::indexes).
inline constexpr const char* kIndexes =
    "CREATE INDEX IF NOT EXISTS open_tables ON tables(closed) WHERE closed = 0;"
    "CREATE INDEX IF NOT EXISTS closed_tables ON tables(last_time) WHERE id IS NOT NULL AND closed = 1";

// A chunk's data: the version, its records, a four-byte little-endian CRC-32.
inline constexpr std::uint8_t kChunkVersion = 1;
inline constexpr std::size_t kChunkHeaderBytes = 1;
inline constexpr std::size_t kChunkTrailerBytes = 4;
// A chunk of this size gets no more records.
inline constexpr std::size_t kChunkTargetBytes = std::size_t{256} << 10;
// One in this many chunks of a table gets an entry in `marks`.
inline constexpr std::uint64_t kChunksPerMark = 64;

// The mark next to the database: one line of text.
inline constexpr std::string_view kMarkHeader = "openseat-journal-mark-1";
inline constexpr const char* kMarkSuffix = ".mark";

inline constexpr std::size_t kMaxPayloadBytes = std::size_t{64} << 20;
inline constexpr std::size_t kMaxTableIdBytes = 255;

}  // namespace openseat::store
