// The load generator of `openseat bench neuro`: many games that force, get their action, and answer it, as fast as the
// server lets them; or the same bytes both ways against a raw echo.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"

namespace openseat::app {

struct LoadOptions {
  std::string url;
  std::size_t connections = 100;
  std::size_t depth = 1;  // games on each connection, each with one force open
  Duration warmup = std::chrono::seconds(1);
  Duration measure = std::chrono::seconds(5);
  // No Neuro API: one message of `echo_bytes` out, any message back.
  bool echo = false;
  std::size_t echo_bytes = 0;
};

struct LoadResult {
  std::size_t trips = 0;  // force, action, result; or message and echo
  Duration elapsed{0};
  std::vector<std::uint32_t> latencies_us;  // from the force to its action, sorted
  std::size_t bytes_out = 0;                // of one trip: result and force
  std::size_t bytes_in = 0;                 // of one trip: the action

  double rate() const {
    return elapsed.count() > 0 ? static_cast<double>(trips) * 1e6 / static_cast<double>(elapsed.count()) : 0;
  }
  double percentile_us(double p) const;
};

// Called on the client's thread when measuring begins and ends.
struct LoadMarks {
  void (*begin)(void* self) = nullptr;
  void (*end)(void* self) = nullptr;
  void* self = nullptr;
};

// Errors: kIo where a connection fails or ends early.
Result<LoadResult> RunLoad(const LoadOptions& options, const LoadMarks& marks);

// Opens `count` connections that say startup and register one action (or, with `bare`, nothing), keeps them idle, calls
// `marks.begin` once they are all there, and ends them.
Result<void> RunIdle(const std::string& url, std::size_t count, bool bare, const LoadMarks& marks);

}  // namespace openseat::app
