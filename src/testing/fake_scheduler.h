// FakeScheduler: a scheduler and clock for tests. Nothing runs by itself: Run() runs what was posted, Advance() moves
// time and runs the timers that fall due, in order.
#pragma once

#include <deque>
#include <map>
#include <utility>

#include "base/scheduler.h"

namespace openseat::testing {

class FakeClock final : public Clock {
 public:
  Time Now() const override { return Time(std::chrono::seconds(1'800'000'000)) + elapsed; }
  Instant Monotonic() const override { return Instant(std::chrono::seconds(1'000)) + elapsed; }
  Duration elapsed{0};
};

class FakeScheduler final : public Scheduler {
 public:
  const Clock& clock() const override { return clock_; }
  void Post(Task task) override { posted_.push_back(std::move(task)); }
  void OffloadFor(std::string_view, Task work) override { Post(std::move(work)); }
  TimerId After(Duration delay, Task task) override {
    last_timer_ = last_timer_.Next();
    timers_.emplace(std::pair(clock_.elapsed + delay, last_timer_), std::move(task));
    return last_timer_;
  }
  bool Cancel(TimerId timer) override {
    for (auto it = timers_.begin(); it != timers_.end(); ++it) {
      if (it->first.second == timer) {
        timers_.erase(it);
        return true;
      }
    }
    return false;
  }

  // Runs everything posted, and what that posts, until nothing is left.
  void Run() {
    while (!posted_.empty()) {
      Task task = std::move(posted_.front());
      posted_.pop_front();
      task();
    }
  }
  void Advance(Duration by) {
    Run();
    const Duration end = clock_.elapsed + by;
    while (!timers_.empty() && timers_.begin()->first.first <= end) {
      auto node = timers_.extract(timers_.begin());
      clock_.elapsed = node.key().first;
      node.mapped()();
      Run();
    }
    clock_.elapsed = end;
  }
  std::size_t timers() const { return timers_.size(); }

 private:
  FakeClock clock_;
  std::deque<Task> posted_;
  std::map<std::pair<Duration, TimerId>, Task> timers_;
  TimerId last_timer_;
};

}  // namespace openseat::testing
