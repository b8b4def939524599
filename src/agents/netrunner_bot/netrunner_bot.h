// NetrunnerBot: plays the hosted Netrunner sensibly, without a model: an opponent for newcomers. It knows what its seat
// observes (Decision::sight: the observation and the legal choices, both as data) and the cards' printed facts, nothing
// hidden. It rates each legal choice and takes the best, at random among equals.
#pragma once

#include <memory>
#include <optional>

#include "base/rng.h"
#include "core/agent.h"
#include "core/seat.h"

namespace openseat {

class NetrunnerBot final : public Agent {
 public:
  explicit NetrunnerBot(std::uint64_t seed) : rng_(seed) {}

  std::string_view kind() const override { return "bot"; }
  void OnSeated(Seat& seat) override { seat_ = &seat; }
  void OnDecision(const Decision& decision) override;

  // What it would choose. nullopt if the decision is not from Netrunner.
  std::optional<Choice> Pick(const Decision& decision);

 private:
  Rng rng_;
  Seat* seat_ = nullptr;
};

// {"seed"}, optional; without it, a fresh seed is used.
Result<std::unique_ptr<Agent>> MakeNetrunnerBot(const json::Object& options);

}  // namespace openseat
