// What one table of a game elsewhere may have, from its payer's limits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include "base/budget.h"

namespace openseat::neuro {

// The payer's limit, such as &PeerLimits::max_actions, or the largest number if there is none; that of this machine's
// programs if there is no payer.
inline std::size_t MostOf(const Payer* payer, std::uint64_t PeerLimits::* limit) {
  const std::uint64_t most = (payer != nullptr ? payer->limits() : PeerLimits::Loopback()).*limit;
  return most == 0 ? std::numeric_limits<std::size_t>::max() : static_cast<std::size_t>(most);
}

}  // namespace openseat::neuro
