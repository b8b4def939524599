// Storyteller: narrates narrative games from built-in tales, without a model. The same story, seed and choices give the
// same tale. Everything it needs to go on is in the story, so it may be seated at any turn. At a player's seat it takes
// one of the choices on offer.
#pragma once

#include <cstdint>
#include <memory>

#include "agents/kinds.h"
#include "base/time.h"
#include "core/agent.h"
#include "core/seat.h"

namespace openseat {

struct StorytellerOptions {
  std::uint64_t seed = 0;  // in addition to the story's own
  Duration delay{0};       // before each answer
};

class Storyteller final : public Agent {
 public:
  explicit Storyteller(StorytellerOptions options) : options_(options) {}

  std::string_view kind() const override { return "storyteller"; }
  void OnSeated(Seat& seat) override { seat_ = &seat; }
  void OnDecision(const Decision& decision) override;
  void OnDecisionEnded(DecisionId decision, DecisionEnd end) override;

 private:
  void Answer();

  const StorytellerOptions options_;
  Seat* seat_ = nullptr;
  ScopedTimer timer_;
};

AgentKind StorytellerKind();

}  // namespace openseat
