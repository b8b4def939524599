// The load generator of `openseat bench neuro`: many games that force, get their action, and answer it, as fast as the
// server allows; or the same bytes both ways against a raw echo.
#pragma once

#include <cstddef>
#include <string>

#include "base/result.h"
#include "base/time.h"
#include "load/load_run.h"

namespace openseat::load {

struct LoadOptions {
  std::string url;
  std::size_t connections = 100;
  std::size_t depth = 1;  // games per connection, each with one force open
  Duration warmup = std::chrono::seconds(1);
  Duration measure = std::chrono::seconds(5);
  // No Neuro API: one message of `echo_bytes` out, any message back.
  bool echo = false;
  std::size_t echo_bytes = 0;
};

// A trip is a force, its action and the result, timed from the force to its action; or a message and its echo.
// Errors: kIo if a connection fails or ends early.
Result<LoadResult> RunLoad(const LoadOptions& options, const LoadMarks& marks);

// Opens `count` connections that send startup and register one action (with `bare`: nothing), keeps them idle, calls
// `marks.begin` once all are open, and closes them.
Result<void> RunIdle(const std::string& url, std::size_t count, bool bare, const LoadMarks& marks);

}  // namespace openseat::load
