// The operator's settings for stories that are played over HTTP.
#pragma once

#include <cstddef>

#include "base/rate_limit.h"
#include "core/agent.h"

namespace openseat::narrative {

struct NarrativeOptions {
  AgentSpec narrator{"storyteller", {}};           // of stories that name none
  std::size_t max_running = 256;                   // turns that are narrated at the same time, in all stories
  RateLimit rate{.per_second = 10, .burst = 200};  // of strangers' requests that are narrated, by address
};

}  // namespace openseat::narrative
