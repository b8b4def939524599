// Turns: what waits to be done, in a queue for each owner. Owners are served in turn, so one for whom much waits delays
// the others by one item at a time. One thread at a time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>
#include <functional>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace openseat {

template <typename T>
class Turns {
 public:
  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }  // of all queues

  void Add(std::string_view owner, T item) {
    auto queue = waiting_.find(owner);
    if (queue == waiting_.end()) queue = waiting_.emplace(owner, std::deque<T>()).first;
    queue->second.push_back(std::move(item));
    ++size_;
  }

  // The oldest item of the owner whose turn it is. REQUIRES !empty().
  T Take() {
    auto next = waiting_.upper_bound(last_);
    if (next == waiting_.end()) next = waiting_.begin();
    last_ = next->first;
    T item = std::move(next->second.front());
    next->second.pop_front();
    if (next->second.empty()) waiting_.erase(next);
    --size_;
    return item;
  }

  std::size_t SizeOf(std::string_view owner) const {
    const auto queue = waiting_.find(owner);
    return queue == waiting_.end() ? 0 : queue->second.size();
  }
  // The owner for whom most waits. REQUIRES !empty().
  const std::string& Largest() const {
    return std::ranges::max_element(waiting_, {}, [](const auto& each) { return each.second.size(); })->first;
  }
  // The owner's newest item. REQUIRES SizeOf(owner) > 0.
  T TakeNewest(std::string_view owner) {
    const auto queue = waiting_.find(owner);
    T item = std::move(queue->second.back());
    queue->second.pop_back();
    if (queue->second.empty()) waiting_.erase(queue);
    --size_;
    return item;
  }

  // Takes out the items for which `matches` is true.
  template <typename Predicate>
  std::vector<T> TakeIf(Predicate matches) {
    std::vector<T> taken;
    for (auto& [owner, items] : waiting_) {
      const auto first = std::stable_partition(items.begin(), items.end(), std::not_fn(matches));
      std::move(first, items.end(), std::back_inserter(taken));
      items.erase(first, items.end());
    }
    std::erase_if(waiting_, [](const auto& each) { return each.second.empty(); });
    size_ -= taken.size();
    return taken;
  }

 private:
  std::map<std::string, std::deque<T>, std::less<>> waiting_;  // no queue is empty
  std::string last_;                                           // whose item was taken last
  std::size_t size_ = 0;
};

}  // namespace openseat
