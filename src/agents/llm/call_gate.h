// CallGate: how many calls to a model may be in progress, and how many may begin in a minute, over all tables of the
// process. Those that have to wait are served by owners in turn, so that one with many tables delays the others by one
// call at a time. Any thread; outlives its passes.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <string_view>

#include "base/rate_limit.h"
#include "base/scheduler.h"
#include "base/turns.h"

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

    // Calls `enter` on `scheduler` when it is this caller's turn among those of `owner` (an address that may want
    // much): at once, within this call, if there is room. Leaves first.
    void Enter(CallGate& gate, Scheduler& scheduler, std::string_view owner, std::function<void()> enter);
    void Leave();

   private:
    friend class CallGate;
    struct Place;
    CallGate* gate_ = nullptr;
    std::shared_ptr<Place> place_;
    ScopedTimer rate_;
  };

 private:
  using PlacePtr = std::shared_ptr<Pass::Place>;

  // These REQUIRE the lock.
  bool HasRoom() const { return (max_concurrent_ == 0 || running_ < max_concurrent_) && !beginning_; }
  void Occupy();
  PlacePtr Next();  // who is to be called now; null: nobody

  void Begin(Pass& pass);
  void Call(PlacePtr next);
  void Free(const Pass::Place& place);
  void Forget(const PlacePtr& place);

  const std::size_t max_concurrent_;
  const RateLimit rate_;
  TokenBucket bucket_;
  std::mutex mutex_;
  std::size_t running_ = 0;
  bool beginning_ = false;  // one of these waits for the rate; the others wait behind it
  Turns<PlacePtr> waiting_;
};

}  // namespace openseat::llm
