// RandomAgent: chooses a random action and generates data that its schema accepts. Seeded, so a run can be repeated.
#pragma once

#include <memory>

#include "agents/kinds.h"
#include "base/rng.h"
#include "base/time.h"
#include "core/agent.h"
#include "core/seat.h"

namespace openseat {

struct RandomAgentOptions {
  std::uint64_t seed = 0;
  Duration delay_min{0};  // between a decision and its answer, uniform in [delay_min, delay_max]
  Duration delay_max{0};
  Duration act_every{0};  // also chooses unasked about this often; 0: never
  double invalid = 0;     // fraction of its choices that are deliberately wrong, as a model's may be
  bool answer = true;     // whether it answers decisions at all
};

AgentKind RandomKind();

class RandomAgent final : public Agent {
 public:
  explicit RandomAgent(const RandomAgentOptions& options);

  std::string_view kind() const override { return "random"; }
  void OnSeated(Seat& seat) override;
  void OnDecision(const Decision& decision) override;
  void OnDecisionEnded(DecisionId decision, DecisionEnd end) override;

 private:
  void Answer();
  void ActUnasked();
  Result<Choice> Pick(const ActionSet& actions);
  Choice Spoil(Choice choice);
  Duration Delay();

  const RandomAgentOptions options_;
  Rng rng_;
  Seat* seat_ = nullptr;
  ScopedTimer answer_timer_;
  ScopedTimer act_timer_;
};

}  // namespace openseat
