// TimerQueue: the timers of one shard as an indexed binary heap. Adding and removing a far timer, which every round
// trip does, costs no allocation and no system call. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/scheduler.h"

namespace openseat::net {

class TimerQueue {
 public:
  TimerId Add(Instant deadline, Task task);
  // Removes the timer and destroys its task; false if it ran or was canceled before.
  bool Cancel(TimerId timer);

  bool empty() const { return heap_.empty(); }
  std::size_t size() const { return heap_.size(); }
  // The earliest deadline. REQUIRES !empty().
  Instant next() const { return heap_.front().deadline; }

  // The mark that Add will give to the next timer; PopDue takes only timers below such a mark, so that a task that
  // keeps setting a timer without delay cannot block the loop.
  std::uint64_t mark() const { return next_order_; }
  // Removes the first timer with deadline <= now that was added before `mark`; returns an empty task if there is no
  // such timer.
  Task PopDue(Instant now, std::uint64_t mark);

  void Clear();

 private:
  struct Entry {  // of the heap
    Instant deadline;
    std::uint64_t order;
    std::uint32_t slot;
    bool operator<(const Entry& other) const {
      return deadline != other.deadline ? deadline < other.deadline : order < other.order;
    }
  };
  struct Slot {
    Task task;
    std::uint32_t generation = 0;  // counts the uses of this slot, so that an old id does not cancel a new timer
    std::uint32_t position = 0;    // in heap_
  };

  Task Remove(std::uint32_t position);
  void SiftUp(std::uint32_t position);
  void SiftDown(std::uint32_t position);
  void Place(std::uint32_t position, const Entry& entry);

  std::vector<Entry> heap_;
  std::vector<Slot> slots_;
  std::vector<std::uint32_t> free_;
  std::uint64_t next_order_ = 0;
};

}  // namespace openseat::net
