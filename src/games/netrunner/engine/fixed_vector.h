// FixedVector: a list with a maximum length, stored inline, so its owner can be copied as bytes.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "base/check.h"

namespace openseat::games::netrunner {

template <typename T, std::size_t kCapacity>
class FixedVector {
  static_assert(std::is_trivially_copyable_v<T> && kCapacity < 65536);

 public:
  using value_type = T;

  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }
  static constexpr std::size_t capacity() { return kCapacity; }
  const T* begin() const { return items_.data(); }
  const T* end() const { return items_.data() + size_; }
  T* begin() { return items_.data(); }
  T* end() { return items_.data() + size_; }
  const T& operator[](std::size_t index) const { return items_[index]; }
  T& operator[](std::size_t index) { return items_[index]; }
  const T& back() const { return items_[size_ - 1u]; }
  T& back() { return items_[size_ - 1u]; }

  // REQUIRES size() < capacity(); a longer list is a bug in the rules.
  void push_back(const T& item) {
    OPENSEAT_CHECK(size_ < kCapacity, "a list of the state is full");
    items_[size_++] = item;
  }
  void insert(std::size_t index, const T& item) {
    push_back(item);
    std::rotate(begin() + index, end() - 1, end());
  }
  void erase(std::size_t index) {
    std::copy(begin() + index + 1, end(), begin() + index);
    --size_;
  }
  void pop_back() { --size_; }
  void clear() { size_ = 0; }
  void resize(std::size_t size) { size_ = static_cast<std::uint16_t>(size); }

  bool Contains(const T& item) const { return std::find(begin(), end(), item) != end(); }
  // Returns size() if it is not in the list.
  std::size_t IndexOf(const T& item) const {
    return static_cast<std::size_t>(std::find(begin(), end(), item) - begin());
  }

  bool operator==(const FixedVector& other) const { return std::equal(begin(), end(), other.begin(), other.end()); }

 private:
  std::uint16_t size_ = 0;
  std::array<T, kCapacity> items_{};
};

}  // namespace openseat::games::netrunner
