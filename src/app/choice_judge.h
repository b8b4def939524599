// JudgeOn: the judge of `openseat analyze`, for the rewards of OpenEnv episodes. Questions wait in queues of
// their own, one per address, served in turn: who asks much holds up nobody else. They use at most half of the threads:
// an opponent's search waits only for those that already run. Any thread.
#pragma once

#include <cstddef>

#include "base/worker_pool.h"
#include "protocols/openenv/episode.h"

namespace openseat::app {

// Choices of all players that wait for the judge; beyond it, those of the address with most give way.
// docs/protocols/openenv.md has the number.
inline constexpr std::size_t kMaxToJudge = 4096;

// `pool` outlives what it returns.
openenv::ChoiceJudge JudgeOn(WorkerPool& pool);

}  // namespace openseat::app
