// Run records: what `openseat play --record` saves, one JSON file per run in DATA_DIR/arena. See
// docs/formats/arena_run.md.
//
// Files are written in full and never changed, so any number of processes may write and read. Nothing is held open; any
// thread may call, but calls block on the disk.
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
inline constexpr std::size_t kMaxBytes = 1u << 20;  // per file
inline constexpr std::size_t kMaxName = 200;        // bytes of a run's name

// "20261122-010300000-tictactoe-k7q2mf": ids sort by time, to the millisecond. The end is random, so two runs
// never share one.
std::string NewRunId(Time started, std::string_view game);
// Whether it is a valid id: a-z, 0-9 and "-" only, so it is never a path.
bool IsRunId(std::string_view text);

// Saves `run` under its "id" and creates the folder if missing. Returns the file's path. REQUIRES "format",
// "version", and an "id" from NewRunId.
Result<std::string> WriteRun(const std::string& data_dir, const json::Object& run);

// Errors: kNotFound; kParse for a file that is not a run record, or has a newer version.
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
