// Scheduler: runs an actor's messages and timers. A shard of the server is one (net/shard.h); tests use
// testing/fake_scheduler.h, whose time moves only when told to.
//
// A scheduler runs one task at a time, in order; everything posted to one scheduler may therefore share state without a
// lock. Post and Offload may be called from any thread, everything else from the scheduler's own.
#pragma once

#include <string_view>
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
  // Runs `work` on a thread that serves no requests, for work that would hold up this scheduler; it posts its result
  // back. One piece of work at a time for all schedulers of the process; that of one owner (an address that may want
  // much) in order, and owners in turn. Destroyed without running if the program stops first.
  void Offload(Task work) { OffloadFor({}, std::move(work)); }
  virtual void OffloadFor(std::string_view owner, Task work) = 0;
  // Runs `task` once `delay` has passed. Timers of the same moment run in the order they were set.
  virtual TimerId After(Duration delay, Task task) = 0;
  // Returns whether the timer had not run yet; if so, its task is destroyed.
  virtual bool Cancel(TimerId timer) = 0;
};

// A timer that is canceled when its owner is destroyed.
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

  // Replaces the timer if one is set. `task` may set this timer again.
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
