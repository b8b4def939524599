#include "arena/pool.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <numeric>
#include <set>
#include <system_error>
#include <utility>

#include "arena/game_file.h"
#include "arena/run_folder.h"
#include "arena/standings_output.h"
#include "base/json_document.h"

namespace openseat::arena {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxFolder = 4096;  // bytes of a path

fs::path FolderOfFile(const std::string& file) {
  return fs::absolute(file).lexically_normal().parent_path();
}

}  // namespace

Result<Pool> ParsePool(const json::Value& value) {
  const json::Value* format = json::Find(value, "format");
  if (format == nullptr || *format != kPoolFormat) {
    return Fail(ErrorCode::kParse, std::string("a pool has the \"format\" \"") + kPoolFormat + "\"", "format");
  }
  const json::Value* version = json::Find(value, "version");
  if (version == nullptr || *version != kPoolVersion) {
    return Fail(ErrorCode::kParse,
                "this program reads pools of version " + std::to_string(kPoolVersion) + ", not " +
                    (version == nullptr ? "none" : json::Write(*version)),
                "version");
  }
  const json::Value* runs = json::Find(value, "runs");
  if (runs == nullptr || !runs->is_array() || runs->get_array().size() > kMaxPoolRuns) {
    return Fail(ErrorCode::kParse,
                "a pool's \"runs\" is an array of at most " + std::to_string(kMaxPoolRuns) + " folders", "runs");
  }
  Pool pool;
  std::set<std::string> seen;
  for (const json::Value& run : runs->get_array()) {
    const json::String* folder = run.if_string();
    if (folder == nullptr || folder->empty() || folder->size() > kMaxFolder) {
      return Fail(ErrorCode::kParse,
                  "a run of a pool is a folder's name of 1 to " + std::to_string(kMaxFolder) + " bytes, not " +
                      json::Excerpt(run, 60),
                  "runs");
    }
    std::string name(json::View(*folder));
    if (!seen.insert(name).second) {
      return Fail(ErrorCode::kParse, "the run \"" + name + "\" is in the pool twice", "runs");
    }
    pool.runs.push_back(std::move(name));
  }
  return pool;
}

json::Object ToJson(const Pool& pool, const Standings& standings) {
  json::Object out{
      {"format", kPoolFormat}, {"version", kPoolVersion}, {"runs", json::Array(pool.runs.begin(), pool.runs.end())}};
  out["ratings"] = ToJson(standings);
  return out;
}

Result<Pool> ReadPool(const std::string& file) {
  std::error_code error;
  if (!fs::exists(file, error) && !error) return Pool();
  const Result<std::string> text = json::ReadFile(file, kMaxPoolBytes);
  if (!text) return Fail(text.error());
  const Result<json::Value> value = json::ParseDocument(*text, {.max_bytes = kMaxPoolBytes});
  if (!value) return Fail(ErrorCode::kParse, file + ": " + value.error().message, file);
  Result<Pool> pool = ParsePool(*value);
  if (!pool) return Fail(pool.error().code, file + ": " + pool.error().message, file);
  return pool;
}

Result<std::vector<std::vector<GameLine>>> ReadPoolGames(const std::string& file, const Pool& pool) {
  std::vector<std::vector<GameLine>> runs;
  for (const std::string& run : pool.runs) {
    // An absolute name replaces what it is appended to.
    Result<std::vector<GameLine>> games = ReadGameFile((FolderOfFile(file) / run / kGamesFile).string());
    if (!games) return Fail(games.error().code, "the pool " + file + ": " + games.error().message, file);
    runs.push_back(std::move(*games));
  }
  return runs;
}

void AddEarlier(std::span<const std::vector<GameLine>> runs, ScheduleSpec& spec) {
  std::vector<std::size_t> playing(spec.agents.size());
  std::iota(playing.begin(), playing.end(), std::size_t{0});
  std::map<std::string, std::size_t> agents;
  for (const std::size_t agent : playing) agents.emplace(spec.agents[agent], agent);
  std::map<std::string, std::uint32_t> kinds;
  for (ScheduledGame& game : spec.games) {
    kinds.emplace(game.id, static_cast<std::uint32_t>(kinds.size()));
    if (game.agents.empty()) game.agents = playing;
  }
  std::map<std::pair<std::size_t, std::uint64_t>, std::uint64_t> clusters;  // by run and pair
  std::vector<bool> known(playing.size(), false);
  for (std::size_t run = 0; run < runs.size(); ++run) {
    for (const GameLine& line : runs[run]) {
      const auto kind = kinds.find(line.game_id);
      const bool alone = std::ranges::adjacent_find(line.seats, std::ranges::not_equal_to()) == line.seats.end();
      if (line.result == GameResult::kVoid || kind == kinds.end() || alone) continue;
      RatedGame& game = spec.earlier.emplace_back();
      game.kind = kind->second;
      game.cluster = clusters.emplace(std::pair(run, line.pair), clusters.size()).first->second;
      for (const std::string& name : line.seats) {
        const auto [agent, added] = agents.emplace(name, spec.agents.size());
        if (added) spec.agents.push_back(name);
        if (agent->second < known.size()) known[agent->second] = true;
        game.agents.push_back(static_cast<std::uint32_t>(agent->second));
      }
      for (const SeatIndex seat : line.winners) game.winners.Insert(seat);
    }
  }
  if (spec.earlier.empty()) return;
  spec.newcomers = playing;
  std::erase_if(spec.newcomers, [&](std::size_t agent) { return known[agent]; });
  if (spec.newcomers.empty()) spec.newcomers = playing;
}

std::string PoolName(const std::string& file, const std::string& folder) {
  fs::path path = fs::absolute(folder).lexically_normal();
  if (!path.has_filename()) path = path.parent_path();  // "runs/monday/"
  const fs::path relative = path.lexically_relative(FolderOfFile(file));
  return relative.empty() || *relative.begin() == ".." ? path.string() : relative.string();
}

}  // namespace openseat::arena
