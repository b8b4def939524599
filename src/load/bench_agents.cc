#include "load/bench_agents.h"

#include <unistd.h>

#include <cstdio>
#include <utility>

#include "base/json.h"
#include "load/agents_load.h"
#include "load/target.h"

namespace openseat::load {

Result<bool> BenchAgents(const AgentsBench& bench) {
  const ScratchDir scratch;
  Result<Target> started =
      bench.url.empty() ? StartTarget({"serve", "--listen", "127.0.0.1:0", "--chimera-listen", "none", "--data-dir",
                                       scratch.str(), "--log-level", "error", "--shards", std::to_string(bench.shards)})
                        : Target{std::nullopt, bench.url};
  if (!started) return Fail(started.error());
  Target& target = *started;
  AgentsLoadOptions options;
  options.url = target.child ? target.http_url() : bench.url;
  options.games = bench.games;
  options.seed = bench.seed;
  Say(bench.json, "creating games");
  Duration cpu_before{0};
  options.all_begun = [&] {
    if (target.child) cpu_before = target.child->CpuTime();
    Say(bench.json, "playing all games");
  };
  const bool watched = !bench.json && isatty(STDERR_FILENO) != 0;
  options.progress = [&](std::size_t ended) {
    if (watched)
      std::fprintf(stderr, "\r%zu of %zu games have ended%s", ended, bench.games, ended == bench.games ? "\n" : "");
  };
  const Result<AgentsLoadResult> load = RunAgentsLoad(options);
  if (!load) return Fail(load.error());
  const double seconds = static_cast<double>(load->actions.elapsed.count()) / 1e6;
  const auto rate = [seconds](std::size_t count) { return seconds > 0 ? static_cast<double>(count) / seconds : 0; };
  const auto webhook_ms = [&](std::size_t percent) {
    return load->webhook_ms.empty() ? 0u : load->webhook_ms[(load->webhook_ms.size() - 1) * percent / 100];
  };
  json::Object report{{"games", load->ended},
                      {"seconds", seconds},
                      {"actions", load->actions.trips},
                      {"actions_per_second", rate(load->actions.trips)},
                      {"action_p50_us", load->actions.percentile_us(50)},
                      {"action_p99_us", load->actions.percentile_us(99)},
                      {"webhooks", load->webhooks},
                      {"webhooks_per_second", rate(load->webhooks)},
                      {"webhook_p50_ms", webhook_ms(50)},
                      {"webhook_p99_ms", webhook_ms(99)},
                      {"lost_or_out_of_order", load->out_of_order},
                      {"repeated", load->repeated},
                      {"refused", load->refused}};
  if (target.child) {
    report["server_cpu_seconds"] = static_cast<double>((target.child->CpuTime() - cpu_before).count()) / 1e6;
    report["server_bytes"] = target.child->ResidentBytes();
  }
  if (bench.json) {
    std::puts(json::Write(report).c_str());
  } else {
    std::printf("%zu games at once, played to the end in %.1f s\n", load->ended, seconds);
    std::printf("%10zu actions, %.0f/s   durable and answered: p50 %.0f us, p99 %.0f us\n", load->actions.trips,
                rate(load->actions.trips), load->actions.percentile_us(50), load->actions.percentile_us(99));
    std::printf("%10zu webhooks, %.0f/s   from the event to its arrival: p50 %u ms, p99 %u ms\n", load->webhooks,
                rate(load->webhooks), webhook_ms(50), webhook_ms(99));
    std::printf("%10zu webhooks lost or out of order, %zu repeated; %zu actions refused\n", load->out_of_order,
                load->repeated, load->refused);
    if (load->refused > 0) std::printf("           first refusal: %s\n", load->first_refusal.c_str());
    if (target.child) {
      std::printf("%10.1f s of the server's CPU, %zu MB of its memory\n", report.at("server_cpu_seconds").get_double(),
                  target.child->ResidentBytes() >> 20);
    }
  }
  if (target.child) target.child->Terminate();
  return load->out_of_order == 0 && load->refused == 0 && load->ended == bench.games;
}

}  // namespace openseat::load
