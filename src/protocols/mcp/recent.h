// Recent: values by name, of which the latest are kept.
#pragma once

#include <cstddef>
#include <list>
#include <string>
#include <unordered_map>
#include <utility>

namespace openseat::mcp {

template <typename T>
class Recent {
 public:
  // Keeps at most `most`; beyond that, the value that was named longest ago goes.
  explicit Recent(std::size_t most) : most_(most) {}

  // Null where nothing is kept under that name.
  T* Find(const std::string& name) {
    const auto found = by_name_.find(name);
    return found == by_name_.end() ? nullptr : &found->second->second;
  }
  // The value of that name, new if there was none; it is the latest now.
  T& At(const std::string& name) {
    if (const auto found = by_name_.find(name); found != by_name_.end()) {
      values_.splice(values_.end(), values_, found->second);
      return found->second->second;
    }
    if (values_.size() >= most_) {
      by_name_.erase(values_.front().first);
      values_.pop_front();
    }
    const auto added = values_.emplace(values_.end(), name, T());
    by_name_.emplace(name, added);
    return added->second;
  }
  void Erase(const std::string& name) {
    const auto found = by_name_.find(name);
    if (found == by_name_.end()) return;
    values_.erase(found->second);
    by_name_.erase(found);
  }
  std::size_t size() const { return values_.size(); }

 private:
  using Values = std::list<std::pair<std::string, T>>;
  const std::size_t most_;
  Values values_;  // oldest first
  std::unordered_map<std::string, typename Values::iterator> by_name_;
};

}  // namespace openseat::mcp
