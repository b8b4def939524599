// The attackers of a Horde: one for each attack of the tests in this folder that can be made next to the others.
// docs/reliability.md says which tests have none, and why.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "attack/horde.h"

namespace openseat::tests {

// Where an attacker comes from: it is a stranger with an address of its own, and maybe a key, or a program of this
// machine, with larger limits, and those of the players next to it. Some attack what elsewhere takes the admin token,
// at every door: they are no strangers, and take part only if they are selected.
enum class From : std::uint8_t { kElsewhere, kHere, kAdmin };

struct Attacker {
  const char* name;
  // Makes one round; returns how often the attacked program answered or refused, 0 if nobody felt it.
  std::function<std::size_t(const Targets&)> attack;
  From from = From::kElsewhere;
};

std::vector<Attacker> AllAttackers();

}  // namespace openseat::tests
