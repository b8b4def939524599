// Evaluated: which items or members of one instance some subschema has looked at, for unevaluatedItems and
// unevaluatedProperties. Members are counted in the order of the object. Allocates beyond 64 only.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace openseat::schema {

class Evaluated {
 public:
  void Mark(std::size_t index) {
    if (index < 64) {
      first_ |= std::uint64_t{1} << index;
      return;
    }
    const std::size_t word = index / 64 - 1;
    if (word >= more_.size()) more_.resize(std::max(word + 1, more_.size() * 2));
    more_[word] |= std::uint64_t{1} << (index % 64);
  }
  void MarkAll() { all_ = true; }
  bool IsMarked(std::size_t index) const {
    if (all_) return true;
    if (index < 64) return ((first_ >> index) & 1) != 0;
    const std::size_t word = index / 64 - 1;
    return word < more_.size() && ((more_[word] >> (index % 64)) & 1) != 0;
  }
  bool all() const { return all_; }
  void Merge(const Evaluated& other) {
    all_ = all_ || other.all_;
    first_ |= other.first_;
    if (more_.size() < other.more_.size()) more_.resize(other.more_.size());
    for (std::size_t i = 0; i < other.more_.size(); ++i) more_[i] |= other.more_[i];
  }

 private:
  bool all_ = false;
  std::uint64_t first_ = 0;
  std::vector<std::uint64_t> more_;
};

}  // namespace openseat::schema
