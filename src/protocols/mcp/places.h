// Places: how much of something goes on at once, of one owner and in all. Any thread.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace openseat::mcp {

class Places {
 public:
  Places(std::size_t most, std::size_t most_of_one) : most_(most), most_of_one_(most_of_one) {}

  // Null if no place is free for this owner. Otherwise the place is taken until what is returned is destroyed, which
  // may outlive this.
  std::shared_ptr<void> Take(const std::string& owner) {
    const std::lock_guard lock(taken_->mutex);
    const auto found = taken_->by_owner.find(owner);
    if (taken_->all >= most_ || (found != taken_->by_owner.end() && found->second >= most_of_one_)) return nullptr;
    ++taken_->all;
    ++taken_->by_owner[owner];
    return {taken_.get(), [taken = taken_, owner](void*) {
              const std::lock_guard giving_back(taken->mutex);
              --taken->all;
              if (--taken->by_owner[owner] == 0) taken->by_owner.erase(owner);
            }};
  }

 private:
  struct Taken {
    std::mutex mutex;
    std::size_t all = 0;
    std::map<std::string, std::size_t> by_owner;  // none is 0
  };
  const std::size_t most_;
  const std::size_t most_of_one_;
  const std::shared_ptr<Taken> taken_ = std::make_shared<Taken>();
};

}  // namespace openseat::mcp
