// CallGate: how many calls to a model may be in progress, and how many may begin in a minute, over all tables of the
// process. Any thread; outlives its passes.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>

#include "base/rate_limit.h"
#include "base/scheduler.h"

namespace openseat::llm {

class CallGate {
 public:
  // 0: no limit.
  CallGate(std::size_t max_concurrent, double per_minute);

  // One caller's place: waits for its turn, holds it, and gives it up when it is destroyed or left. One thread.
  class Pass {
   public:
    Pass() = default;
    ~Pass() { Leave(); }
    Pass(const Pass&) = delete;
    Pass& operator=(const Pass&) = delete;

    // Calls `enter` on `scheduler` when it is this caller's turn: at once, within this call, if there is room. Leaves
    // first.
    void Enter(CallGate& gate, Scheduler& scheduler, std::function<void()> enter);
    void Leave();

   private:
    friend class CallGate;
    struct Place;
    CallGate* gate_ = nullptr;
    std::shared_ptr<Place> place_;
    ScopedTimer rate_;
  };

 private:
  void Begin(Pass& pass);
  void Free();

  const std::size_t max_concurrent_;
  const RateLimit rate_;
  TokenBucket bucket_;
  std::mutex mutex_;
  std::size_t running_ = 0;
  std::deque<std::shared_ptr<Pass::Place>> waiting_;
};

}  // namespace openseat::llm
