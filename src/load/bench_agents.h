// `openseat bench agents`: many games of Netrunner at once, both seats played by agents that receive webhooks and
// answer over the Agent API.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/result.h"

namespace openseat::load {

struct AgentsBench {
  std::string url;           // http://HOST:PORT; "": starts its own server
  std::size_t games = 1000;  // at once
  std::size_t shards = 1;    // of its own server
  std::uint64_t seed = 1;    // for the agents' choices
  bool json = false;
};

// Prints the figures. Returns false if a webhook was lost or out of order, or an action was refused. Errors: kIo,
// kTimeout, and what the server refuses.
Result<bool> BenchAgents(const AgentsBench& bench);

}  // namespace openseat::load
