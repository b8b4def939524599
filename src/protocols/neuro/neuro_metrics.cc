#include "protocols/neuro/neuro_metrics.h"

#include <string>

#include "protocols/neuro/diagnostics.h"

namespace openseat::neuro {

NeuroMetrics::NeuroMetrics(Metrics& metrics)
    : connected(metrics.AddGauge("openseat_neuro_games_connected", "Games that speak the Neuro API, connected now.")),
      runs(metrics.AddCounter("openseat_neuro_runs_total", "Runs of games that speak the Neuro API.")),
      forces(metrics.AddCounter("openseat_neuro_forces_total", "Forces that could be asked.")),
      retries(metrics.AddCounter("openseat_neuro_retries_total", "Times that a force was asked again.")),
      given_up(metrics.AddCounter("openseat_neuro_forces_given_up_total", "Forces that were given up.")),
      answers(metrics.AddCounter("openseat_neuro_actions_total", "Actions sent to games.", {{"asked", "force"}})),
      unforced(metrics.AddCounter("openseat_neuro_actions_total", "Actions sent to games.", {{"asked", "nobody"}})),
      result_seconds(metrics.AddHistogram("openseat_neuro_result_seconds",
                                          "How long a game took from an action to its result.", LatencyBounds())) {
  for (std::size_t i = 0; i < results.size(); ++i) {
    results[i] = &metrics.AddCounter("openseat_neuro_results_total", "Actions by what became of them.",
                                     {{"outcome", std::string(VerdictName(static_cast<Verdict::Kind>(i)))}});
  }
  for (std::size_t i = 0; i < diagnostics.size(); ++i) {
    diagnostics[i] = &metrics.AddCounter("openseat_neuro_diagnostics_total", "Findings in games' messages.",
                                         {{"severity", std::string(SeverityName(static_cast<Severity>(i)))}});
  }
}

}  // namespace openseat::neuro
