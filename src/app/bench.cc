// openseat bench: how much load a server takes on this machine. The measuring code is in load/.
#include "load/bench_agents.h"
#include "load/bench_chimera.h"
#include "load/bench_mcp.h"
#include "load/bench_neuro.h"

#include <memory>
#include <string>

#include "app/commands.h"
#include "app/config.h"
#include "app/games.h"

namespace openseat::app {
namespace {

constexpr const char* kOwnShards = "Shards of the server that is started (default 1, like the load generator)";
constexpr const char* kSeconds = "Seconds to measure (default 5)";
constexpr const char* kForeignServer = "Measure this server rather than one of its own (no CPU, no memory)";
constexpr cli::Range kSecondsRange(0.1, 3600.0);
constexpr cli::Range kShardsRange(0, kMaxShards);

int ExitCode(const Result<bool>& passed, int code_of_invalid = kFailed) {
  if (passed) return *passed ? kDone : kFailed;
  PrintError(passed.error().message);
  return passed.error().code == ErrorCode::kInvalid ? code_of_invalid : kFailed;
}

int ExitCode(const Result<void>& done, int code_of_invalid = kFailed) {
  return ExitCode(done ? Result<bool>(true) : Fail(done.error()), code_of_invalid);
}

void AddBenchNeuro(cli::Command bench) {
  auto options = std::make_shared<load::NeuroBench>();
  cli::Command neuro =
      bench.AddCommand("neuro", "Round trips of force, action and result, and what idle connections cost");
  neuro.AddOption("--connections", &options->connections, "Connections at once (default 100)",
                  {.range = cli::Range(1, 100'000)});
  neuro.AddOption("--depth", &options->depth, "Games per connection, each with one force open (default 1)",
                  {.range = cli::Range(1, 64)});
  neuro.AddOption("--seconds", &options->seconds, kSeconds, {.range = kSecondsRange});
  neuro.AddOption("--idle", &options->idle, "Idle connections to measure the memory of; 0: none (default 2000)",
                  {.range = cli::Range(0, 100'000)});
  neuro.AddOption("--shards", &options->shards, kOwnShards, {.range = kShardsRange});
  neuro.AddOption("--url", &options->url, kForeignServer);
  neuro.AddOption("--limit", &options->limit, "Also run a raw echo of the same message sizes, and print the ratio");
  neuro.AddOption("--relay", &options->relay, "Also measure through a relay, and print what it adds");
  neuro.AddOption("--json", &options->json, "One JSON object");
  neuro.SetFooter(
      "Examples:\n"
      "  openseat bench neuro --connections 1 --relay --idle 0\n"
      "  openseat bench neuro --connections 100 --limit\n"
      "  openseat bench neuro --connections 1000 --depth 4 --json");
  neuro.SetRun([options] {
    RaiseFileLimit();
    return ExitCode(load::BenchNeuro(*options));
  });
}

void AddBenchChimera(cli::Command bench) {
  auto options = std::make_shared<load::ChimeraBench>();
  auto game = std::make_shared<std::string>("tictactoe");
  cli::Command chimera = bench.AddCommand("chimera", "Hosted matches, each between two clients, every action durable");
  chimera.AddOption("--matches", &options->matches, "Matches at once (default 1000)", {.range = cli::Range(1, 30'000)});
  chimera.AddOption("--game", game.get(), "Which game (default tictactoe)", {.type = "GAME"});
  chimera.AddOption("--rate", &options->rate,
                    "Actions a second of all matches together, answers timed from when the actions were due; 0: each "
                    "client acts as soon as it may (default)",
                    {.range = cli::Range(0.0, 1e7)});
  chimera.AddOption("--seconds", &options->seconds, kSeconds, {.range = kSecondsRange});
  chimera.AddOption("--shards", &options->shards, kOwnShards, {.range = kShardsRange});
  chimera.AddOption("--url", &options->url, kForeignServer);
  chimera.AddOption("--memory", &options->memory, "Also measure what a match in progress costs in memory");
  chimera.AddOption("--json", &options->json, "One JSON object");
  chimera.SetFooter(
      "Examples:\n"
      "  openseat bench chimera --matches 1000\n"
      "  openseat bench chimera --matches 1000 --rate 20000 --memory");
  chimera.SetRun([options, game] {
    options->game = FindGame(*game);
    if (options->game == nullptr) {
      PrintError("there is no game \"" + *game + "\"");
      return kUsage;
    }
    RaiseFileLimit();
    return ExitCode(load::BenchChimera(*options), kUsage);
  });
}

void AddBenchAgents(cli::Command bench) {
  auto options = std::make_shared<load::AgentsBench>();
  cli::Command agents = bench.AddCommand(
      "agents", "Games of Netrunner at once, both seats notified by webhooks and played over the Agent API");
  agents.AddOption("--games", &options->games, "Games at once (default 1000)", {.range = cli::Range(1, 20'000)});
  agents.AddOption("--seed", &options->seed, "Seed of the agents' choices (default 1)");
  agents.AddOption("--shards", &options->shards, kOwnShards, {.range = kShardsRange});
  agents.AddOption("--url", &options->url, "Measure this server, http://HOST:PORT, rather than one of its own");
  agents.AddOption("--json", &options->json, "One JSON object");
  agents.SetFooter("Examples:\n  openseat bench agents --games 1000\n  openseat bench agents --games 100 --json");
  agents.SetRun([options] {
    RaiseFileLimit();
    return ExitCode(load::BenchAgents(*options));
  });
}

void AddBenchMcp(cli::Command bench) {
  auto options = std::make_shared<load::McpBench>();
  options->game = FindGame("tictactoe");
  cli::Command mcp = bench.AddCommand(
      "mcp", "Games of tic-tac-toe over MCP against the server's agent, compared with as many between Chimera clients");
  mcp.AddOption("--games", &options->games, "Games at once (default 100)", {.range = cli::Range(1, 10'000)});
  mcp.AddOption("--seconds", &options->seconds, "Seconds to measure each (default 5)", {.range = kSecondsRange});
  mcp.AddOption("--seed", &options->seed, "Seed of the hosts' choices (default 1)");
  mcp.AddOption("--shards", &options->shards, kOwnShards);
  mcp.AddOption("--json", &options->json, "One JSON object");
  mcp.SetFooter("Example:\n  openseat bench mcp --games 100");
  mcp.SetRun([options] {
    RaiseFileLimit();
    return ExitCode(load::BenchMcp(*options));
  });
}

}  // namespace

void AddBench(cli::Command program) {
  cli::Command bench = program.AddCommand("bench", "Measures the server");
  AddBenchNeuro(bench);
  AddBenchChimera(bench);
  AddBenchAgents(bench);
  AddBenchMcp(bench);
  // The server that --limit starts.
  auto reply_bytes = std::make_shared<std::size_t>(0);
  cli::Command raw = bench.AddCommand("raw-echo", "The server that --limit compares with", true);
  raw.AddOption("--reply-bytes", reply_bytes.get(), "Size of each answer");
  raw.SetRun([reply_bytes] {
    const Result<void> served = load::ServeRawEcho(*reply_bytes);
    if (served) return kDone;
    PrintError(served.error().message);
    return kUsage;
  });
}

}  // namespace openseat::app
