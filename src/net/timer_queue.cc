#include "net/timer_queue.h"

#include <utility>

namespace openseat::net {
namespace {

constexpr std::uint32_t kNotInHeap = 0xffffffff;

}  // namespace

TimerId TimerQueue::Add(Instant deadline, Task task) {
  std::uint32_t slot = 0;
  if (free_.empty()) {
    slot = static_cast<std::uint32_t>(slots_.size());
    slots_.emplace_back();
  } else {
    slot = free_.back();
    free_.pop_back();
  }
  slots_[slot].task = std::move(task);
  ++slots_[slot].generation;
  heap_.push_back({deadline, next_order_++, slot});
  SiftUp(static_cast<std::uint32_t>(heap_.size() - 1));
  return TimerId((std::uint64_t{slots_[slot].generation} << 32) | (std::uint64_t{slot} + 1));
}

bool TimerQueue::Cancel(TimerId timer) {
  const auto number = static_cast<std::uint32_t>(timer.value());
  if (number == 0 || number > slots_.size()) return false;
  const Slot& slot = slots_[number - 1];
  if (slot.generation != timer.value() >> 32 || slot.position == kNotInHeap) return false;
  // The task is destroyed here, after the queue is consistent again: its destructor may set or cancel timers.
  const Task dying = Remove(slot.position);
  return true;
}

Task TimerQueue::PopDue(Instant now, std::uint64_t mark) {
  if (heap_.empty() || heap_.front().deadline > now || heap_.front().order >= mark) return {};
  return Remove(0);
}

void TimerQueue::Clear() {
  while (!heap_.empty()) const Task dying = Remove(0);
}

Task TimerQueue::Remove(std::uint32_t position) {
  const std::uint32_t slot = heap_[position].slot;
  Task task = std::move(slots_[slot].task);
  slots_[slot].position = kNotInHeap;
  free_.push_back(slot);
  const Entry last = heap_.back();
  heap_.pop_back();
  if (position < heap_.size()) {
    Place(position, last);
    SiftUp(position);
    SiftDown(slots_[last.slot].position);
  }
  return task;
}

void TimerQueue::Place(std::uint32_t position, const Entry& entry) {
  heap_[position] = entry;
  slots_[entry.slot].position = position;
}

void TimerQueue::SiftUp(std::uint32_t position) {
  const Entry entry = heap_[position];
  while (position > 0) {
    const std::uint32_t parent = (position - 1) / 2;
    if (!(entry < heap_[parent])) break;
    Place(position, heap_[parent]);
    position = parent;
  }
  Place(position, entry);
}

void TimerQueue::SiftDown(std::uint32_t position) {
  const Entry entry = heap_[position];
  for (;;) {
    std::uint32_t child = 2 * position + 1;
    if (child >= heap_.size()) break;
    if (child + 1 < heap_.size() && heap_[child + 1] < heap_[child]) ++child;
    if (!(heap_[child] < entry)) break;
    Place(position, heap_[child]);
    position = child;
  }
  Place(position, entry);
}

}  // namespace openseat::net
