// RandomChoice: draws random choices with data that the actions' schemas accept, and spoils them on request. Seeded, so
// a run can be repeated.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_set>

#include "base/result.h"
#include "base/rng.h"
#include "core/action.h"
#include "core/decision.h"

namespace openseat {

class RandomChoice {
 public:
  explicit RandomChoice(std::uint64_t seed) : rng_(seed) {}

  // One of the actions, with data. While there is anything else, it is nothing that was refused. Errors: kNoSuchAction
  // if there is no action, kSchema if no data can be generated for any of them. `says_examples`: where data is free and
  // there are examples, it is one of these, unless something was refused.
  Result<Choice> Pick(const ActionSet& actions, bool says_examples = false);
  // The same choice with a typical mistake of a model: truncated JSON, prose, an empty object, another type, an unknown
  // action. Unchecked, so that it reaches the game.
  Choice Spoil(Choice choice);

  // The table refused this: Pick avoids it until Forget().
  void Refuse(const Choice& choice);
  void Forget() { refused_.clear(); }

  Rng& rng() { return rng_; }

 private:
  Result<Choice> Draw(const ActionSet& actions, double examples, std::uint64_t& steps);

  Rng rng_;
  std::unordered_set<std::size_t> refused_;  // hashes
};

}  // namespace openseat
