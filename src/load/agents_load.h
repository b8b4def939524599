// The load generator of `openseat bench agents`: plays both seats of many games of Netrunner at once, driven only by
// webhooks, and checks whether any webhook was lost or arrived out of order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "load/load_run.h"

namespace openseat::load {

struct AgentsLoadOptions {
  std::string url;  // http://HOST:PORT of the server
  std::size_t games = 1000;
  std::uint64_t seed = 1;
  std::function<void(std::size_t ended)> progress;  // after each game; may be empty
  std::function<void()> all_begun;                  // every game has begun, no agent has acted; may be empty
};

struct AgentsLoadResult {
  LoadResult actions;                     // a trip: from an action until it is durable
  std::vector<std::uint32_t> webhook_ms;  // from the event to its arrival, sorted
  std::size_t webhooks = 0;
  std::size_t repeated = 0;      // arrived again because the answer was lost
  std::size_t out_of_order = 0;  // skipped, or arrived after a later one
  std::size_t refused = 0;       // actions
  std::size_t ended = 0;         // games
  std::string first_refusal;
};

// Every game begins before any agent acts, and all are played to the end. Errors: kIo, and what the server refuses.
Result<AgentsLoadResult> RunAgentsLoad(const AgentsLoadOptions& options);

}  // namespace openseat::load
