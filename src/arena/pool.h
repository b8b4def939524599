// Pool: a standing ladder. Its file names the folders of the runs that it consists of, so each of its figures can be
// counted again and opened down to its games; the ratings are those of all these games together.
// docs/formats/ratings.md#pools describes the file. Any thread; ReadPool and ReadPoolGames block on the disk.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "arena/game_line.h"
#include "arena/schedule.h"
#include "arena/standings.h"
#include "base/json.h"
#include "base/result.h"

namespace openseat::arena {

inline constexpr const char* kPoolFormat = "openseat-pool";
inline constexpr int kPoolVersion = 1;
inline constexpr std::size_t kMaxPoolBytes = 64u << 20;
inline constexpr std::size_t kMaxPoolRuns = 100'000;

struct Pool {
  std::vector<std::string> runs;  // folders, oldest first; relative ones start at the folder of the pool's file
};

// Errors: kParse with what was expected. Members other than "format", "version" and "runs" are results, which are made
// again, and ignored.
Result<Pool> ParsePool(const json::Value& value);
json::Object ToJson(const Pool& pool, const Standings& standings);

// The pool in this file; an empty one if there is no such file. Errors: kParse, kTooLarge, kIo.
Result<Pool> ReadPool(const std::string& file);
// The games of all its runs. Errors: as ReadGameFile, for a run that is missing or damaged.
Result<std::vector<std::vector<GameLine>>> ReadPoolGames(const std::string& file, const Pool& pool);
// Has the results of these games count in a schedule: those of its games, void ones left out. Agents that only they
// have are added to it, to be rated but not to play. Newcomers are the agents without such a game or, if all have one,
// all that play.
void AddEarlier(std::span<const std::vector<GameLine>> runs, ScheduleSpec& spec);
// How a run's folder is named in the pool of this file: relative to it if the folder is below the file's.
std::string PoolName(const std::string& file, const std::string& folder);

}  // namespace openseat::arena
