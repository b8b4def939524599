// JournalRoom: how much room a journal has, and who leaves some of it to whom. docs/configuration.md.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "base/result.h"
#include "core/journal.h"

namespace openseat::store {

// The limits, in bytes. 0: no limit.
struct JournalRoom {
  // Of the database file, without its write-ahead log; in a cluster, of all streams of the journal, each counted once.
  std::uint64_t max_bytes = 0;
  // Of those, and of what is left outside (there at most DiskReserve): not available for expendable events, and half
  // not for strangers'.
  std::uint64_t reserve_bytes = 0;
  // Whether max_bytes also binds those who leave no reserve.
  bool binds_all = true;
};

// What is used of them, in bytes.
struct JournalUse {
  std::uint64_t used = 0;
  std::uint64_t left = std::numeric_limits<std::uint64_t>::max();  // outside: of the disk, or of NATS
  std::uint64_t size = std::numeric_limits<std::uint64_t>::max();  // of the whole disk; NATS does not tell
  std::uint64_t kept = 0;  // of that, what no event may take: for what the journal writes besides
  std::string_view outside = "the disk";
};

// For whom the rest is, where an append on these terms has no room.
std::string ReservedFor(const AppendTerms& terms);

// kIo if there is no room for this many bytes more on these terms.
Result<void> CheckRoom(const JournalRoom& room, const JournalUse& use, std::uint64_t bytes, const AppendTerms& terms);

}  // namespace openseat::store
