#include "load/bench_chimera.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <optional>
#include <utility>
#include <vector>

#include "base/json.h"
#include "load/chimera_load.h"
#include "load/target.h"

namespace openseat::load {
namespace {

// How long the disk of `dir` takes for a journal's writes when otherwise idle: microseconds, sorted.
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

std::vector<std::string> ChimeraServer(const std::string& data_dir, const ChimeraBench& bench) {
  return {"serve",  "--listen",    "127.0.0.1:0", "--chimera-listen", "none",     "--data-dir",
          data_dir, "--log-level", "error",       "--test-games",     "--shards", std::to_string(bench.shards)};
}

Result<Target> StartChimera(const std::string& data_dir, const ChimeraBench& bench) {
  Result<Target> target =
      bench.url.empty() ? StartTarget(ChimeraServer(data_dir, bench)) : Target{std::nullopt, bench.url};
  if (target && bench.url.empty()) target->url += "/chimera";
  return target;
}

}  // namespace

Result<void> BenchChimera(const ChimeraBench& bench) {
  const std::string& game = bench.game->info().id;
  ChimeraLoadOptions options;
  options.game = bench.game;
  options.matches = bench.matches;
  options.rate = bench.rate;
  options.measure = Duration(static_cast<std::int64_t>(bench.seconds * 1e6));
  json::Object report{{"game", game}, {"matches", bench.matches}, {"rate", bench.rate}};
  {
    const ScratchDir scratch;
    const std::vector<double> syncs = MeasureSync(scratch.str());
    if (!syncs.empty()) {
      report["sync_p50_us"] = syncs[syncs.size() / 2];
      report["sync_p99_us"] = syncs[syncs.size() * 99 / 100];
      if (!bench.json) {
        std::printf("disk only, 16 KiB and fdatasync: p50 %.0f us, p99 %.0f us\n", syncs[syncs.size() / 2],
                    syncs[syncs.size() * 99 / 100]);
      }
    }
    Result<Target> target = StartChimera(scratch.str(), bench);
    if (!target) return Fail(target.error());
    options.url = target->url;
    Say(bench.json, "matches between two clients each");
    Duration used{0};
    const Result<ChimeraLoadResult> load = RunChimeraLoad(options, CpuMarks(*target, used));
    if (!load) return Fail(load.error());
    const double seconds = static_cast<double>(load->actions.elapsed.count()) / 1e6;
    const double cpu = static_cast<double>(used.count());
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
    if (!bench.json) {
      std::printf("%zu matches of %s at once, %.1f s, %s\n", bench.matches, game.c_str(), bench.seconds,
                  bench.rate > 0 ? "paced" : "each client acts as soon as it can");
      std::printf("%10.0f durable actions/s   answered: p50 %.0f us, p99 %.0f us, at most %.0f us\n",
                  load->actions.rate(), load->actions.percentile_us(50), load->actions.percentile_us(99),
                  load->actions.percentile_us(100));
      std::printf("%10.0f matches/s created, joined and played to the end\n%10.0f notifications/s\n", finished,
                  notified);
      if (target->child && load->actions.trips > 0) {
        std::printf("%10.2f us of server CPU per action, including its share of joins and notifications\n",
                    cpu / static_cast<double>(load->actions.trips));
      }
    }
    if (target->child) target->child->Terminate();
  }
  if (bench.memory && bench.url.empty()) {
    Say(bench.json, "idle matches");
    const ScratchDir scratch;
    Result<Target> target = StartChimera(scratch.str(), bench);
    if (!target) return Fail(target.error());
    options.url = target->url;
    std::size_t begin = 0;
    std::size_t end = 0;
    const ChildProcess& child = *target->child;
    Result<void> run =
        RunChimeraIdle(options, {[&] { begin = child.ResidentBytes(); }, [&] { end = child.ResidentBytes(); }});
    if (!run) return Fail(run.error());
    const double bytes = (static_cast<double>(end) - static_cast<double>(begin)) / static_cast<double>(bench.matches);
    report["match_bytes"] = bytes;
    if (!bench.json)
      std::printf("%10.0f B of server memory per match in progress, not counting its connections\n", bytes);
    target->child->Terminate();
  }
  if (bench.json) std::puts(json::Write(report).c_str());
  return {};
}

}  // namespace openseat::load
