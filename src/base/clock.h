// The clock, passed in wherever time is read, so that tests own it (testing/fake_scheduler.h).
#pragma once

#include "base/time.h"

namespace openseat {

class Clock {
 public:
  virtual ~Clock() = default;
  virtual Time Now() const = 0;
  virtual Instant Monotonic() const = 0;
};

class SystemClock final : public Clock {
 public:
  Time Now() const override { return std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now()); }
  Instant Monotonic() const override {
    return std::chrono::time_point_cast<Duration>(std::chrono::steady_clock::now());
  }
};

}  // namespace openseat
