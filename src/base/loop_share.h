// LoopShare: what of the event loops' time somebody uses. Those who take long turns wait for those who take short ones,
// and among themselves for those who have used less (start-time fair queueing). What they have used is counted from a
// common point, the fair time, which follows what those have used who are served.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>

namespace openseat {

// Any thread. If two threads spend at once, one of both may be lost.
class LoopShare {
 public:
  using Span = std::chrono::nanoseconds;
  using Moment = std::chrono::steady_clock::time_point;

  // Who was away does not save for later: it begins at the fair time.
  void Spend(Span fair_time, Span took, Moment now) {
    const Span last = usual();
    if (took > last && IsException(took)) {
      exception_.store(took.count(), std::memory_order_relaxed);
      short_turns_.store(0, std::memory_order_relaxed);
    } else if (took > last) {
      usual_.store(took.count(), std::memory_order_relaxed);
    } else if (const Moment forgotten{Span(forgotten_.load(std::memory_order_relaxed))}; now - forgotten >= kForgets) {
      forgotten_.store(Span(now.time_since_epoch()).count(), std::memory_order_relaxed);
      usual_.store((last - last / kMemory).count(), std::memory_order_relaxed);
      exception_.store((exception() - exception() / kMemory).count(), std::memory_order_relaxed);
    }
    if (took <= kLong) SpendLittle();
    // Those who take short turns are not served in the order of what was used. If theirs counted, they would be far
    // ahead of everybody when one turn of theirs takes long.
    if (IsLong()) used_.store((std::max(used(), fair_time) + took).count(), std::memory_order_relaxed);
  }
  // Counts a short turn: enough while what it remembers is short, too.
  void SpendLittle() {
    const std::uint32_t turns = short_turns_.load(std::memory_order_relaxed);
    if (turns < kKnown) short_turns_.store(turns + 1, std::memory_order_relaxed);
  }
  // Whether it usually takes long turns.
  bool IsLong() const { return usual() > kLong; }
  // In fair time.
  Span used() const { return Span(used_.load(std::memory_order_relaxed)); }
  // How long its turns take: the longest one that was not forgiven. Shorter ones have it forgotten, a sixteenth in 100
  // ms: many of them at once do not hide a long one.
  Span usual() const { return Span(usual_.load(std::memory_order_relaxed)); }
  // The longest turn that is not forgotten.
  Span remembered() const { return std::max(usual(), exception()); }

 private:
  // A long turn is forgiven if so many short ones came since the last one that was, and no long one is remembered: it
  // may have taken long for another reason, such as memory that was given back to the system. Its sender would wait for
  // seconds, behind everybody whose turns take as long.
  bool IsException(Span took) const {
    return took > kLong && remembered() <= kLong && short_turns_.load(std::memory_order_relaxed) >= kKnown;
  }
  Span exception() const { return Span(exception_.load(std::memory_order_relaxed)); }

  static constexpr Span kLong = std::chrono::microseconds(500);
  static constexpr std::uint32_t kKnown = 64;
  static constexpr int kMemory = 16;
  static constexpr Span kForgets = std::chrono::milliseconds(100);

  std::atomic<std::int64_t> used_ = 0;
  std::atomic<std::int64_t> usual_ = 0;
  std::atomic<std::int64_t> exception_ = 0;
  std::atomic<std::uint32_t> short_turns_ = 0;  // since the last exception
  std::atomic<std::int64_t> forgotten_ = 0;     // when a part of it was, by the steady clock
};

}  // namespace openseat
