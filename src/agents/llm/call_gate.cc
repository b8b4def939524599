#include "agents/llm/call_gate.h"

#include <utility>

#include "base/loop_bill.h"

namespace openseat::llm {

// After it was made, it changes only on the scheduler's thread.
struct CallGate::Pass::Place {
  Scheduler& scheduler;
  Pass* pass;  // null: its holder has left
  Billed<std::function<void()>> enter;
  bool holds = false;  // it counts as running, and the holder knows
  bool begun = false;  // … and no longer waits for the rate
};

CallGate::CallGate(std::size_t max_concurrent, double per_minute)
    : max_concurrent_(max_concurrent), rate_{.per_second = per_minute / 60, .burst = 1} {}

void CallGate::Pass::Enter(CallGate& gate, Scheduler& scheduler, std::string_view owner, std::function<void()> enter) {
  Leave();
  gate_ = &gate;
  place_ = std::make_shared<Place>(scheduler, this, std::move(enter));
  {
    const std::lock_guard lock(gate.mutex_);
    if (!gate.HasRoom()) return gate.waiting_.Add(owner, place_);
    gate.Occupy();
  }
  place_->holds = true;
  gate.Begin(*this);
}

void CallGate::Pass::Leave() {
  rate_.Cancel();
  if (!place_) return;
  const std::shared_ptr<Place> place = std::move(place_);
  place->pass = nullptr;
  if (place->holds) {
    gate_->Free(*place);
  } else {
    gate_->Forget(place);
  }
}

void CallGate::Occupy() {
  ++running_;
  beginning_ = rate_.per_second > 0;
}

CallGate::PlacePtr CallGate::Next() {
  if (waiting_.empty() || !HasRoom()) return nullptr;
  Occupy();
  return waiting_.Take();
}

// The caller has a place; the rate may still make it wait.
void CallGate::Begin(Pass& pass) {
  Pass::Place& place = *pass.place_;
  if (rate_.per_second > 0) {
    const Duration wait = bucket_.Take(rate_, 1, place.scheduler.clock().Monotonic());
    if (wait > Duration(0)) return pass.rate_.Set(place.scheduler, wait, [this, &pass] { Begin(pass); });
    PlacePtr next;
    {
      const std::lock_guard lock(mutex_);
      beginning_ = false;
      next = Next();
    }
    Call(std::move(next));
  }
  place.begun = true;
  Billed<std::function<void()>> enter = std::move(place.enter);
  enter();
}

void CallGate::Call(PlacePtr next) {
  if (!next) return;
  Scheduler& scheduler = next->scheduler;
  const LoopBill bill(next->enter.payer());
  scheduler.Post([this, next = std::move(next)] {
    if (next->pass == nullptr) return Free(*next);
    next->holds = true;
    Begin(*next->pass);
  });
}

void CallGate::Free(const Pass::Place& place) {
  PlacePtr next;
  {
    const std::lock_guard lock(mutex_);
    --running_;
    if (!place.begun) beginning_ = false;
    next = Next();
  }
  Call(std::move(next));
}

// If it was called meanwhile, it is given on when the call arrives.
void CallGate::Forget(const PlacePtr& place) {
  const std::lock_guard lock(mutex_);
  waiting_.TakeIf([&](const PlacePtr& each) { return each == place; });
}

}  // namespace openseat::llm
