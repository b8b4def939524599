#include <algorithm>
#include <cstdio>
#include <memory>
#include <utility>

#include "app/commands.h"
#include "app/line_output.h"
#include "app/past_games.h"
#include "app/run_report.h"
#include "arena/analysis.h"
#include "arena/losses.h"
#include "arena/puzzles.h"
#include "arena/run_folder.h"
#include "base/text.h"
#include "match/past.h"

namespace openseat::app {
namespace {

using Count = unsigned long long;

struct AnalyzeFlags {
  PastFlags past;
  std::uint64_t iterations = 2000;
  std::uint64_t seed = 0;
  std::uint64_t jobs = 1;
  std::string out;
  std::string puzzles;
  std::uint64_t most_puzzles = 20;
  bool json = false;
};

void PrintDecision(const arena::JudgedDecision& decision, const std::vector<std::string>& agents) {
  if (decision.forced) return;
  std::string line = "  " + std::to_string(decision.number) + "  ";
  const bool named = decision.seat < agents.size() && !agents[decision.seat].empty();
  line += named ? agents[decision.seat] : std::string(arena::kPerson);
  char figures[80];
  std::snprintf(figures, sizeof figures, "  %.3f", decision.value);
  line += figures;
  if (decision.taken) {
    line += "  " + decision.choices[*decision.taken].label;
    std::snprintf(figures, sizeof figures, "  -%.3f ± %.3f", decision.loss, decision.error);
    if (decision.loss > 0) line += figures;
  }
  if (decision.mark != arena::Mark::kNone) {
    line +=
        "  " + std::string(arena::MarkName(decision.mark)) + ": better was " + decision.choices[decision.best].label;
  }
  std::puts(Printable(line).c_str());
}

void PrintLosses(const arena::Losses& losses) {
  std::printf("%-24s %9s %18s %9s %9s %9s   %s\n", "agent", "choices", "average loss", "opening", "middle", "end",
              "inaccuracies, mistakes, blunders");
  for (const arena::Losses::Agent& agent : losses.Table()) {
    char interval[32] = "         ";
    if (agent.all.half_width) std::snprintf(interval, sizeof interval, " ± %.4f", *agent.all.half_width);
    std::printf("%-24s %9llu %9.4f%s %9.4f %9.4f %9.4f   %llu, %llu, %llu\n", Printable(agent.name).c_str(),
                Count{agent.all.choices}, agent.all.mean, interval, agent.phases[0].mean, agent.phases[1].mean,
                agent.phases[2].mean, Count{agent.marks[1]}, Count{agent.marks[2]}, Count{agent.marks[3]});
  }
  const std::optional<arena::Losses::Apart> apart = losses.TellApart();
  if (!apart || !apart->games_by_loss) return;
  std::printf("\nto tell %s and %s apart takes about %.0f games by their losses", Printable(apart->better).c_str(),
              Printable(apart->worse).c_str(), *apart->games_by_loss);
  if (apart->games_by_result) std::printf(", and %.0f by their results", *apart->games_by_result);
  std::printf("\n");
}

json::Object Summary(const AnalyzeFlags& flags, const arena::Losses& losses, std::uint64_t games) {
  json::Array agents;
  for (const arena::Losses::Agent& agent : losses.Table()) agents.push_back(arena::ToJson(agent));
  json::Object summary{
      {"games", games}, {"iterations", flags.iterations}, {"seed", flags.seed}, {"agents", std::move(agents)}};
  if (const auto apart = losses.TellApart()) {
    summary["games_by_loss"] = apart->games_by_loss ? json::Value(*apart->games_by_loss) : json::Value();
    summary["games_by_result"] = apart->games_by_result ? json::Value(*apart->games_by_result) : json::Value();
  }
  return summary;
}

// The puzzles of one game, until there are enough.
Result<void> AddPuzzles(const AnalyzeFlags& flags, const PastGame& past, const arena::AnalysisOptions& options,
                        const std::vector<arena::JudgedDecision>& judged, std::uint64_t& found, LineOutput& file) {
  std::size_t index = 0;
  return VisitDecisions(past.table, *past.game, past.events, [&](const PastDecision& decision) -> Result<void> {
    if (!decision.before) return {};
    const arena::JudgedDecision& known = judged[index++];
    if (found >= flags.most_puzzles || !arena::MayBePuzzle(known, *decision.game)) return {};
    const Result<MatchSpec> fork = ForkAfter(past.table, *past.game, past.events, decision.fork_event());
    if (!fork) return Fail(fork.error());
    const std::optional<json::Object> puzzle = arena::CheckPuzzle(decision, known, *fork, options);
    if (!puzzle) return {};
    ++found;
    return file.Add(*puzzle);
  });
}

Result<void> AnalyzeAll(const AnalyzeFlags& flags) {
  const bool of_run = flags.past.of_run();
  std::string path = flags.out;
  if (path.empty() && of_run && !flags.past.one_game) path = flags.past.source + "/" + arena::kAnalysisFile;
  LineOutput file;
  if (!path.empty()) {
    if (Result<void> opened = file.Open(path); !opened) return opened;
  }
  LineOutput puzzles;
  std::uint64_t found = 0;
  if (!flags.puzzles.empty()) {
    if (Result<void> opened = puzzles.Open(flags.puzzles); !opened) return opened;
  }
  std::vector<arena::GameLine> results;
  if (of_run) {
    Result<std::vector<arena::GameLine>> lines = arena::ReadGameLines(flags.past.source);
    if (!lines) return Fail(lines.error());
    results = std::move(*lines);
  }
  arena::Losses losses;
  std::uint64_t games = 0;
  const Result<void> visited = VisitPastGames(flags.past, [&](const PastGame& past) -> Result<void> {
    const auto result = std::ranges::find(results, past.number, &arena::GameLine::game);
    if (result != results.end() && result->result == arena::GameResult::kVoid) return {};
    const arena::AnalysisOptions options{
        .iterations = flags.iterations, .seed = flags.seed + past.number, .threads = static_cast<unsigned>(flags.jobs)};
    const auto judged = arena::Analyze(past.table, *past.game, past.events, options);
    if (!judged) return Fail(judged.error());
    ++games;
    losses.Add(past.agents, *judged);
    if (!flags.puzzles.empty()) {
      if (Result<void> added = AddPuzzles(flags, past, options, *judged, found, puzzles); !added) return added;
    }
    if (result != results.end()) losses.AddResult(*result);
    for (const arena::JudgedDecision& decision : *judged) {
      json::Object line{{"game", past.number}, {"table", past.table.str()}};
      const std::string who = decision.seat < past.agents.size() ? past.agents[decision.seat] : "";
      line["agent"] = who.empty() ? json::Value() : json::Value(who);
      for (auto& member : arena::ToJson(decision)) line[member.key()] = std::move(member.value());
      if (!path.empty()) {
        if (Result<void> added = file.Add(line); !added) return added;
      } else if (flags.json) {
        std::puts(json::Write(line).c_str());
      } else {
        PrintDecision(decision, past.agents);
      }
    }
    return {};
  });
  if (!visited) return Fail(visited.error());
  if (!path.empty()) {
    if (Result<void> finished = file.Finish(); !finished) return finished;
  }
  if (!flags.puzzles.empty()) {
    if (Result<void> finished = puzzles.Finish(); !finished) return finished;
  }
  if (flags.json) {
    if (!path.empty()) std::puts(json::Write(Summary(flags, losses, games)).c_str());
    return {};
  }
  PrintLosses(losses);
  if (!path.empty()) std::printf("\nkept in %s\n", path.c_str());
  if (!flags.puzzles.empty()) std::printf("%s in %s\n", Counted(found, "puzzle").c_str(), flags.puzzles.c_str());
  return {};
}

int RunAnalyze(const AnalyzeFlags& flags) {
  if (flags.past.source.empty()) {
    PrintError("give a table or the folder of a run; `openseat replay` lists the tables");
    return kUsage;
  }
  const Result<void> done = AnalyzeAll(flags);
  if (done) return kDone;
  PrintError(done.error().message);
  return done.error().code == ErrorCode::kInvalid || done.error().code == ErrorCode::kUnsupported ? kUsage : kFailed;
}

}  // namespace

void AddAnalyze(cli::Command program) {
  auto flags = std::make_shared<AnalyzeFlags>();
  cli::Command analyze =
      program.AddCommand("analyze", "Judges every choice of recorded games: what it was worth, and what it gave away");
  AddPastOptions(analyze, flags->past);
  analyze.AddOption("--iterations", &flags->iterations, "Iterations of the search at each decision (default 2000)",
                    {.type = "N", .range = cli::Range(16, 10'000'000)});
  analyze.AddOption("--seed", &flags->seed, "The same seed gives the same judgment (default 0)", {.type = "N"});
  analyze.AddOption("--jobs", &flags->jobs, "How many decisions are searched at once (default 1)",
                    {.range = cli::Range(1, 256)});
  analyze.AddOption("--out", &flags->out, "Write the lines here; a run's go to analysis.jsonl in its folder",
                    {.type = "FILE"});
  analyze.AddOption(
      "--puzzles", &flags->puzzles,
      "Also write decisions with one clearly best choice here, with the answer, checked by a longer search",
      {.type = "FILE"});
  analyze.AddOption("--most-puzzles", &flags->most_puzzles, "Write at most N puzzles (default 20)", {.type = "N"});
  analyze.AddOption("--json", &flags->json,
                    "Print JSON lines: the decisions, or only the summary if they go to a file");
  analyze.SetFooter(
      "A choice's value is the result that its seat could expect from it, given what the seat knew. Its loss is how "
      "much\n"
      "less that is than the value of the best choice. What had no alternative is not judged. docs/minds.md explains "
      "more.\n"
      "\n"
      "Examples:\n"
      "  openseat analyze magnificent-platypus\n"
      "  openseat analyze run1 --iterations 10000 --jobs 2\n"
      "  openseat analyze run1 --game 17 --json\n"
      "\n"
      "Exit codes: 0 done, 1 a record cannot be read or the lines cannot be written, 2 wrong usage");
  analyze.SetRun([flags] { return RunAnalyze(*flags); });
}

}  // namespace openseat::app
