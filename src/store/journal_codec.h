// The bytes of a chunk: the contents of the column chunks.data. Pure functions; see
// docs/formats/journal.md for the format.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "core/journal.h"

namespace openseat::store {

// A chunk's place. It is stored in columns next to the data and included in the checksum, to detect a chunk that was
// moved to another table or another place in its table.
struct ChunkPlace {
  std::uint64_t table_key = 0;
  Seq first_seq = 0;
  std::uint64_t count = 0;  // of its records, at least 1
};

class ChunkBuilder {
 public:
  // REQUIRES a payload of at most kMaxPayloadBytes, and that Finish was not called.
  void Add(const Event& event);
  std::uint64_t count() const { return count_; }
  std::size_t bytes() const { return data_.size(); }
  // Seals the chunk and returns its data, which the builder owns. REQUIRES count() > 0; call once.
  std::string_view Finish(std::uint64_t table_key, Seq first_seq);

 private:
  std::string data_;
  std::uint64_t count_ = 0;
  std::int64_t last_time_ = 0;
};

// The events of a chunk. kParse if the bytes are not what was written at that place; kUnsupported if a later
// version wrote them. Unknown kinds are returned unchanged.
Result<std::vector<Event>> DecodeChunk(const ChunkPlace& place, std::string_view data);

// The part of DecodeChunk after version and checksum: exactly `count` records. Accepts any bytes.
Result<std::vector<Event>> DecodeRecords(std::uint64_t count, std::string_view records);

}  // namespace openseat::store
