// `openseat bench agents`: many games of Netrunner at once, both seats played by agents that are told by webhooks and
// answer over the Agent API.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/result.h"

namespace openseat::load {

struct AgentsBench {
  std::string url;           // http://HOST:PORT; "": a server of its own
  std::size_t games = 1000;  // at once
  std::size_t shards = 1;    // of the server of its own
  std::uint64_t seed = 1;    // of what the agents choose
  bool json = false;
};

// Prints the figures. Gives false where a webhook was lost or out of order, or an action was refused. Errors: kIo,
// kTimeout, and what the server refuses.
Result<bool> BenchAgents(const AgentsBench& bench);

}  // namespace openseat::load
