// What `openseat play` and `openseat tournament` share: their flags, and playing a run (arena/runner.h) with agents of
// the one table of kinds.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "agents/llm/models.h"
#include "app/config.h"
#include "arena/run_spec.h"
#include "arena/run_summary.h"
#include "arena/schedule.h"
#include "base/result.h"
#include "cli/command_line.h"

namespace openseat::app {

struct RunFlags {
  std::string config_file;
  std::vector<std::string> models;
  std::string options;
  std::string out;
  std::string resume;
  bool trust = false;
  std::uint64_t jobs = 1;
  std::uint64_t seed = 0;
  bool seeded = false;
  bool fixed_roles = false;
  double max_cost = 0;
  bool has_max_cost = false;
  std::uint64_t max_tokens = 0;
  bool has_max_tokens = false;
  double max_hours = 0;
  bool has_max_hours = false;
  bool json = false;
};
// REQUIRES `flags` to outlive the parsing. Of what asks models: which, and what they may cost.
void AddModelOptions(cli::Command& command, RunFlags& flags);
// Those, and everything else of a run.
void AddRunOptions(cli::Command& command, RunFlags& flags);

// A run that has ended, or was stopped.
struct RunResult {
  const arena::RunSpec& spec;
  const arena::RunSummary& summary;
  std::uint64_t wanted = 0;  // games, as far as is known
  double seconds = 0;        // of all parts
  std::string folder;        // "" if nothing is kept
  bool complete = false;     // every game was played and counts
};

struct RunCommand {
  std::string name;  // "play"
  // The run that was asked for. REQUIRES a run that is not resumed.
  std::function<Result<arena::RunSpec>()> asked;
  // kConflict if the flags ask for something else than the run that is resumed.
  std::function<Result<void>(const arena::RunSpec& resumed)> check_resumed;
  // What comes before the models' figures on standard output.
  std::function<void(const RunResult& result)> print;
  // Adds to the JSON output and to the folder; errors are printed. May be empty.
  std::function<Result<void>(const RunResult& result, json::Object& output)> complete{};
};
// Whether --trust is given without --resume: wrong usage, which is printed.
bool IsTrustWithoutResume(const RunFlags& flags);
// Returns the process's exit code: 0 if every game was played and counts, 1 if not, 2 for wrong usage.
int ExecuteRun(const RunFlags& flags, const RunCommand& command);

// The models of the config file and of --model, from the flags or, where they do not say, from the resumed run.
Result<std::vector<llm::Model>> ReadModels(arena::RunSpec& spec, const RunFlags& flags);
// Game by id, with the titles and versions of the rules that are here. `options` is for all of them. Errors: kInvalid
// with the names of the games that exist.
Result<arena::RunGame> NamedGame(const std::string& id, const json::Value& options);
// Of --options; null if it is empty.
Result<json::Value> ParseGameOptions(const std::string& text);
// What was given, or a new one. kInvalid if JSON readers would not keep it.
Result<std::uint64_t> RunSeed(const RunFlags& flags);

}  // namespace openseat::app
