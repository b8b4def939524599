// Watch: how long the machine kept a program from running, so that a test can tell a program that is slow from one
// that had no core.
#pragma once

#include <sys/types.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <stop_token>
#include <thread>

namespace openseat::tests {

class Watch {
 public:
  // Watches all threads of the process, except those that gave themselves a lower priority than its first one.
  explicit Watch(pid_t pid);
  ~Watch();
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

  struct Report {
    // How many times a thread that was ready to run waited for a core for 3 ms or more, within 50 ms.
    std::size_t times = 0;
    // The longest that a thread waited within a quarter of a second.
    std::chrono::nanoseconds longest{0};
  };
  // What was seen so far.
  Report Read();

 private:
  static constexpr std::size_t kWindows = 5;

  struct Waits {
    std::uint64_t total = 0;                                   // since its thread began, in nanoseconds
    std::array<std::chrono::nanoseconds, kWindows> windows{};  // the latest ones
  };

  void Run(const std::stop_token& stop);
  // Ends a window in which the machine also kept the watching thread, or the whole machine, from running.
  void Look(std::chrono::nanoseconds late);

  const pid_t pid_;
  std::mutex mutex_;
  std::map<pid_t, Waits> threads_;
  std::uint64_t stolen_ = 0;  // from this machine by its host, in ticks
  std::size_t window_ = 0;
  Report report_;
  std::jthread thread_;  // last: it uses the others
};

}  // namespace openseat::tests
