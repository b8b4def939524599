// JournalReader: the reading half of the SQLite journal, on connections of its own that never wait for the writer. Sees
// what was committed. For the files of this module only.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/result.h"
#include "core/journal.h"

namespace openseat::store {

// Any thread. Destroy it when no call is under way.
class JournalReader {
 public:
  // Checks that the file is a journal. Errors: OpenJournalForReading.
  static Result<std::unique_ptr<JournalReader>> Open(const std::string& path);
  ~JournalReader();

  // As Journal::Read and Journal::Tables. Read fails with kParse where a chunk is damaged or the table's chain of
  // chunks does not hold together; Tables lists such a table with an empty payload.
  Result<std::vector<StoredEvent>> Read(const TableId& table, Seq after, std::size_t limit);
  Result<std::vector<TableRecord>> Tables(std::size_t limit, std::uint64_t before);

 private:
  class Connection;
  class Lease;

  explicit JournalReader(std::string path);

  const std::string path_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Connection>> idle_;
};

}  // namespace openseat::store
