#include "agents/llm/call_gate.h"

#include <algorithm>
#include <utility>

namespace openseat::llm {

// After it was made, only `pass` changes, and only on the scheduler's thread.
struct CallGate::Pass::Place {
  Scheduler& scheduler;
  Pass* pass;  // null: its holder has left
  std::function<void()> enter;
  bool holds = false;  // it counts as running, and the holder knows
};

CallGate::CallGate(std::size_t max_concurrent, double per_minute)
    : max_concurrent_(max_concurrent), rate_{.per_second = per_minute / 60, .burst = 1} {}

void CallGate::Pass::Enter(CallGate& gate, Scheduler& scheduler, std::function<void()> enter) {
  Leave();
  gate_ = &gate;
  place_ = std::make_shared<Place>(scheduler, this, std::move(enter));
  {
    const std::lock_guard lock(gate.mutex_);
    if (gate.max_concurrent_ != 0 && gate.running_ >= gate.max_concurrent_) {
      gate.waiting_.push_back(place_);
      return;
    }
    ++gate.running_;
  }
  place_->holds = true;
  gate.Begin(*this);
}

void CallGate::Pass::Leave() {
  rate_.Cancel();
  if (!place_) return;
  place_->pass = nullptr;
  const bool held = place_->holds;
  place_.reset();
  if (held) gate_->Free();
}

// The caller has a place; the rate may still make it wait.
void CallGate::Begin(Pass& pass) {
  Scheduler& scheduler = pass.place_->scheduler;
  const Duration wait = rate_.per_second > 0 ? bucket_.Take(rate_, 1, scheduler.clock().Monotonic()) : Duration(0);
  if (wait > Duration(0)) return pass.rate_.Set(scheduler, wait, [this, &pass] { Begin(pass); });
  const std::function<void()> enter = std::move(pass.place_->enter);
  enter();
}

void CallGate::Free() {
  std::shared_ptr<Pass::Place> next;
  {
    const std::lock_guard lock(mutex_);
    if (waiting_.empty()) {
      --running_;
      return;
    }
    next = std::move(waiting_.front());
    waiting_.pop_front();
  }
  Scheduler& scheduler = next->scheduler;
  scheduler.Post([this, next] {
    if (next->pass == nullptr) return Free();
    next->holds = true;
    Begin(*next->pass);
  });
}

}  // namespace openseat::llm
