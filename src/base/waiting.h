// Limits on what waits for somebody else: on items and on bytes. An item costs its own bytes and the overhead of
// keeping it, so that a million empty items are not free.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <utility>

#include "base/budget.h"

namespace openseat {

struct WaitingLimits {
  std::size_t items = 10'000;
  std::size_t bytes = 8u << 20;  // including the overhead of keeping the items

  // [limits] max_waiting_items and max_waiting_bytes; the defaults if there is no payer.
  static WaitingLimits Of(const Payer* payer) {
    return {MostOf(payer, &PeerLimits::max_waiting_items), MostOf(payer, &PeerLimits::max_waiting_bytes)};
  }
};

// Only the counts, for what waits in a mailbox. Any thread.
class WaitingCount {
 public:
  // Overhead of keeping one item, in bytes, in addition to its own.
  static constexpr std::size_t kOverhead = 128;
  // What waits beyond this counts for the address as well, …
  static constexpr std::size_t kFree = 64u << 10;
  // … and toward the process's memory what waits beyond this: most counts stay below, and cost nothing.
  static constexpr std::size_t kUncounted = 4u << 10;

  // `payer`: for whose address it counts; null: for none.
  explicit WaitingCount(const WaitingLimits& limits, std::shared_ptr<Payer> payer = nullptr)
      : limits_(limits), payer_(std::move(payer)) {}
  // With the payer's limits.
  explicit WaitingCount(std::shared_ptr<Payer> payer) : WaitingCount(WaitingLimits::Of(payer.get()), payer) {}
  ~WaitingCount() { Pay(bytes(), 0); }
  WaitingCount(const WaitingCount&) = delete;
  WaitingCount& operator=(const WaitingCount&) = delete;

  // Counts one more item of so many bytes; false, and nothing is counted, if that would be too much. If nothing waits,
  // any item is accepted for which its address and the process have room: it passed a limit of its own.
  bool Add(std::size_t bytes) {
    const std::size_t items = items_.fetch_add(1, std::memory_order_relaxed);
    const std::size_t before = bytes_.fetch_add(bytes + kOverhead, std::memory_order_relaxed);
    const std::size_t after = before + bytes + kOverhead;
    const std::optional<Limit> beyond = Pay(before, after);
    if (!beyond && (items == 0 || (items < limits_.items && after <= limits_.bytes))) return true;
    Remove(bytes);
    beyond_.store(beyond.value_or(Limit::kCount), std::memory_order_relaxed);
    return false;
  }
  // REQUIRES an Add of as many bytes.
  void Remove(std::size_t bytes) {
    items_.fetch_sub(1, std::memory_order_relaxed);
    const std::size_t before = bytes_.fetch_sub(bytes + kOverhead, std::memory_order_relaxed);
    Pay(before, before - bytes - kOverhead);
  }

  // The refusal for an Add that just failed, counted if there is a payer. `of_items`, `of_bytes`: the settings that the
  // limits come from.
  Refusal Refuse(const Payer* payer, Limit of_items = Limit::kWaitingItems,
                 Limit of_bytes = Limit::kWaitingBytes) const {
    const Limit beyond = beyond_.load(std::memory_order_relaxed);
    if (beyond != Limit::kCount) return payer_->RefuseToWait(beyond);
    const bool full = items() >= limits_.items;
    const Limit limit = full ? of_items : of_bytes;
    const std::size_t allowed = full ? limits_.items : limits_.bytes;
    return RefuseFor(payer, limit, allowed);
  }

  // Whether the Add that just failed did so for what its address, or the process, has elsewhere.
  bool full_elsewhere() const { return beyond_.load(std::memory_order_relaxed) != Limit::kCount; }
  std::size_t items() const { return items_.load(std::memory_order_relaxed); }
  std::size_t bytes() const { return bytes_.load(std::memory_order_relaxed); }

 private:
  // Counts the step of bytes_ for the address and the process; the limit that they are beyond, if any. The steps add
  // up, whatever their order.
  std::optional<Limit> Pay(std::size_t before, std::size_t after) {
    if (payer_ == nullptr || (before <= kUncounted && after <= kUncounted)) return std::nullopt;
    const auto step = [before, after](std::size_t free) {
      const auto beyond = [free](std::size_t bytes) {
        return static_cast<std::int64_t>(bytes > free ? bytes - free : 0);
      };
      return beyond(after) - beyond(before);
    };
    return payer_->AddWaiting(step(kFree), step(kUncounted));
  }

  const WaitingLimits limits_;
  const std::shared_ptr<Payer> payer_;
  std::atomic<std::size_t> items_ = 0;
  std::atomic<std::size_t> bytes_ = 0;
  std::atomic<Limit> beyond_ = Limit::kCount;  // at the last Add that failed; kCount: its own limits
};

// What waits, first in, first out. One thread.
template <typename T>
class WaitingQueue {
 public:
  // See WaitingCount.
  explicit WaitingQueue(const WaitingLimits& limits = {}, std::shared_ptr<Payer> payer = nullptr)
      : count_(limits, std::move(payer)) {}
  explicit WaitingQueue(std::shared_ptr<Payer> payer) : count_(std::move(payer)) {}

  // Takes an item of so many bytes; false, and nothing is taken, if the queue is full.
  bool Push(T item, std::size_t bytes) {
    if (!count_.Add(bytes)) return false;
    entries_.push_back({std::move(item), bytes});
    return true;
  }
  // Always takes it; the oldest items are dropped if there is no room. REQUIRES no payer, whose other queues might
  // have taken all of it.
  void PushOverOldest(T item, std::size_t bytes) {
    while (!count_.Add(bytes)) static_cast<void>(Pop());
    entries_.push_back({std::move(item), bytes});
  }
  // The oldest. REQUIRES !empty().
  T& front() { return entries_.front().item; }
  T Pop() {
    Entry entry = std::move(entries_.front());
    entries_.pop_front();
    count_.Remove(entry.bytes);
    return std::move(entry.item);
  }

  // Calls `visit` with each item, oldest first.
  template <typename Visit>
  void ForEach(Visit visit) const {
    for (const Entry& entry : entries_) visit(entry.item);
  }

  void Clear() {
    while (!empty()) static_cast<void>(Pop());
  }
  bool empty() const { return entries_.empty(); }
  std::size_t size() const { return entries_.size(); }
  const WaitingCount& count() const { return count_; }

 private:
  struct Entry {
    T item;
    std::size_t bytes;
  };
  WaitingCount count_;
  std::list<Entry> entries_;  // no memory while it is empty, which most queues are
};

}  // namespace openseat
