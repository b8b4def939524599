// NetrunnerBot: plays the hosted Netrunner sensibly, without a model: an opponent for newcomers. It knows what its seat
// is told (the actions with their data, and the description) and the cards' printed facts, nothing hidden; it gives
// each legal choice a worth and takes the best, at random among equals.
#pragma once

#include <memory>
#include <optional>
#include <string>

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

  // What it would choose. Nothing where the decision is not one of Netrunner.
  std::optional<Choice> Pick(const Decision& decision);

 private:
  Rng rng_;
  Seat* seat_ = nullptr;
  // The prompt that is being answered card by card, and what of its measure has been chosen.
  std::string selecting_;
  int selected_ = 0;
};

// {"seed"}, optional; without one it takes a fresh one.
Result<std::unique_ptr<Agent>> MakeNetrunnerBot(const json::Object& options);

}  // namespace openseat
