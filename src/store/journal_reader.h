// JournalReader: the reading half of the SQLite journal. It uses its own connections, never waits for the writer, and
// sees committed data. Internal to this module.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/result.h"
#include "core/journal.h"

namespace openseat::store {

// Any thread. Destroy it when no call is in progress.
class JournalReader {
 public:
  // Checks that the file is a journal. Errors: OpenJournalForReading.
  static Result<std::unique_ptr<JournalReader>> Open(const std::string& path);
  ~JournalReader();

  // Like Journal::Read, Journal::Tables, Journal::OpenTables and Journal::Find. Read fails with kParse if a chunk is
  // damaged or the table's chain of chunks is inconsistent; such a table is listed with an empty payload.
  Result<std::vector<StoredEvent>> Read(const TableId& table, Seq after, std::size_t limit);
  Result<std::vector<TableRecord>> Tables(std::size_t limit, std::uint64_t before);
  Result<std::vector<TableRecord>> OpenTables(std::size_t limit, std::uint64_t after);
  Result<TableRecord> Find(const TableId& table);

 private:
  class Connection;
  class Lease;

  explicit JournalReader(std::string path);

  const std::string path_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Connection>> idle_;
};

}  // namespace openseat::store
