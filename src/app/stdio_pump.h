// StdioPump: standard input and output for a protocol that lives on a scheduler. One thread reads, another one writes.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/scheduler.h"

namespace openseat::app {

class StdioPump {
 public:
  // `feed` gets the input piece by piece, on `scheduler`, which outlives the pump. `ended` runs once: when the input
  // has ended, and either `idle` says that everything is answered or two seconds have passed.
  StdioPump(Scheduler& scheduler, std::function<void(std::string_view)> feed, std::function<bool()> idle,
            std::function<void()> ended);
  // Writes what is left. REQUIRES that the scheduler no longer runs.
  ~StdioPump();

  // Any thread. If nothing reads the other end, nothing is written.
  void Write(std::string line);

 private:
  struct Impl;
  const std::unique_ptr<Impl> impl_;
};

}  // namespace openseat::app
