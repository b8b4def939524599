// Runs in a data directory: the names of new ones (run_folder.h), and those that older versions recorded, of one file
// each. docs/formats/arena_run.md describes that file; run_shelf.h lists both.
//
// Nothing is held open; any thread may call, but calls block on the disk.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

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

// A run of one file. Errors: kNotFound; kParse for a file that is not a run's, or has a newer version.
Result<json::Object> ReadOldRun(const std::string& data_dir, std::string_view id);

}  // namespace openseat::arena
