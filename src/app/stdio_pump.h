// StdioPump: standard input and output for a protocol that lives on a scheduler. A thread reads, another one writes.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/scheduler.h"

namespace openseat::app {

class StdioPump {
 public:
  // On `scheduler`, which outlives it: `feed` gets what comes, piece by piece; when the input has ended, and `idle`
  // says that everything is answered or two seconds have passed, `ended` runs, once.
  StdioPump(Scheduler& scheduler, std::function<void(std::string_view)> feed, std::function<bool()> idle,
            std::function<void()> ended);
  // Writes what is left. REQUIRES that the scheduler does not run any more.
  ~StdioPump();

  // Any thread. Without a reader at the other end nothing is written.
  void Write(std::string line);

 private:
  struct Impl;
  const std::unique_ptr<Impl> impl_;
};

}  // namespace openseat::app
