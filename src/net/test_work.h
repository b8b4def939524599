// Work for tests of a loop's turns.
#pragma once

#include <chrono>
#include <ctime>

namespace openseat::net {

// Uses the core for so long, whatever else the machine does.
inline void UseCore(std::chrono::milliseconds time) {
  const auto used = [] {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
  };
  const auto end = used() + time;
  while (used() < end) {
  }
}

}  // namespace openseat::net
