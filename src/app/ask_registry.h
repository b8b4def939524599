// Calls of the registry that wait for their answer.
#pragma once

#include <future>
#include <memory>
#include <utility>

#include "base/check.h"
#include "base/clock.h"
#include "base/result.h"
#include "base/scheduler.h"
#include "core/registry.h"

namespace openseat::app {

// Runs each task where it is posted: for answers that are only kept.
class AtOnce final : public Scheduler {
 public:
  const Clock& clock() const override { return clock_; }
  void Post(Task task) override { task(); }
  void OffloadFor(std::string_view, Task work) override { work(); }
  TimerId After(Duration, Task) override {
    OPENSEAT_CHECK(false, "no answer of the registry sets a timer");
    return {};
  }
  bool Cancel(TimerId) override { return false; }

 private:
  const SystemClock clock_;
};

// `call(Scheduler&, Registry::Done<T>)` makes one call. REQUIRES a thread that may wait: none that runs a scheduler.
template <typename T, typename Call>
Result<T> AskRegistry(const Call& call) {
  static AtOnce at_once;
  const auto answer = std::make_shared<std::promise<Result<T>>>();
  call(at_once, [answer](Result<T> result) { answer->set_value(std::move(result)); });
  return answer->get_future().get();
}

}  // namespace openseat::app
