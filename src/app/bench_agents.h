// `openseat bench agents`: many games of Netrunner at once, both seats played by agents that are told by webhooks and
// answer over the Agent API.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/result.h"

namespace openseat::app {

struct AgentsFlags {
  std::string url;
  std::size_t games = 1000;
  std::size_t shards = 1;
  std::uint64_t seed = 1;
  bool json = false;
};

// The exit code: kFailed where a webhook was lost or out of order, or an action was refused.
Result<int> BenchAgents(const AgentsFlags& flags);

}  // namespace openseat::app
