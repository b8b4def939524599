// RunSpec: what was asked of a run, and what it has spent: the contents of a run's run.json, which docs/formats/run.md
// describes. Plain values; pure functions, any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "base/time.h"
#include "match/fork.h"

namespace openseat::arena {

inline constexpr const char* kRunFormat = "openseat-run";
inline constexpr int kRunVersion = 2;                   // version 1 was one file for a whole run (run_record.h)
inline constexpr std::size_t kMaxRunBytes = 16u << 20;  // of run.json

struct RunGame {
  std::string id;
  std::string title;
  int rules_version = 1;
  json::Value options;  // null: the defaults
};

// What the run may spend, in all its parts together; nullopt: no limit.
struct RunBudget {
  std::optional<double> cost;  // dollars
  std::optional<std::uint64_t> tokens;
  std::optional<double> hours;
};

// What calls to models have cost.
struct Spent {
  std::uint64_t tokens = 0;  // read and written, from a cache or not
  double cost = 0;           // dollars; models without prices count as free

  Spent& operator+=(const Spent& other) {
    tokens += other.tokens;
    cost += other.cost;
    return *this;
  }
};

// The work of one process: the first, or one that resumed the run.
struct RunPart {
  Time started;
  std::optional<double> seconds;  // nullopt: it has not ended, or was killed
  Spent spent;                    // void games included; 0 without `seconds`
};

// A standing ladder that the run belongs to (pool.h).
struct RunPool {
  std::string file;               // absolute
  std::vector<std::string> runs;  // that it had when the run began, as named in the file
};

// Where the games of `openseat fork` begin.
struct RunFork {
  std::string source;  // the journaled table or the run's folder, as in the command
  std::uint64_t decision = 0;
  std::uint64_t seed = 0;  // of the game that is gone on with
  Fork fork;
};

struct RunSpec {
  std::string command;   // "play", "tournament" or "fork"
  std::string name;      // for people; may be empty
  std::string openseat;  // the program's version
  std::vector<RunGame> games;
  std::vector<std::string> agents;  // as named in the command
  std::string format;               // of a tournament: "round-robin" …
  std::uint64_t wanted = 0;         // games, of `play` and `fork`
  std::optional<RunFork> fork;
  std::uint64_t pairs = 0;  // of a tournament, for each pair of agents and each game
  std::optional<double> until_interval;
  std::optional<RunPool> pool;  // of a tournament
  std::uint64_t seed = 0;
  bool fixed_roles = false;
  json::Object models;                   // those that play, by name: their settings without keys
  std::vector<std::string> model_flags;  // --model, without keys
  std::string config;                    // --config; may be empty
  RunBudget budget;
  std::vector<RunPart> parts;
  json::Value summary;  // at the end of a part: run_summary.h
};

json::Object ToJson(const RunSpec& spec);
// Members with unknown names are ignored. Errors: kInvalid with the member as path; kUnsupported for another version.
Result<RunSpec> ParseRunSpec(const json::Value& value);

// Whether both ask for the same games between the same agents with the same models: one may continue the other. The
// error names the first difference; `now` is what this program would write.
Result<void> CheckSameRun(const RunSpec& before, const RunSpec& now);

}  // namespace openseat::arena
