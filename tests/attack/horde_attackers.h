// The attackers of a Horde: one for each attack of the tests in this folder that can be made next to the others.
// docs/reliability.md says which tests have none, and why.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "attack/horde.h"

namespace openseat::tests {

struct Attacker {
  const char* name;
  // Makes one round; returns how often the attacked program answered or refused, 0 if nobody felt it.
  std::function<std::size_t(const Targets&)> attack;
};

std::vector<Attacker> AllAttackers();

}  // namespace openseat::tests
