#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>

#include "app/commands.h"
#include "app/config.h"
#include "app/ratings.h"
#include "app/run_command.h"
#include "app/run_report.h"
#include "arena/pool.h"
#include "arena/run_folder.h"
#include "arena/standings_output.h"
#include "base/text.h"

namespace openseat::app {
namespace {

struct TournamentFlags {
  RunFlags run;
  std::string games;
  std::vector<std::string> agents;
  std::string format = "round-robin";
  bool has_format = false;
  std::uint64_t pairs = 10;
  bool has_pairs = false;
  double until_interval = 0;
  bool has_until_interval = false;
  std::string pool;
};

// At the end.
struct TournamentTables {
  std::optional<arena::Standings> run;
  std::optional<arena::Standings> pool;
};

std::vector<std::string> GamesIn(const std::string& text) {
  std::vector<std::string> games;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    games.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return games;
}

std::vector<std::string> AgentsIn(const std::vector<std::string>& texts) {
  std::vector<std::string> agents;
  for (const std::string& text : texts) {
    for (std::string& agent : SplitAgents(text)) agents.push_back(std::move(agent));
  }
  return agents;
}

Result<void> CheckDifferent(const std::vector<std::string>& names, const char* what) {
  for (auto name = names.begin(); name != names.end(); ++name) {
    if (std::find(names.begin(), name, *name) == name) continue;
    return Fail(ErrorCode::kInvalid, std::string(what) + " \"" + *name + "\" is given twice");
  }
  return {};
}

std::string AbsolutePath(const std::string& path) {
  std::error_code error;
  return std::filesystem::absolute(path, error).lexically_normal().string();
}

Result<void> ReadPoolOf(const TournamentFlags& flags, arena::RunSpec& spec) {
  if (flags.pool.empty()) return {};
  if (!flags.has_until_interval || flags.format != "round-robin") {
    return Fail(ErrorCode::kInvalid,
                "--pool goes with --until-interval ELO and the format round-robin: newcomers play until their 95 % "
                "intervals are narrow enough");
  }
  const std::string file = AbsolutePath(flags.pool);
  Result<arena::Pool> pool = arena::ReadPool(file);
  if (!pool) return Fail(pool.error());
  spec.pool = {.file = file, .runs = std::move(pool->runs)};
  return {};
}

Result<arena::RunSpec> TournamentAsked(const TournamentFlags& flags) {
  if (flags.games.empty() || flags.agents.empty()) {
    return Fail(
        ErrorCode::kInvalid,
        "give the games and the agents, as in `openseat tournament tictactoe,connectm --agents random,llm:a --out "
        "DIR`, or --resume DIR");
  }
  if (flags.run.out.empty()) return Fail(ErrorCode::kInvalid, "a tournament is kept: add --out DIR");
  arena::RunSpec spec;
  spec.command = "tournament";
  spec.openseat = OPENSEAT_VERSION;
  const Result<json::Value> options = ParseGameOptions(flags.run.options);
  if (!options) return Fail(options.error());
  const std::vector<std::string> games = GamesIn(flags.games);
  if (Result<void> different = CheckDifferent(games, "the game"); !different) return Fail(different.error());
  if (!options->is_null() && games.size() > 1) {
    return Fail(ErrorCode::kInvalid,
                "--options are those of one game, and the tournament has " + std::to_string(games.size()));
  }
  for (const std::string& id : games) {
    Result<arena::RunGame> game = NamedGame(id, *options);
    if (!game) return Fail(game.error());
    spec.games.push_back(std::move(*game));
  }
  spec.agents = AgentsIn(flags.agents);
  if (Result<void> different = CheckDifferent(spec.agents, "the agent"); !different) return Fail(different.error());
  spec.format = flags.format;
  spec.pairs = flags.pairs;
  if (flags.has_until_interval) spec.until_interval = flags.until_interval;
  if (Result<void> pooled = ReadPoolOf(flags, spec); !pooled) return Fail(pooled.error());
  const Result<std::uint64_t> seed = RunSeed(flags.run);
  if (!seed) return Fail(seed.error());
  spec.seed = *seed;
  spec.fixed_roles = flags.run.fixed_roles;
  return spec;
}

// What is given together with --resume must be what the tournament was begun with.
Result<void> CheckResumedTournament(const TournamentFlags& flags, const arena::RunSpec& run) {
  const auto other = [](const char* flag) {
    return Fail(ErrorCode::kConflict,
                std::string("the tournament was begun with another ") + flag + "; --resume needs only its folder");
  };
  std::vector<std::string> games;
  for (const arena::RunGame& game : run.games) games.push_back(game.id);
  if (!flags.games.empty() && GamesIn(flags.games) != games) return other("game");
  if (!flags.agents.empty() && AgentsIn(flags.agents) != run.agents) return other("--agents");
  if (flags.has_format && flags.format != run.format) return other("--format");
  if (flags.has_pairs && flags.pairs != run.pairs) return other("--pairs");
  if (flags.has_until_interval && flags.until_interval != run.until_interval) return other("--until-interval");
  if (!flags.pool.empty() && (!run.pool || AbsolutePath(flags.pool) != run.pool->file)) return other("--pool");
  return {};
}

Result<void> Rate(const RunResult& result, json::Object& output, TournamentTables& tables) {
  FitProgress progress;
  arena::StandingsOptions options;
  options.on_progress = [&progress](double share) { progress.Show(share); };
  Result<std::vector<arena::GameLine>> games = arena::ReadGameLines(result.folder);
  if (!games) return Fail(games.error());
  const std::vector<std::vector<arena::GameLine>> runs{std::move(*games)};
  Result<arena::Standings> standings = arena::MakeStandings(runs, options);
  if (!standings) return Fail(standings.error());
  output["ratings"] = arena::ToJson(*standings);
  tables.run = std::move(*standings);
  if (Result<void> written = WriteRatings(result.folder, *tables.run); !written) return written;
  if (!result.spec.pool || !result.complete) return {};
  Result<arena::Standings> pool = AddToPool(result.spec.pool->file, result.folder, options);
  if (!pool) return Fail(pool.error());
  output["pool"] = arena::ToJson(*pool);
  tables.pool = std::move(*pool);
  return {};
}

void PrintTable(const RunResult& result, const TournamentTables& tables) {
  std::string games;
  for (const arena::RunGame& game : result.spec.games) games += (games.empty() ? "" : ", ") + Printable(game.title);
  std::printf("%s: %s, %s, seed %llu\n\n", Printable(result.spec.format).c_str(), games.c_str(),
              Counted(result.summary.counted(), "game").c_str(), static_cast<unsigned long long>(result.spec.seed));
  if (tables.run) std::fputs(arena::StandingsText(*tables.run).c_str(), stdout);
  if (!result.spec.pool) return;
  const std::string pool = Printable(result.spec.pool->file);
  if (tables.pool) {
    std::printf("\nthe pool %s\n%s", pool.c_str(), arena::StandingsText(*tables.pool).c_str());
  } else if (!result.complete) {
    std::printf("\nnot in the pool %s yet: a run joins it when all its games are played\n", pool.c_str());
  }
}

}  // namespace

void AddTournament(cli::Command program) {
  auto flags = std::make_shared<TournamentFlags>();
  cli::Command tournament =
      program.AddCommand("tournament", "Plays games between many agents, and rates them with 95 % intervals");
  tournament.AddOption("games", &flags->games, "Which games", {.type = "GAME[,GAME]"});
  tournament.AddOption("--agents", &flags->agents,
                       "The agents, all different; `openseat serve --help` lists the kinds. Those that do not play one "
                       "of the games sit out there. May be repeated; after a comma, name=value is an option of the "
                       "agent before it",
                       {.type = "AGENT,AGENT"});
  tournament.AddOption("--format", &flags->format,
                       "Who meets whom: round-robin (default), gauntlet:AGENT, swiss or knockout",
                       {.type = "FORMAT", .given = &flags->has_format});
  tournament.AddOption("--pairs", &flags->pairs,
                       "How many pairs of games two agents play in each game when they meet (default 10)",
                       {.type = "N", .range = cli::Range(1, 1'000'000'000), .given = &flags->has_pairs});
  tournament.AddOption("--until-interval", &flags->until_interval,
                       "Always play next the pair that tells the most, until every 95 % interval is narrower than this "
                       "many Elo, or --pairs "
                       "are played",
                       {.type = "ELO", .given = &flags->has_until_interval});
  tournament.AddOption(
      "--pool", &flags->pool,
      "A ladder that the run joins: agents that it does not know play until their intervals are narrow, and "
      "its earlier games count. Made if missing (docs/formats/ratings.md)",
      {.type = "FILE"});
  AddRunOptions(tournament, flags->run);
  tournament.SetFooter(
      "A pair is one deal played twice, with the agents in exchanged seats. Void games (a provider, a time-out, a cap) "
      "do\n"
      "not count; --resume plays them again. docs/runs.md describes the folder, docs/formats/ratings.md the ratings.\n"
      "\n"
      "Examples:\n"
      "  openseat tournament tictactoe,connectm --agents random,script:moves.json,llm:a --config models.toml --out "
      "run1\n"
      "  openseat tournament netrunner --agents bot,random,llm:a --agents llm:b,instructions=attack --pairs 20 \\\n"
      "    --jobs 8 --max-cost 20 --out run2\n"
      "  openseat tournament rps --agents random,llm:a,llm:b --until-interval 80 --pairs 500 --out run3\n"
      "  openseat tournament --resume run2 --max-cost 40\n"
      "  openseat tournament rps --pool ladder.json --agents llm:new,llm:a,random --until-interval 80 --out run4\n"
      "  openseat ratings run1 run2 --anchor random");
  auto tables = std::make_shared<TournamentTables>();
  tournament.SetRun([flags, tables] {
    return ExecuteRun(
        flags->run,
        {.name = "tournament",
         .asked = [flags] { return TournamentAsked(*flags); },
         .check_resumed = [flags](const arena::RunSpec& run) { return CheckResumedTournament(*flags, run); },
         .print = [tables](const RunResult& result) { PrintTable(result, *tables); },
         .complete = [tables](const RunResult& result,
                              json::Object& output) { return Rate(result, output, *tables); }});
  });
}

}  // namespace openseat::app
