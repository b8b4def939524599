// RunSummary: the sums over a run's games: how often each agent won, and how the models did. It is the "summary" of
// run.json and the output of `openseat play --json`; docs/formats/arena_run.md describes it. One thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "arena/game_line.h"
#include "arena/run_spec.h"
#include "base/json.h"

namespace openseat::arena {

struct Score {
  std::uint64_t wins = 0;
  std::uint64_t draws = 0;
  std::uint64_t losses = 0;
};

struct AgentTally {
  std::string agent;
  Score all;
  std::vector<Score> by_seat;  // the same games, by the agent's seat
  std::uint64_t forfeits = 0;  // among the losses
};

// How one model answered, in all games, void ones included.
struct ModelTally {
  std::uint64_t failures = 0;  // calls that were not answered
  std::uint64_t answers = 0;
  std::uint64_t illegal = 0;  // answers that the schema or the rules did not allow
  std::uint64_t repaired = 0;
  std::uint64_t asked_again = 0;
  std::uint64_t given_up = 0;  // decisions
  TokenFigures tokens;
  std::optional<double> cost = 0;  // nullopt: unknown
  std::vector<float> latencies;    // ms, of answered calls; the first 100,000

  // In ms; `quantile` in [0, 1]. 0 without any.
  double Latency(double quantile) const;
};

class RunSummary {
 public:
  explicit RunSummary(std::vector<std::string> agents);

  // `agents` has the index of the agent at each seat.
  void AddGame(const GameLine& line, std::span<const std::size_t> agents);
  // A line of decisions.jsonl.
  void AddDecision(const json::Object& line);

  const std::vector<AgentTally>& agents() const { return agents_; }
  const std::map<std::string, ModelTally>& models() const { return models_; }
  std::uint64_t counted() const { return counted_; }
  std::uint64_t voided() const { return voided_; }
  // Causes of void games, and how many games each.
  const std::map<std::string, std::uint64_t>& causes() const { return causes_; }
  // The same of forfeits.
  const std::map<std::string, std::uint64_t>& forfeit_causes() const { return forfeit_causes_; }

  json::Object ToJson(const RunSpec& spec, std::uint64_t wanted, double seconds) const;

 private:
  std::vector<AgentTally> agents_;
  std::map<std::string, ModelTally> models_;
  std::uint64_t counted_ = 0;
  std::uint64_t voided_ = 0;
  std::map<std::string, std::uint64_t> causes_;
  std::map<std::string, std::uint64_t> forfeit_causes_;
};

}  // namespace openseat::arena
