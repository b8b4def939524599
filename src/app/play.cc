#include <cstdio>
#include <memory>
#include <utility>

#include "app/commands.h"
#include "app/config.h"
#include "app/run_command.h"
#include "app/run_report.h"
#include "arena/run_record.h"
#include "base/clock.h"
#include "base/text.h"

namespace openseat::app {
namespace {

constexpr const char* kDefaultSeats = "random,random";

struct PlayFlags {
  RunFlags run;
  std::string game;
  std::string seats;
  std::uint64_t games = 1;
  bool has_games = false;
  bool record = false;
  std::string run_name;
  std::string data_dir;
};

Result<arena::RunSpec> AskedOf(const PlayFlags& flags) {
  if (flags.game.empty()) {
    return Fail(ErrorCode::kInvalid, "give the game, as in `openseat play tictactoe`, or --resume DIR");
  }
  if (flags.seats.empty() && !flags.run.models.empty()) {
    std::string seats;
    for (const std::string& model : flags.run.models) seats += "llm:" + model.substr(0, model.find('=')) + ",";
    return Fail(ErrorCode::kInvalid,
                "--model names a model, and no seat plays it: add --seats, as in --seats " + seats + "random");
  }
  if (flags.run_name.size() > arena::kMaxName || !IsValidUtf8(flags.run_name)) {
    return Fail(ErrorCode::kInvalid,
                "--record: a run's name is UTF-8 text of at most " + std::to_string(arena::kMaxName) + " bytes");
  }
  arena::RunSpec spec;
  spec.command = "play";
  spec.name = flags.run_name;
  spec.openseat = OPENSEAT_VERSION;
  const Result<json::Value> options = ParseGameOptions(flags.run.options);
  if (!options) return Fail(options.error());
  Result<arena::RunGame> game = NamedGame(flags.game, *options);
  if (!game) return Fail(game.error());
  spec.games.push_back(std::move(*game));
  spec.agents = SplitAgents(flags.seats.empty() ? kDefaultSeats : flags.seats);
  spec.wanted = flags.games;
  const Result<std::uint64_t> seed = RunSeed(flags.run);
  if (!seed) return Fail(seed.error());
  spec.seed = *seed;
  spec.fixed_roles = flags.run.fixed_roles;
  return spec;
}

// What is given together with --resume must be what the run was begun with.
Result<void> CheckResumed(const PlayFlags& flags, const arena::RunSpec& run) {
  const auto other = [](const char* flag) {
    return Fail(ErrorCode::kConflict,
                std::string("the run was begun with another ") + flag + "; --resume needs only its folder");
  };
  if (flags.record) return Fail(ErrorCode::kInvalid, "--resume goes on in its own folder: leave out --record");
  if (!flags.game.empty() && flags.game != run.games.front().id) return other("game");
  if (!flags.seats.empty() && SplitAgents(flags.seats) != run.agents) return other("--seats");
  if (flags.has_games && flags.games != run.wanted) return other("--games");
  return {};
}

int Play(PlayFlags flags) {
  if (flags.record && !flags.run.out.empty()) {
    PrintError("give --record (for the Arena page) or --out (a folder of your own), not both");
    return kUsage;
  }
  if (flags.record && flags.run.resume.empty()) {
    const std::string data_dir = flags.data_dir.empty() ? DefaultDataDir() : flags.data_dir;
    flags.run.out = arena::NewRunPath(data_dir, SystemClock().Now(), flags.game);
  }
  return ExecuteRun(flags.run,
                    {.name = "play",
                     .asked = [&flags] { return AskedOf(flags); },
                     .check_resumed = [&flags](const arena::RunSpec& run) { return CheckResumed(flags, run); },
                     .print = PrintScores});
}

}  // namespace

void AddPlay(cli::Command program) {
  auto flags = std::make_shared<PlayFlags>();
  cli::Command play = program.AddCommand("play", "Plays games between agents in this process, and counts the wins");
  play.AddOption("game", &flags->game, "Which game", {.type = "GAME"});
  play.AddOption("--seats", &flags->seats,
                 "The agents, seat by seat; `openseat serve --help` lists all of them (default random,random)",
                 {.type = "AGENT,AGENT"});
  play.AddOption("-n,--games", &flags->games, "How many games (default 1)",
                 {.range = cli::Range(1, 1'000'000'000), .given = &flags->has_games});
  AddRunOptions(play, flags->run);
  play.AddOption("--record", &flags->run_name, "Like --out, for the Arena page, under a name if you like",
                 {.type = "[NAME]", .value_optional = true, .given = &flags->record});
  play.AddOption("--data-dir", &flags->data_dir, "Where --record keeps it (default ~/.local/share/openseat)",
                 {.type = "DIR", .env = "OPENSEAT_DATA_DIR"});
  play.SetFooter(
      "Two games with the same cards and first moves, in which the agents exchange seats, are a pair: play an even "
      "number.\n"
      "A game that could not be played because of a provider, a time-out or a cap is void: it does not count, the "
      "exit\n"
      "code is 1, and --resume plays it again.\n"
      "\n"
      "Examples:\n"
      "  openseat play tictactoe --seats random,random -n 10000 --jobs 2\n"
      "  openseat play tictactoe --model local=openai:llama3@http://127.0.0.1:11434/v1 --seats llm:local,random -n 20\n"
      "  openseat play tictactoe --config models.toml --seats llm:a,llm:b -n 200 --jobs 8 --max-cost 5 --out run1\n"
      "  openseat play --resume run1 --max-cost 10\n"
      "  openseat play chicken --seats neuro:ws://127.0.0.1:8000,random -n 6\n"
      "  openseat play connectm --options '{\"columns\": 9}' --seed 7 --json\n"
      "  openseat play rps -n 500 --record \"first try\"");
  play.SetRun([flags] { return Play(*flags); });
}

}  // namespace openseat::app
