// What `openseat journal` does with the databases of a data directory: back up, verify, prune.
// All of it works while a server has them open.
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
#include "store/mark.h"

namespace openseat::store {

// Called periodically with progress on `what`; `total` is 0 if unknown.
using ToolProgress = std::function<void(std::string_view what, std::uint64_t done, std::uint64_t total)>;

struct CopiedFile {
  std::string path;
  std::uint64_t bytes = 0;
};

// Copies journal and registry, each as of one moment, into the directory `target`, which is created if
// missing, mode 0700, and adds a mark to each. An existing backup there is replaced once the new one is complete and on
// disk. kNotFound if there is no journal; kInvalid if `target` is the data directory itself, kConflict if a server runs
// on it; else as for opening a journal.
Result<std::vector<CopiedFile>> BackUp(const std::string& data_dir, const std::string& target,
                                       const ToolProgress& progress);

struct VerifyReport {
  std::uint64_t tables = 0;
  std::uint64_t open_tables = 0;
  std::uint64_t chunks = 0;
  std::uint64_t events = 0;
  std::optional<Mark> mark;           // the journal's
  std::vector<std::string> findings;  // what is wrong, one sentence each; at most kMaxFindings

  static constexpr std::size_t kMaxFindings = 1000;
};

// Reads all of journal and registry: SQLite's own checks, each chunk's checksum and place, each table's numbers, and
// whether both have what their marks claim. Damage is a finding, not an error. kNotFound if there is no journal.
Result<VerifyReport> Verify(const std::string& data_dir, const ToolProgress& progress);

struct PruneReport {
  std::uint64_t tables = 0;  // closed ones, deleted or, in a trial, to be deleted
  std::uint64_t events = 0;
  std::vector<TableId> names;  // of the first kMaxNames, oldest first
  std::uint64_t bytes_before = 0;
  std::uint64_t bytes_after = 0;  // the file's
  std::uint64_t free_bytes = 0;   // unused part of those: the file is older than shrinking

  static constexpr std::size_t kMaxNames = 1000;
};

// Deletes the closed tables whose latest event is older than `before`, and returns their space; without `before`,
// only that of tables deleted earlier. `trial`: only looks. A file from before files could shrink is converted to one
// that can, if no server runs. `forgotten` is called once the tables are deleted, before their space is returned, which
// may fail. Errors as for opening a journal, and kIo.
Result<PruneReport> Prune(const std::string& data_dir, std::optional<Time> before, bool trial,
                          const ToolProgress& progress,
                          const std::function<void(const PruneReport& so_far)>& forgotten = {});

}  // namespace openseat::store
