#include "load/bench_neuro.h"

#include <unistd.h>

#include <cstdio>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/json.h"
#include "load/neuro_load.h"
#include "load/target.h"
#include "net/raw_echo.h"

namespace openseat::load {
namespace {

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
  Result<LoadResult> load = RunLoad(options, CpuMarks(target, measured.cpu));
  if (!load) return Fail(load.error());
  measured.load = std::move(*load);
  measured.has_cpu = target.child.has_value();
  return measured;
}

// Bytes of server memory per idle connection.
Result<double> MeasureIdle(const Target& target, std::size_t count, bool bare) {
  const std::size_t before = target.child->ResidentBytes();
  std::size_t after = 0;
  Result<void> run = RunIdle(target.url, count, bare, {.begin = [&] { after = target.child->ResidentBytes(); }});
  if (!run) return Fail(run.error());
  return (static_cast<double>(after) - static_cast<double>(before)) / static_cast<double>(count);
}

json::Object MeasuredJson(const Measured& measured) {
  json::Object out{{"trips_per_second", measured.load.rate()},
                   {"p50_us", measured.load.percentile_us(50)},
                   {"p99_us", measured.load.percentile_us(99)},
                   {"bytes_out", measured.load.bytes_out},
                   {"bytes_in", measured.load.bytes_in}};
  if (measured.has_cpu) out["server_cpu_us_per_trip"] = measured.cpu_us_per_trip();
  return out;
}

void PrintMeasured(const char* name, const Measured& measured) {
  std::printf("%-9s %10.0f trips/s   p50 %7.0f us   p99 %7.0f us", name, measured.load.rate(),
              measured.load.percentile_us(50), measured.load.percentile_us(99));
  if (measured.has_cpu) std::printf("   server CPU %6.2f us/trip", measured.cpu_us_per_trip());
  std::printf("   %zu B out, %zu B in\n", measured.load.bytes_out, measured.load.bytes_in);
}

// What a relay in between adds to a round trip.
Result<void> MeasureRelay(const NeuroBench& bench, const Target& target, const LoadOptions& options,
                          const Measured& direct, json::Object& report) {
  Say(bench.json, "the same through a relay");
  const ScratchDir scratch;
  Result<Target> relay = StartTarget({"relay", "--upstream", target.url, "--listen", "127.0.0.1:0", "--data-dir",
                                      scratch.str(), "--log-level", "error"});
  if (!relay) return Fail(relay.error());
  const Result<Measured> relayed = Measure(*relay, options);
  if (!relayed) return Fail(relayed.error());
  const double added = relayed->load.percentile_us(50) - direct.load.percentile_us(50);
  report["relay"] = MeasuredJson(*relayed);
  report["relay_added_p50_us"] = added;
  if (!bench.json) {
    PrintMeasured("relay", *relayed);
    std::printf("added     %10.0f us at p50\n", added);
  }
  relay->child->Terminate();
  return {};
}

}  // namespace

Result<void> BenchNeuro(const NeuroBench& bench) {
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
                                       std::to_string(bench.shards)};
  Result<Target> started = bench.url.empty() ? StartTarget(serve) : Target{std::nullopt, bench.url};
  if (!started) return Fail(started.error());
  Target& target = *started;
  LoadOptions options;
  options.connections = bench.connections;
  options.depth = bench.depth;
  options.measure = Duration(static_cast<std::int64_t>(bench.seconds * 1e6));

  Say(bench.json, "force, action, result");
  const Result<Measured> neuro = Measure(target, options);
  if (!neuro) return Fail(neuro.error());
  json::Object report{{"connections", bench.connections}, {"depth", bench.depth}, {"neuro", MeasuredJson(*neuro)}};
  if (!bench.json) {
    std::printf("%zu connections, %zu games each, %.1f s\n", bench.connections, bench.depth, bench.seconds);
    PrintMeasured("openseat", *neuro);
  }
  if (bench.relay) {
    if (Result<void> relayed = MeasureRelay(bench, target, options, *neuro, report); !relayed) return relayed;
  }
  if (target.child) target.child->Terminate();

  if (bench.limit) {
    Say(bench.json, "raw echo with the same sizes");
    Result<Target> echo = StartTarget({"bench", "raw-echo", "--reply-bytes", std::to_string(neuro->load.bytes_in)});
    if (!echo) return Fail(echo.error());
    options.echo = true;
    options.echo_bytes = neuro->load.bytes_out;
    Result<Measured> raw = Measure(*echo, options);
    if (!raw) return Fail(raw.error());
    raw->load.bytes_out = neuro->load.bytes_out;
    raw->load.bytes_in = neuro->load.bytes_in;
    const double ratio = raw->load.rate() > 0 ? neuro->load.rate() / raw->load.rate() : 0;
    report["raw_echo"] = MeasuredJson(*raw);
    report["ratio"] = ratio;
    if (!bench.json) {
      PrintMeasured("raw echo", *raw);
      std::printf("ratio     %10.2f of the raw echo's rate\n", ratio);
    }
  }
  if (bench.idle > 0 && bench.url.empty()) {
    Say(bench.json, "idle connections");
    for (const bool bare : {true, false}) {
      const ScratchDir fresh;
      std::vector<std::string> arguments = serve;
      arguments[4] = fresh.str();
      Result<Target> idle = StartTarget(arguments);
      if (!idle) return Fail(idle.error());
      const Result<double> bytes = MeasureIdle(*idle, bench.idle, bare);
      if (!bytes) return Fail(bytes.error());
      report[bare ? "idle_connection_bytes" : "idle_game_bytes"] = *bytes;
      if (!bench.json) {
        std::printf("memory    %10.0f B of server memory for each of %zu idle %s\n", *bytes, bench.idle,
                    bare ? "connections" : "games (startup and one action registered)");
      }
      idle->child->Terminate();
    }
  }
  if (bench.json) std::puts(json::Write(report).c_str());
  return {};
}

Result<void> ServeRawEcho(std::size_t reply_bytes) {
  net::RawEchoOptions options;
  options.reply_bytes = reply_bytes;
  const auto server = net::RawEchoServer::Start(options);
  if (!server) return Fail(server.error());
  std::printf("raw echo on http://127.0.0.1:%u\n", (*server)->port());
  std::fflush(stdout);
  pause();
  return {};
}

}  // namespace openseat::load
