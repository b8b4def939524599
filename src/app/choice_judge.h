// JudgeOn: the judge of `openseat analyze`, for the rewards of OpenEnv episodes. What is asked waits in a queue of
// its own, which takes at most half of the threads: searches of opponents wait for no more than what runs. Any thread.
#pragma once

#include <cstddef>

#include "base/worker_pool.h"
#include "protocols/openenv/episode.h"

namespace openseat::app {

// Choices of all players that wait for the judge. docs/protocols/openenv.md has the number.
inline constexpr std::size_t kMaxToJudge = 4096;

// `pool` outlives what it returns.
openenv::ChoiceJudge JudgeOn(WorkerPool& pool);

}  // namespace openseat::app
