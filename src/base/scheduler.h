// Scheduler: where an actor's messages and timers come from. A shard of the server is one (net/shard.h); tests use
// testing/fake_scheduler.h, whose time moves only when told to.
//
// A scheduler runs one task at a time, in order; everything posted to one scheduler may therefore share state without a
// lock. Post and Offload may be called from any thread, everything else from the scheduler's own.
#pragma once

#include <utility>

#include "base/clock.h"
#include "base/ids.h"
#include "base/task.h"

namespace openseat {

using TimerId = NumberId<struct TimerTag>;

class Scheduler {
 public:
  virtual ~Scheduler() = default;

  virtual const Clock& clock() const = 0;
  // Runs `task` later on this scheduler, after everything posted before by the same thread.
  virtual void Post(Task task) = 0;
  // Runs `work` on a thread that serves nobody, for what would hold this scheduler up; it posts back what it finds. One
  // piece of work at a time, in order, for all schedulers of the process. Destroyed unrun where the program stops
  // first.
  virtual void Offload(Task work) = 0;
  // Runs `task` once `delay` has passed. Timers of the same moment run in the order they were set.
  virtual TimerId After(Duration delay, Task task) = 0;
  // Returns whether the timer had not run yet; its task is destroyed then.
  virtual bool Cancel(TimerId timer) = 0;
};

// A timer that is cancelled when its owner goes.
class ScopedTimer {
 public:
  ScopedTimer() = default;
  ScopedTimer(ScopedTimer&& other) noexcept { *this = std::move(other); }
  ScopedTimer& operator=(ScopedTimer&& other) noexcept {
    if (this != &other) {
      Cancel();
      scheduler_ = std::exchange(other.scheduler_, nullptr);
      timer_ = std::exchange(other.timer_, TimerId());
    }
    return *this;
  }
  ~ScopedTimer() { Cancel(); }

  // Replaces whatever was set before. `task` may set this timer again.
  void Set(Scheduler& scheduler, Duration delay, Task task) {
    Cancel();
    scheduler_ = &scheduler;
    timer_ = scheduler.After(delay, std::move(task));
  }
  void Cancel() {
    if (scheduler_ != nullptr) std::exchange(scheduler_, nullptr)->Cancel(timer_);
  }

 private:
  Scheduler* scheduler_ = nullptr;
  TimerId timer_;
};

}  // namespace openseat
