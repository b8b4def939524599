// Recorded runs: those of `openseat play --record`, one folder per run in DATA_DIR/arena (run_folder.h), and older ones
// of one file each. Both are shown as a summary; docs/formats/arena_run.md describes it.
//
// Nothing is held open; any thread may call, but calls block on the disk.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "base/time.h"

namespace openseat::arena {

inline constexpr const char* kFolder = "arena";  // in the data directory
inline constexpr const char* kFormat = "openseat-run";
inline constexpr int kVersion = 1;
inline constexpr std::size_t kMaxBytes = 1u << 20;  // of an older run's file
inline constexpr std::size_t kMaxName = 200;        // bytes of a run's name

// "20261122-010300000-tictactoe-k7q2mf": ids sort by time, to the millisecond. The end is random, so two runs
// never share one.
std::string NewRunId(Time started, std::string_view game);
// Whether it is a valid id: a-z, 0-9 and "-" only, so it is never a path.
bool IsRunId(std::string_view text);

// The folder for a new run.
std::string NewRunPath(const std::string& data_dir, Time started, std::string_view game);

// A run's summary. Of a run that is not over, or was killed: what its games say so far. Errors: kNotFound; kParse for a
// file that is not a run's, or has a newer version.
Result<json::Object> ReadRun(const std::string& data_dir, std::string_view id);

struct RunList {
  std::vector<json::Object> runs;  // newest first
  struct Unreadable {
    std::string file;
    std::string message;
  };
  std::vector<Unreadable> unreadable;
  std::string next;  // if there are older ones: the `before` value for the next page
};

// The newest runs, at most `limit`; only those older than the id `before`, unless it is "". Without a folder, the list
// is empty.
Result<RunList> ListRuns(const std::string& data_dir, std::size_t limit, std::string_view before = {});

}  // namespace openseat::arena
