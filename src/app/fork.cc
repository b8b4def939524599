#include <algorithm>
#include <cstdio>
#include <memory>
#include <utility>

#include "app/commands.h"
#include "app/config.h"
#include "app/past_games.h"
#include "app/run_command.h"
#include "app/run_report.h"
#include "app/run_trust.h"
#include "arena/run_folder.h"
#include "base/text.h"
#include "match/past.h"

namespace openseat::app {
namespace {

struct ForkFlags {
  RunFlags run;
  PastFlags past;
  std::uint64_t at = 0;
  bool has_at = false;
  std::uint64_t seat = 0;
  bool has_seat = false;
  std::string agent;
  std::string seats;
  std::uint64_t games = 1;
  bool has_games = false;
  bool check = false;
};

// What was decided, for those who look for the number of a decision.
Result<void> ListDecisions(const ForkFlags& flags) {
  const Result<PastGame> past = OnePastGame(flags.past);
  if (!past) return Fail(past.error());
  return VisitDecisions(past->table, *past->game, past->events, [&](const PastDecision& decision) -> Result<void> {
    json::Value chosen;
    if (decision.before) chosen = json::Object{{"action", decision.choice.action}, {"data", decision.choice.data}};
    if (flags.run.json) {
      std::puts(json::Write(json::Object{{"decision", decision.number},
                                         {"seat", decision.seat},
                                         {"event", decision.fork_event()},
                                         {"choice", chosen}})
                    .c_str());
    } else {
      std::printf("%6llu  seat %u  %s\n", static_cast<unsigned long long>(decision.number), decision.seat,
                  chosen.is_null() ? "no choice" : json::Excerpt(chosen, 120).c_str());
    }
    return {};
  });
}

// Whether an agent that only the record names may play here: a folder or a data directory that a stranger wrote must
// not have programs run.
bool MayPlayOn(const ForkFlags& flags, const std::string& agent) {
  if (agent.starts_with("llm:") || !ReachesOut(agent)) return true;
  if (!flags.past.of_run()) return false;
  const Result<arena::WrittenRun> run = arena::ReadWrittenRun(flags.past.source);
  const Result<std::string> key = ReadRunKey(DefaultDataDir());
  return run && key && arena::HasMark(flags.past.source, run->text, *key) &&
         std::ranges::find(run->spec.agents, agent) != run->spec.agents.end();
}

// The agents by seat: those of the game, but for the one that is exchanged.
Result<std::vector<std::string>> AgentsAt(const ForkFlags& flags, const PastGame& past, const PastDecision& decision,
                                          std::size_t seats) {
  if (!flags.seats.empty()) {
    if (!flags.agent.empty()) return Fail(ErrorCode::kInvalid, "give --agent or --seats, not both");
    return SplitAgents(flags.seats);
  }
  const std::uint64_t seat = flags.has_seat ? flags.seat : decision.seat;
  if (seat >= seats) {
    return Fail(ErrorCode::kInvalid,
                "the seats are 0 to " + std::to_string(seats - 1) + "; got --seat " + std::to_string(seat));
  }
  std::vector<std::string> agents = past.agents;
  agents.resize(seats);
  if (!flags.agent.empty()) agents[seat] = flags.agent;
  if (std::ranges::find(agents, "") != agents.end()) {
    return Fail(ErrorCode::kInvalid, "people played this match: say who plays on, as in --seats random,random");
  }
  for (std::size_t i = 0; i < seats; ++i) {
    if ((i == seat && !flags.agent.empty()) || MayPlayOn(flags, agents[i])) continue;
    return Fail(ErrorCode::kInvalid,
                "only the record says that \"" + agents[i] + "\" plays: say who plays on, as in --seats random,random");
  }
  return agents;
}

Result<arena::RunSpec> AskedFork(const ForkFlags& flags) {
  const Result<PastGame> past = OnePastGame(flags.past);
  if (!past) return Fail(past.error());
  const Result<PastDecision> decision = FindDecision(past->table, *past->game, past->events, flags.at);
  if (!decision) return Fail(decision.error().code, "--at: " + decision.error().message);
  const Result<MatchSpec> match = ForkAfter(past->table, *past->game, past->events, decision->fork_event());
  if (!match) return Fail(match.error());
  arena::RunSpec spec;
  spec.command = "fork";
  spec.openseat = OPENSEAT_VERSION;
  const GameInfo& info = match->game->info();
  spec.games.push_back({info.id, info.title, info.rules_version, match->options});
  Result<std::vector<std::string>> agents = AgentsAt(flags, *past, *decision, match->seats.size());
  if (!agents) return Fail(agents.error());
  spec.agents = std::move(*agents);
  spec.wanted = flags.games;
  spec.fork =
      arena::RunFork{.source = flags.past.source, .decision = flags.at, .seed = match->seed, .fork = *match->fork};
  const Result<std::uint64_t> seed = RunSeed(flags.run);
  if (!seed) return Fail(seed.error());
  spec.seed = *seed;
  spec.fixed_roles = true;
  return spec;
}

Result<void> CheckResumedFork(const ForkFlags& flags, const arena::RunSpec& run) {
  if (!run.fork) return Fail(ErrorCode::kInvalid, "run.json does not say where the games begin: \"fork\" is missing");
  if (flags.past.source.empty() && !flags.has_at && flags.agent.empty() && flags.seats.empty() &&
      (!flags.has_games || flags.games == run.wanted)) {
    return {};
  }
  return Fail(ErrorCode::kConflict, "--resume needs only the run's folder");
}

void PrintForks(const RunResult& result) {
  std::printf("decision %llu of %s, ", static_cast<unsigned long long>(result.spec.fork->decision),
              Printable(result.spec.fork->source).c_str());
  PrintScores(result);
}

// Enters every decision again and compares.
int CheckForks(const ForkFlags& flags) {
  ForkTrial trial;
  std::uint64_t games = 0;
  const Result<void> visited = VisitPastGames(flags.past, [&](const PastGame& past) {
    ++games;
    return TryForks(past.table, *past.game, past.events, trial);
  });
  if (!visited) {
    PrintError(visited.error().message);
    return visited.error().code == ErrorCode::kInvalid ? kUsage : kFailed;
  }
  if (flags.run.json) {
    std::puts(json::Write(json::Object{{"games", games},
                                       {"forks", trial.forks},
                                       {"differences", trial.differences},
                                       {"digest", trial.digest}})
                  .c_str());
  } else {
    std::printf("%s, %llu decisions entered again, %llu differences\ndigest %s\n", Counted(games, "game").c_str(),
                static_cast<unsigned long long>(trial.forks), static_cast<unsigned long long>(trial.differences),
                trial.digest.c_str());
  }
  if (trial.differences == 0) return kDone;
  PrintError("the first difference is in " + trial.first);
  return kFailed;
}

int RunFork(const ForkFlags& flags) {
  if (IsTrustWithoutResume(flags.run)) return kUsage;
  if (!flags.run.options.empty()) {
    PrintError("a fork has the options of its game: leave out --options");
    return kUsage;
  }
  if (flags.check) return CheckForks(flags);
  if (!flags.has_at && flags.run.resume.empty()) {
    const Result<void> listed = ListDecisions(flags);
    if (listed) return kDone;
    PrintError(listed.error().message);
    return listed.error().code == ErrorCode::kInvalid ? kUsage : kFailed;
  }
  return ExecuteRun(flags.run,
                    {.name = "fork",
                     .asked = [&flags] { return AskedFork(flags); },
                     .check_resumed = [&flags](const arena::RunSpec& run) { return CheckResumedFork(flags, run); },
                     .print = PrintForks});
}

}  // namespace

void AddFork(cli::Command program) {
  auto flags = std::make_shared<ForkFlags>();
  cli::Command fork = program.AddCommand("fork", "Plays on from any decision of a recorded game, with other agents");
  AddPastOptions(fork, flags->past);
  fork.AddOption("--at", &flags->at, "The decision that is taken again, from 0; without it, all decisions are listed",
                 {.type = "N", .given = &flags->has_at});
  fork.AddOption("--agent", &flags->agent, "Who takes it, and plays that seat from then on", {.type = "AGENT"});
  fork.AddOption("--seat", &flags->seat, "The agent's seat, if not the one that decides",
                 {.type = "N", .given = &flags->has_seat});
  fork.AddOption("--seats", &flags->seats, "Who plays on, seat by seat, instead of the agents of the recorded game",
                 {.type = "AGENT,AGENT"});
  fork.AddOption("-n,--games", &flags->games, "How many games (default 1)",
                 {.range = cli::Range(1, 1'000'000'000), .given = &flags->has_games});
  fork.AddOption("--check", &flags->check,
                 "Plays nothing: enters every decision again, and compares the state with the recorded game's");
  AddRunOptions(fork, flags->run);
  fork.SetFooter(
      "What came before the decision is computed from the record; no agent is asked about it. What is still hidden or "
      "to be\n"
      "drawn is the same in every fork. Each game names the table and the event that it goes on from.\n"
      "\n"
      "Examples:\n"
      "  openseat fork magnificent-platypus\n"
      "  openseat fork magnificent-platypus --at 17 --seats bot,bot -n 10\n"
      "  openseat fork run1 --game 3 --at 8 --agent llm:b --config models.toml -n 20 --out forks\n"
      "  openseat fork run1 --check\n"
      "\n"
      "Exit codes: 0 every game counts (with --check: every state is the same), 1 a game does not count (with --check: "
      "a\n"
      "state differs), or a record cannot be read, 2 wrong usage");
  fork.SetRun([flags] { return RunFork(*flags); });
}

}  // namespace openseat::app
