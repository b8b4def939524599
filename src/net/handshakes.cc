#include "net/handshakes.h"

#include <algorithm>
#include <chrono>
#include <iterator>

namespace openseat::net {
namespace {

constexpr Duration kLongest = std::chrono::milliseconds(100);

}  // namespace

Handshakes::Place Handshakes::Begin(const std::string& address, Task cut) {
  if (size_ >= most_) CutOne();
  const auto of = addresses_.try_emplace(address).first;
  of->second.entries.push_back({.of = of, .number = begun_++, .cut = std::move(cut), .turn = Task()});
  ++size_;
  Place place;
  place.of_ = this;
  place.entry_ = std::prev(of->second.entries.end());
  return place;
}

// Of the address that has most; of several, whose began first.
void Handshakes::CutOne() {
  auto most = addresses_.begin();
  for (auto each = addresses_.begin(); each != addresses_.end(); ++each) {
    const std::list<Entry>& entries = each->second.entries;
    const std::list<Entry>& best = most->second.entries;
    if (entries.size() > best.size() ||
        (entries.size() == best.size() && entries.front().number < best.front().number)) {
      most = each;
    }
  }
  if (most == addresses_.end()) return;
  // Its place ends within this call.
  if (const Task cut = std::exchange(most->second.entries.front().cut, Task())) cut();
}

bool Handshakes::Place::Waits(Task turn) {
  if (entry_->turn) return true;
  Handshakes& all = *of_;
  const Duration wait = all.time_.Wait(kTime, 1, all.scheduler_.clock().Monotonic());
  if (all.waiting_ == 0 && wait == Duration(0)) return false;
  entry_->turn = std::move(turn);
  ++entry_->of->second.waiting;
  if (all.waiting_++ == 0) {
    all.timer_.Set(all.scheduler_, wait, [&all] { all.NextTurns(); });
  }
  return true;
}

void Handshakes::Place::Spend(Duration time) {
  // More is not a handshake's: the process was stopped meanwhile, perhaps for an hour.
  const double milliseconds = std::chrono::duration<double, std::milli>(std::min(time, kLongest)).count();
  of_->time_.Spend(kTime, milliseconds, of_->scheduler_.clock().Monotonic());
}

void Handshakes::Place::End() {
  if (of_ == nullptr) return;
  Handshakes& all = *std::exchange(of_, nullptr);
  const Addresses::iterator of = entry_->of;
  if (entry_->turn) {
    --of->second.waiting;
    --all.waiting_;
  }
  // What its tasks own may be the last to know this place.
  std::list<Entry> ended;
  ended.splice(ended.end(), of->second.entries, entry_);
  if (of->second.entries.empty()) all.addresses_.erase(of);
  --all.size_;
}

Handshakes::Addresses::iterator Handshakes::NextAddress() {
  auto next = addresses_.upper_bound(last_);
  for (;; ++next) {
    if (next == addresses_.end()) next = addresses_.begin();
    if (next->second.waiting > 0) return next;
  }
}

void Handshakes::NextTurns() {
  Duration wait{0};
  while (waiting_ > 0) {
    wait = time_.Wait(kTime, 1, scheduler_.clock().Monotonic());
    if (wait > Duration(0)) break;
    const auto next = NextAddress();
    last_ = next->first;
    auto entry = next->second.entries.begin();
    while (!entry->turn) ++entry;
    const Task turn = std::exchange(entry->turn, Task());
    --next->second.waiting;
    --waiting_;
    turn();
  }
  if (waiting_ > 0) timer_.Set(scheduler_, wait, [this] { NextTurns(); });
}

}  // namespace openseat::net
