// Run records: what `openseat play --record` leaves behind, one JSON file a run in DATA_DIR/arena.
// docs/formats/arena_run.md describes them.
//
// Files are written whole and never changed, so any number of processes may write and read. Nothing is held open; any
// thread, but they read the disk.
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
inline constexpr std::size_t kMaxBytes = 1u << 20;  // of a file
inline constexpr std::size_t kMaxName = 200;        // bytes of a run's name

// "20261122-010300000-tictactoe-k7q2mf": ids sort by time, to the millisecond. The end is random, so that two runs
// never share one.
std::string NewRunId(Time started, std::string_view game);
// Whether it may be one: a-z, 0-9 and "-" only, so that it is never a path.
bool IsRunId(std::string_view text);

// Keeps `run` under its "id"; the folder is made where it is not there. Gives the file's path. REQUIRES "format",
// "version" and an "id" of NewRunId.
Result<std::string> WriteRun(const std::string& data_dir, const json::Object& run);

// Errors: kNotFound; kParse for a file that is no run record, or one of a newer version.
Result<json::Object> ReadRun(const std::string& data_dir, std::string_view id);

struct RunList {
  std::vector<json::Object> runs;  // newest first
  struct Unreadable {
    std::string file;
    std::string message;
  };
  std::vector<Unreadable> unreadable;
  std::string next;  // where there are older ones: the `before` that leads to them
};

// The newest runs, at most `limit`; only those older than the id `before`, unless that is "". No folder: none.
Result<RunList> ListRuns(const std::string& data_dir, std::size_t limit, std::string_view before = {});

}  // namespace openseat::arena
