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
  // Removes the timer and destroys its task; false where it has run or was cancelled before.
  bool Cancel(TimerId timer);

  bool empty() const { return heap_.empty(); }
  std::size_t size() const { return heap_.size(); }
  // The earliest deadline. REQUIRES !empty().
  Instant next() const { return heap_.front().deadline; }

  // What Add will hand out next; PopDue takes only timers below such a mark, so that a task that sets a timer of no
  // delay again and again cannot hold the loop.
  std::uint64_t mark() const { return next_order_; }
  // Takes out the first timer with deadline <= now that was added before `mark`; an empty task where there is none.
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
