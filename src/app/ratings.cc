#include "app/ratings.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <set>
#include <system_error>
#include <utility>
#include <vector>

#include "app/commands.h"
#include "arena/game_file.h"
#include "arena/pool.h"
#include "arena/run_folder.h"
#include "arena/standings_output.h"
#include "base/file.h"
#include "base/json.h"
#include "store/file_lock.h"

namespace openseat::app {
namespace {

namespace fs = std::filesystem;

constexpr double kMaxBase = 1e6;
constexpr Duration kQuickFit = std::chrono::seconds(1);  // says nothing of its progress
constexpr Duration kFitRedraw = std::chrono::milliseconds(100);

struct RatingsFlags {
  std::vector<std::string> folders;
  std::string anchor;
  bool equal_games = false;
  std::uint64_t resamples = arena::kResamples;
  std::uint64_t seed = 0;
  bool json = false;
};

using Runs = std::vector<std::vector<arena::GameLine>>;

Result<Runs> ReadRuns(const std::vector<std::string>& folders) {
  Runs runs;
  std::set<fs::path> seen;
  for (const std::string& folder : folders) {
    std::error_code error;
    const fs::path place = fs::weakly_canonical(folder, error);
    if (!error && !seen.insert(place).second) {
      return Fail(ErrorCode::kInvalid, "the folder " + folder + " is given twice; its games count once", folder);
    }
    Result<std::vector<arena::GameLine>> games = arena::ReadGameFile((fs::path(folder) / arena::kGamesFile).string());
    if (!games && games.error().code == ErrorCode::kNotFound) {
      return Fail(ErrorCode::kInvalid,
                  folder +
                      " is not the folder of a run: it has no games.jsonl, which `openseat tournament` and "
                      "`openseat play --out` write",
                  folder);
    }
    if (!games) return Fail(games.error());
    runs.push_back(std::move(*games));
  }
  return runs;
}

std::set<std::string> AgentsOf(const Runs& runs) {
  std::set<std::string> agents;
  for (const auto& run : runs) {
    for (const arena::GameLine& line : run) agents.insert(line.seats.begin(), line.seats.end());
  }
  return agents;
}

// AGENT or AGENT=RATING; an agent's name may contain "=" itself.
Result<void> ReadAnchor(const std::string& text, const std::set<std::string>& agents,
                        arena::StandingsOptions& options) {
  options.anchor = text;
  const std::size_t at = text.rfind('=');
  if (agents.contains(text) || at == std::string::npos) return {};
  options.anchor = text.substr(0, at);
  const char* end = text.data() + text.size();
  const auto [parsed, error] = std::from_chars(text.data() + at + 1, end, options.base);
  if (error != std::errc() || parsed != end || !(std::abs(options.base) <= kMaxBase)) {
    return Fail(ErrorCode::kInvalid,
                "--anchor: expected AGENT=RATING with a number from -1000000 to 1000000, got \"" + text + "\"");
  }
  return {};
}

Result<arena::Standings> StandingsOf(const RatingsFlags& flags) {
  const Result<Runs> runs = ReadRuns(flags.folders);
  if (!runs) return Fail(runs.error());
  arena::StandingsOptions options;
  options.equal_games = flags.equal_games;
  options.resamples = flags.resamples;
  options.seed = flags.seed;
  if (Result<void> anchor = ReadAnchor(flags.anchor, AgentsOf(*runs), options); !anchor) return Fail(anchor.error());
  FitProgress progress;
  options.on_progress = [&progress](double share) { progress.Show(share); };
  return arena::MakeStandings(*runs, options);
}

int RunRatings(const RatingsFlags& flags) {
  const Result<arena::Standings> standings = StandingsOf(flags);
  if (!standings) {
    PrintError(standings.error().message);
    return standings.error().code == ErrorCode::kInvalid ? kUsage : kFailed;
  }
  if (flags.json) {
    std::puts(json::Write(ToJson(*standings)).c_str());
  } else {
    std::fputs(StandingsText(*standings).c_str(), stdout);
  }
  if (flags.folders.size() != 1) return kDone;
  // The answer is on standard output; somebody else's folder may be read-only.
  if (Result<void> written = WriteRatings(flags.folders.front(), *standings); !written) {
    PrintError(written.error().message);
  }
  return kDone;
}

}  // namespace

Result<void> WriteRatings(const std::string& folder, const arena::Standings& standings) {
  const fs::path path(folder);
  Result<void> written =
      ReplaceFile((path / arena::kRatingsFile).string(), json::WritePretty(ToJson(standings)) + "\n");
  return written ? ReplaceFile((path / arena::kRatingsCsv).string(), StandingsCsv(standings)) : written;
}

Result<arena::Standings> AddToPool(const std::string& file, const std::string& folder,
                                   const arena::StandingsOptions& options) {
  const Result<store::FileLock> lock = store::FileLock::Acquire(file + ".lock");
  if (!lock) return Fail(lock.error().code, "the pool " + file + ": " + lock.error().message, file);
  Result<arena::Pool> pool = arena::ReadPool(file);
  if (!pool) return Fail(pool.error());
  std::string name = arena::PoolName(file, folder);
  if (std::ranges::find(pool->runs, name) == pool->runs.end()) pool->runs.push_back(std::move(name));
  const auto runs = arena::ReadPoolGames(file, *pool);
  if (!runs) return Fail(runs.error());
  Result<arena::Standings> standings = arena::MakeStandings(*runs, options);
  if (!standings) return standings;
  const std::string text = json::WritePretty(ToJson(*pool, *standings)) + "\n";
  if (Result<void> written = ReplaceFile(file, text); !written) return Fail(written.error());
  return standings;
}

FitProgress::FitProgress() : shown_(isatty(STDERR_FILENO) != 0), next_(clock_.Monotonic() + kQuickFit) {}

FitProgress::~FitProgress() {
  if (drawn_) std::fputs("\r\x1b[K", stderr);
}

void FitProgress::Show(double share) {
  const Instant now = clock_.Monotonic();
  if (!shown_ || now < next_) return;
  next_ = now + kFitRedraw;
  drawn_ = true;
  std::fprintf(stderr, "\rrating: %.0f %%\x1b[K", 100 * share);
}

void AddRatings(cli::Command program) {
  auto flags = std::make_shared<RatingsFlags>();
  cli::Command ratings = program.AddCommand(
      "ratings",
      "Rates the agents of runs, with 95 % intervals; of one run, also into its ratings.json and ratings.csv");
  ratings.AddOption("folders", &flags->folders,
                    "Folders of `openseat tournament` or `openseat play --out`; their games are rated together",
                    {.type = "DIR", .required = true});
  ratings.AddOption(
      "--anchor", &flags->anchor,
      "The agent from which ratings are measured, and its rating (default 1500); without one, the mean of "
      "all agents is 1500",
      {.type = "AGENT[=RATING]"});
  ratings.AddOption("--equal-games", &flags->equal_games,
                    "Each kind of game weighs the same, however often it was played");
  ratings.AddOption("--resamples", &flags->resamples,
                    "How many resamples the bootstrap for the intervals draws (default 2000)",
                    {.type = "N", .range = cli::Range(100, static_cast<int>(arena::kMaxResamples))});
  ratings.AddOption("--seed", &flags->seed, "The bootstrap's seed (default 0)", {.type = "N"});
  ratings.AddOption("--json", &flags->json, "One JSON object, for programs (docs/formats/ratings.md)");
  ratings.SetFooter(
      "Examples:\n"
      "  openseat ratings runs/monday\n"
      "  openseat ratings runs/monday runs/tuesday --anchor random=1000\n"
      "  openseat ratings runs/* --equal-games --json");
  ratings.SetRun([flags] { return RunRatings(*flags); });
}

}  // namespace openseat::app
