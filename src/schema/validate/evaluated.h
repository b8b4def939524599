// Evaluated: which items or members of one instance a subschema has evaluated, for unevaluatedItems and
// unevaluatedProperties. Members count in the order of the object. Allocates only beyond 64.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace openseat::schema {

class Evaluated {
 public:
  void Mark(std::size_t index) {
    if (index < 64) [[likely]] {
      first_ |= std::uint64_t{1} << index;
    } else {
      MarkBeyond(index - 64);
    }
  }
  void MarkAll() { all_ = true; }
  bool IsMarked(std::size_t index) const {
    if (all_) return true;
    if (index < 64) return ((first_ >> index) & 1) != 0;
    return more_ != nullptr && index - 64 < more_->size() && (*more_)[index - 64];
  }
  bool all() const { return all_; }
  // Whether each of the first `count` is marked, as far as a quick check can tell.
  bool AreMarked(std::size_t count) const { return all_ || (count < 64 && first_ == (std::uint64_t{1} << count) - 1); }
  void Merge(const Evaluated& other) {
    all_ = all_ || other.all_;
    first_ |= other.first_;
    if (other.more_ == nullptr) return;
    for (std::size_t i = 0; i < other.more_->size(); ++i) {
      if ((*other.more_)[i]) MarkBeyond(i);
    }
  }

 private:
  void MarkBeyond(std::size_t index) {
    if (more_ == nullptr) more_ = std::make_unique<std::vector<bool>>();
    if (index >= more_->size()) more_->resize(std::max(index + 1, more_->size() * 2));
    (*more_)[index] = true;
  }

  bool all_ = false;
  std::uint64_t first_ = 0;
  std::unique_ptr<std::vector<bool>> more_;
};

}  // namespace openseat::schema
