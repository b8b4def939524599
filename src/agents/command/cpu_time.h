// The CPU time of a program and of everything that it has started.
#pragma once

#include <sys/types.h>

#include <optional>

#include "base/time.h"

namespace openseat {

// Of that process and its descendants, those that ended included if their parent waited for them. It can be read for
// any process. nullopt if the process is gone, or the system does not tell. Any thread.
std::optional<Duration> CpuTimeOf(pid_t root);

}  // namespace openseat
