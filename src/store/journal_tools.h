// What `openseat journal` does with the databases of a data directory: copies them, checks them, forgets what is old.
// All of it may be done beside the server that has them open.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "core/ids.h"
#include "store/journal_mark.h"

namespace openseat::store {

// Told now and then of what is done of `what`; `total` may be 0 where nobody knows.
using ToolProgress = std::function<void(std::string_view what, std::uint64_t done, std::uint64_t total)>;

struct CopiedFile {
  std::string path;
  std::uint64_t bytes = 0;
};

// Copies journal and registry, as they are at one moment each, into the directory `target`, which is made where it is
// missing; with them a mark. A backup that lies there is replaced once the new one is whole and on the disk.
// kNotFound where there is no journal; kInvalid where `target` is the data directory itself, kConflict where a server
// runs on it; else as for opening a journal.
Result<std::vector<CopiedFile>> BackUp(const std::string& data_dir, const std::string& target,
                                       const ToolProgress& progress);

struct VerifyReport {
  std::uint64_t tables = 0;
  std::uint64_t open_tables = 0;
  std::uint64_t chunks = 0;
  std::uint64_t events = 0;
  std::optional<JournalMark> mark;
  std::vector<std::string> findings;  // what is wrong, a sentence each; at most kMaxFindings

  static constexpr std::size_t kMaxFindings = 1000;
};

// Reads all of journal and registry: SQLite's own checks, each chunk's checksum and place, each table's numbers, and
// whether the journal has what its mark claims. Damage is a finding, not an error. kNotFound where there is no journal.
Result<VerifyReport> Verify(const std::string& data_dir, const ToolProgress& progress);

struct PruneReport {
  std::uint64_t tables = 0;  // closed ones, forgotten or, in a trial, to be forgotten
  std::uint64_t events = 0;
  std::vector<TableId> names;  // of the first kMaxNames, oldest first
  std::uint64_t bytes_before = 0;
  std::uint64_t bytes_after = 0;  // the file's
  std::uint64_t free_bytes = 0;   // of those, unused: the file is of a time before it could shrink

  static constexpr std::size_t kMaxNames = 1000;
};

// Forgets the closed tables whose latest event is older than `before`, and gives their space back; without `before`
// only what was forgotten earlier. `trial`: only looks. A file of a time before files could shrink is made one that
// can, where no server runs. Errors as for opening a journal, and kIo.
Result<PruneReport> Prune(const std::string& data_dir, std::optional<Time> before, bool trial,
                          const ToolProgress& progress);

}  // namespace openseat::store
