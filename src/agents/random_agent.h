// RandomAgent: chooses a random action and generates data that its schema accepts (random_choice.h). Seeded, so a run
// can be repeated.
#pragma once

#include <memory>

#include "agents/kinds.h"
#include "agents/random_choice.h"
#include "base/time.h"
#include "core/agent.h"
#include "core/seat.h"

namespace openseat {

struct RandomAgentOptions {
  std::uint64_t seed = 0;
  Duration delay_min{0};  // between a decision and its answer, uniform in [delay_min, delay_max]
  Duration delay_max{0};
  Duration act_every{0};  // also chooses unasked about this often; 0: never
  // Fraction of its choices that are deliberately wrong, as a model's may be; at most two of a decision, never the
  // last.
  double invalid = 0;
  bool answer = true;  // whether it answers decisions at all
};

AgentKind RandomKind();

class RandomAgent final : public Agent {
 public:
  explicit RandomAgent(const RandomAgentOptions& options);

  std::string_view kind() const override { return "random"; }
  void OnSeated(Seat& seat) override;
  void OnDecision(const Decision& decision) override;
  void OnDecisionEnded(DecisionId decision, DecisionEnd end) override;
  void OnVerdict(const Choice& choice, const Verdict& verdict) override;
  void OnInvited() override;

 private:
  void Answer();
  void ActUnasked();
  void MaybeSpoil(Choice& choice);
  Duration Delay();

  const RandomAgentOptions options_;
  RandomChoice choice_;
  Seat* seat_ = nullptr;
  ScopedTimer answer_timer_;
  ScopedTimer act_timer_;
};

}  // namespace openseat
