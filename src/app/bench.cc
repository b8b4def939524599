#include <fcntl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "app/bench_agents.h"
#include "app/bench_mcp.h"
#include "app/bench_target.h"
#include "app/chimera_load.h"
#include "app/commands.h"
#include "app/config.h"
#include "app/games.h"
#include "app/neuro_load.h"
#include "base/json.h"
#include "net/raw_echo.h"

namespace openseat::app {
namespace {

struct ChimeraFlags {
  std::string url;
  std::string game = "tictactoe";
  std::size_t matches = 1000;
  std::size_t shards = 1;
  double rate = 0;
  double seconds = 5;
  bool memory = false;
  bool json = false;
};

struct BenchFlags {
  std::string url;
  std::size_t connections = 100;
  std::size_t depth = 1;
  std::size_t idle = 2000;
  std::size_t shards = 1;
  double seconds = 5;
  bool limit = false;
  bool json = false;
};

struct Measured {
  LoadResult load;
  Duration cpu{0};
  bool has_cpu = false;
  double cpu_us_per_trip() const {
    return load.trips == 0 ? 0 : static_cast<double>(cpu.count()) / static_cast<double>(load.trips);
  }
};

Result<Measured> Measure(const Target& target, LoadOptions options) {
  Measured measured;
  options.url = target.url;
  struct Marks {
    const Target* target;
    Duration begin{0};
    Duration end{0};
  } marks{&target};
  const auto cpu = [](const Target* each) { return each->child ? each->child->CpuTime() : Duration(0); };
  static const auto kCpu = cpu;
  Result<LoadResult> load = RunLoad(options, {[](void* self) {
                                                auto* m = static_cast<Marks*>(self);
                                                m->begin = kCpu(m->target);
                                              },
                                              [](void* self) {
                                                auto* m = static_cast<Marks*>(self);
                                                m->end = kCpu(m->target);
                                              },
                                              &marks});
  if (!load) return Fail(load.error());
  measured.load = std::move(*load);
  measured.cpu = marks.end - marks.begin;
  measured.has_cpu = target.child.has_value();
  return measured;
}

// Bytes of server memory that one idle connection costs.
Result<double> MeasureIdle(const Target& target, std::size_t count, bool bare) {
  struct Marks {
    const Target* target;
    std::size_t after = 0;
  } marks{&target};
  const std::size_t before = target.child->ResidentBytes();
  Result<void> run = RunIdle(target.url, count, bare,
                             {[](void* self) {
                                auto* m = static_cast<Marks*>(self);
                                m->after = m->target->child->ResidentBytes();
                              },
                              nullptr, &marks});
  if (!run) return Fail(run.error());
  return (static_cast<double>(marks.after) - static_cast<double>(before)) / static_cast<double>(count);
}

json::Object ToJson(const Measured& measured) {
  json::Object out{{"trips_per_second", measured.load.rate()},
                   {"p50_us", measured.load.percentile_us(50)},
                   {"p99_us", measured.load.percentile_us(99)},
                   {"bytes_out", measured.load.bytes_out},
                   {"bytes_in", measured.load.bytes_in}};
  if (measured.has_cpu) out["server_cpu_us_per_trip"] = measured.cpu_us_per_trip();
  return out;
}

void Print(const char* name, const Measured& measured) {
  std::printf("%-9s %10.0f trips/s   p50 %7.0f us   p99 %7.0f us", name, measured.load.rate(),
              measured.load.percentile_us(50), measured.load.percentile_us(99));
  if (measured.has_cpu) std::printf("   server CPU %6.2f us/trip", measured.cpu_us_per_trip());
  std::printf("   %zu B out, %zu B in\n", measured.load.bytes_out, measured.load.bytes_in);
}

Result<int> BenchNeuro(const BenchFlags& flags) {
  RaiseFileLimit();
  const ScratchDir scratch;
  const std::vector<std::string> serve{"serve",
                                       "--listen",
                                       "127.0.0.1:0",
                                       "--data-dir",
                                       scratch.str(),
                                       "--agent",
                                       "random:seed=1",
                                       "--log-level",
                                       "error",
                                       "--shards",
                                       std::to_string(flags.shards)};
  Result<Target> started = flags.url.empty() ? StartTarget(serve) : Target{std::nullopt, flags.url};
  if (!started) return Fail(started.error());
  Target& target = *started;
  LoadOptions options;
  options.connections = flags.connections;
  options.depth = flags.depth;
  options.measure = Duration(static_cast<std::int64_t>(flags.seconds * 1e6));

  Say(flags.json, "force, action, result");
  const Result<Measured> neuro = Measure(target, options);
  if (!neuro) return Fail(neuro.error());
  json::Object report{{"connections", flags.connections}, {"depth", flags.depth}, {"neuro", ToJson(*neuro)}};
  if (!flags.json) {
    std::printf("%zu connections, %zu games each, %.1f s\n", flags.connections, flags.depth, flags.seconds);
    Print("openseat", *neuro);
  }
  if (target.child) target.child->Terminate();

  if (flags.limit) {
    Say(flags.json, "raw echo of the same sizes");
    Result<Target> echo = StartTarget({"bench", "raw-echo", "--reply-bytes", std::to_string(neuro->load.bytes_in)});
    if (!echo) return Fail(echo.error());
    options.echo = true;
    options.echo_bytes = neuro->load.bytes_out;
    Result<Measured> raw = Measure(*echo, options);
    if (!raw) return Fail(raw.error());
    raw->load.bytes_out = neuro->load.bytes_out;
    raw->load.bytes_in = neuro->load.bytes_in;
    const double ratio = raw->load.rate() > 0 ? neuro->load.rate() / raw->load.rate() : 0;
    report["raw_echo"] = ToJson(*raw);
    report["ratio"] = ratio;
    if (!flags.json) {
      Print("raw echo", *raw);
      std::printf("ratio     %10.2f of the raw echo's rate\n", ratio);
    }
  }
  if (flags.idle > 0 && flags.url.empty()) {
    Say(flags.json, "idle connections");
    for (const bool bare : {true, false}) {
      const ScratchDir fresh;
      std::vector<std::string> arguments = serve;
      arguments[4] = fresh.str();
      Result<Target> idle = StartTarget(arguments);
      if (!idle) return Fail(idle.error());
      const Result<double> bytes = MeasureIdle(*idle, flags.idle, bare);
      if (!bytes) return Fail(bytes.error());
      report[bare ? "idle_connection_bytes" : "idle_game_bytes"] = *bytes;
      if (!flags.json) {
        std::printf("memory    %10.0f B of the server for each of %zu idle %s\n", *bytes, flags.idle,
                    bare ? "connections" : "games (startup and one action registered)");
      }
      idle->child->Terminate();
    }
  }
  if (flags.json) std::puts(json::Write(report).c_str());
  return kDone;
}

// How long the disk of `dir` takes for what a journal asks of it, with nothing else asked: microseconds, sorted.
std::vector<double> MeasureSync(const std::string& dir) {
  constexpr int kSyncs = 200;
  constexpr std::size_t kBytes = 16u << 10;
  std::vector<double> times;
  const std::string path = dir + "/sync";
  const int file = open(path.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
  const std::string data(kBytes, 'x');
  for (int i = 0; file >= 0 && i < kSyncs; ++i) {
    if (pwrite(file, data.data(), data.size(), static_cast<off_t>(i) * static_cast<off_t>(kBytes)) < 0) break;
    const auto begin = std::chrono::steady_clock::now();
    fdatasync(file);
    times.push_back(std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count());
  }
  if (file >= 0) close(file);
  std::ranges::sort(times);
  return times;
}

std::vector<std::string> ChimeraServer(const std::string& data_dir, const ChimeraFlags& flags) {
  return {"serve",  "--listen",    "127.0.0.1:0", "--chimera-listen", "none",     "--data-dir",
          data_dir, "--log-level", "error",       "--test-games",     "--shards", std::to_string(flags.shards)};
}

Result<Target> StartChimera(const std::string& data_dir, const ChimeraFlags& flags) {
  Result<Target> target =
      flags.url.empty() ? StartTarget(ChimeraServer(data_dir, flags)) : Target{std::nullopt, flags.url};
  if (target && flags.url.empty()) target->url += "/chimera";
  return target;
}

Result<int> BenchChimera(const ChimeraFlags& flags) {
  RaiseFileLimit();
  ChimeraLoadOptions options;
  options.game = FindGame(flags.game);
  if (options.game == nullptr) return Fail(ErrorCode::kInvalid, "there is no game \"" + flags.game + "\"");
  options.matches = flags.matches;
  options.rate = flags.rate;
  options.measure = Duration(static_cast<std::int64_t>(flags.seconds * 1e6));
  struct Marks {
    const Target* target;
    Duration cpu_begin{0};
    Duration cpu_end{0};
    std::size_t bytes_begin = 0;
    std::size_t bytes_end = 0;
  };
  json::Object report{{"game", flags.game}, {"matches", flags.matches}, {"rate", flags.rate}};
  {
    const ScratchDir scratch;
    const std::vector<double> syncs = MeasureSync(scratch.str());
    if (!syncs.empty()) {
      report["sync_p50_us"] = syncs[syncs.size() / 2];
      report["sync_p99_us"] = syncs[syncs.size() * 99 / 100];
      if (!flags.json) {
        std::printf("the disk alone, 16 KiB and fdatasync: p50 %.0f us, p99 %.0f us\n", syncs[syncs.size() / 2],
                    syncs[syncs.size() * 99 / 100]);
      }
    }
    Result<Target> target = StartChimera(scratch.str(), flags);
    if (!target) return Fail(target.error());
    options.url = target->url;
    Marks marks{&*target};
    Say(flags.json, "matches, each between two clients");
    const Result<ChimeraLoadResult> load = RunChimeraLoad(options, {[](void* self) {
                                                                      auto* m = static_cast<Marks*>(self);
                                                                      if (m->target->child)
                                                                        m->cpu_begin = m->target->child->CpuTime();
                                                                    },
                                                                    [](void* self) {
                                                                      auto* m = static_cast<Marks*>(self);
                                                                      if (m->target->child)
                                                                        m->cpu_end = m->target->child->CpuTime();
                                                                    },
                                                                    &marks});
    if (!load) return Fail(load.error());
    const double seconds = static_cast<double>(load->actions.elapsed.count()) / 1e6;
    const double cpu = static_cast<double>((marks.cpu_end - marks.cpu_begin).count());
    const double finished = static_cast<double>(load->matches) / seconds;
    const double notified = static_cast<double>(load->notifications) / seconds;
    report["actions_per_second"] = load->actions.rate();
    report["matches_per_second"] = finished;
    report["notifications_per_second"] = notified;
    report["p50_us"] = load->actions.percentile_us(50);
    report["p99_us"] = load->actions.percentile_us(99);
    report["max_us"] = load->actions.percentile_us(100);
    if (target->child && load->actions.trips > 0)
      report["server_cpu_us_per_action"] = cpu / static_cast<double>(load->actions.trips);
    if (!flags.json) {
      std::printf("%zu matches of %s at once, %.1f s, %s\n", flags.matches, flags.game.c_str(), flags.seconds,
                  flags.rate > 0 ? "paced" : "each client acts as soon as it may");
      std::printf("%10.0f durable actions/s   answered: p50 %.0f us, p99 %.0f us, at most %.0f us\n",
                  load->actions.rate(), load->actions.percentile_us(50), load->actions.percentile_us(99),
                  load->actions.percentile_us(100));
      std::printf("%10.0f matches/s begun, joined and played to the end\n%10.0f notifications/s\n", finished, notified);
      if (target->child && load->actions.trips > 0) {
        std::printf("%10.2f us of the server's CPU an action, its share of joins and notifications included\n",
                    cpu / static_cast<double>(load->actions.trips));
      }
    }
    if (target->child) target->child->Terminate();
  }
  if (flags.memory && flags.url.empty()) {
    Say(flags.json, "matches in which nobody acts");
    const ScratchDir scratch;
    Result<Target> target = StartChimera(scratch.str(), flags);
    if (!target) return Fail(target.error());
    options.url = target->url;
    Marks marks{&*target};
    Result<void> run = RunChimeraIdle(options, {[](void* self) {
                                                  auto* m = static_cast<Marks*>(self);
                                                  m->bytes_begin = m->target->child->ResidentBytes();
                                                },
                                                [](void* self) {
                                                  auto* m = static_cast<Marks*>(self);
                                                  m->bytes_end = m->target->child->ResidentBytes();
                                                },
                                                &marks});
    if (!run) return Fail(run.error());
    const double bytes = (static_cast<double>(marks.bytes_end) - static_cast<double>(marks.bytes_begin)) /
                         static_cast<double>(flags.matches);
    report["match_bytes"] = bytes;
    if (!flags.json) std::printf("%10.0f B of the server for each match in progress, besides its connections\n", bytes);
    target->child->Terminate();
  }
  if (flags.json) std::puts(json::Write(report).c_str());
  return kDone;
}

// A raw echo server until it is killed; prints its address as `serve` does.
int RawEcho(std::size_t reply_bytes) {
  net::RawEchoOptions options;
  options.reply_bytes = reply_bytes;
  const auto server = net::RawEchoServer::Start(options);
  if (!server) {
    PrintError(server.error().message);
    return kUsage;
  }
  std::printf("raw echo on http://127.0.0.1:%u\n", (*server)->port());
  std::fflush(stdout);
  pause();
  return kDone;
}

CLI::App* AddBenchAgents(CLI::App& bench, AgentsFlags& flags) {
  CLI::App* agents = bench.add_subcommand(
      "agents", "Games of Netrunner at once, both seats told by webhooks and played over the Agent API");
  agents->add_option("--games", flags.games, "Games at once (default 1000)")->check(CLI::Range(1, 20'000));
  agents->add_option("--seed", flags.seed, "Of what the agents choose (default 1)");
  agents
      ->add_option("--shards", flags.shards,
                   "Shards of the server that is started (default 1, as the generator has one)")
      ->check(CLI::Range(0, kMaxShards));
  agents->add_option("--url", flags.url, "Measure this server, http://HOST:PORT, rather than one of its own");
  agents->add_flag("--json", flags.json, "One JSON object");
  agents->footer("Examples:\n  openseat bench agents --games 1000\n  openseat bench agents --games 100 --json");
  return agents;
}

CLI::App* AddBenchMcp(CLI::App& bench, McpFlags& flags) {
  CLI::App* mcp = bench.add_subcommand(
      "mcp", "Games of tic-tac-toe over MCP against the server's agent, beside as many between Chimera clients");
  mcp->add_option("--games", flags.games, "Games at once (default 100)")->check(CLI::Range(1, 10'000));
  mcp->add_option("--seconds", flags.seconds, "How long each is measured (default 5)")->check(CLI::Range(0.1, 3600.0));
  mcp->add_option("--seed", flags.seed, "Of what the hosts choose (default 1)");
  mcp->add_option("--shards", flags.shards,
                  "Shards of the server that is started (default 1, as the generator has one)");
  mcp->add_flag("--json", flags.json, "One JSON object");
  mcp->footer("Example:\n  openseat bench mcp --games 100");
  return mcp;
}

}  // namespace

AddedCommand AddBench(CLI::App& program) {
  auto flags = std::make_shared<BenchFlags>();
  auto reply_bytes = std::make_shared<std::size_t>(0);
  CLI::App* bench = program.add_subcommand("bench", "Measures the server");
  bench->require_subcommand(1);
  CLI::App* neuro =
      bench->add_subcommand("neuro", "Round trips of force, action and result, and what idle connections cost");
  neuro->add_option("--connections", flags->connections, "Connections at once (default 100)")
      ->check(CLI::Range(1, 100'000));
  neuro->add_option("--depth", flags->depth, "Games on each connection, each with one force open (default 1)")
      ->check(CLI::Range(1, 64));
  neuro->add_option("--seconds", flags->seconds, "How long is measured (default 5)")->check(CLI::Range(0.1, 3600.0));
  neuro->add_option("--idle", flags->idle, "Idle connections whose memory is measured; 0: none (default 2000)")
      ->check(CLI::Range(0, 100'000));
  neuro
      ->add_option("--shards", flags->shards,
                   "Shards of the server that is started (default 1, as the generator has one)")
      ->check(CLI::Range(0, kMaxShards));
  neuro->add_option("--url", flags->url, "Measure this server rather than one of its own (no CPU, no memory)");
  neuro->add_flag("--limit", flags->limit, "Also run a raw echo of the same message sizes, and print the ratio");
  neuro->add_flag("--json", flags->json, "One JSON object");
  neuro->footer(
      "Examples:\n  openseat bench neuro --connections 100 --limit\n  openseat bench neuro --connections 1000 --depth "
      "4 --json");
  auto matches = std::make_shared<ChimeraFlags>();
  CLI::App* chimera =
      bench->add_subcommand("chimera", "Hosted matches, each between two clients, every action durable");
  chimera->add_option("--matches", matches->matches, "Matches at once (default 1000)")->check(CLI::Range(1, 30'000));
  chimera->add_option("--game", matches->game, "Which game (default tictactoe)")->type_name("GAME");
  chimera
      ->add_option("--rate", matches->rate,
                   "Actions a second, of all matches together, answers timed from when they were due; 0: each client "
                   "acts as soon as it may (default)")
      ->check(CLI::Range(0.0, 1e7));
  chimera->add_option("--seconds", matches->seconds, "How long is measured (default 5)")
      ->check(CLI::Range(0.1, 3600.0));
  chimera
      ->add_option("--shards", matches->shards,
                   "Shards of the server that is started (default 1, as the generator has one)")
      ->check(CLI::Range(0, kMaxShards));
  chimera->add_option("--url", matches->url, "Measure this server rather than one of its own (no CPU, no memory)");
  chimera->add_flag("--memory", matches->memory, "Also measure what a match in progress costs in memory");
  chimera->add_flag("--json", matches->json, "One JSON object");
  chimera->footer(
      "Examples:\n  openseat bench chimera --matches 1000\n  openseat bench chimera --matches 1000 --rate 20000 "
      "--memory");
  auto games = std::make_shared<AgentsFlags>();
  CLI::App* agents = AddBenchAgents(*bench, *games);
  auto hosts = std::make_shared<McpFlags>();
  CLI::App* mcp = AddBenchMcp(*bench, *hosts);
  CLI::App* raw = bench->add_subcommand("raw-echo", "The server that --limit compares with");
  raw->group("");
  raw->add_option("--reply-bytes", *reply_bytes, "Size of each answer");
  return {bench, [flags, matches, games, hosts, reply_bytes, raw, chimera, agents, mcp]() -> int {
            if (raw->parsed()) return RawEcho(*reply_bytes);
            const Result<int> code = agents->parsed()    ? BenchAgents(*games)
                                     : mcp->parsed()     ? BenchMcp(*hosts)
                                     : chimera->parsed() ? BenchChimera(*matches)
                                                         : BenchNeuro(*flags);
            if (code) return *code;
            PrintError(code.error().message);
            return code.error().code == ErrorCode::kInvalid && chimera->parsed() ? kUsage : kFailed;
          }};
}

}  // namespace openseat::app
