// Lazy: a value that is made when somebody first asks for it, and kept. Any thread. Where nobody waits for it, making
// it costs no system call, unlike with std::call_once of glibc.
#pragma once

#include <atomic>
#include <utility>

namespace openseat {

template <typename T>
class Lazy {
 public:
  // The value; `make` returns it if there is none yet. Other threads wait meanwhile. REQUIRES that `make` does not ask
  // for this value.
  template <typename Make>
  const T& Get(const Make& make) const noexcept {
    if (state_.load(std::memory_order_acquire) != kMade) MakeOrWait(make);
    return value_;
  }

 private:
  enum State : int { kNone, kMaking, kMade };

  template <typename Make>
  void MakeOrWait(const Make& make) const {
    int state = kNone;
    if (state_.compare_exchange_strong(state, kMaking, std::memory_order_acquire)) {
      value_ = make();
      state_.store(kMade, std::memory_order_release);
      state_.notify_all();
    } else if (state == kMaking) {
      state_.wait(kMaking, std::memory_order_acquire);
    }
  }

  mutable std::atomic<int> state_ = kNone;
  mutable T value_{};
};

}  // namespace openseat
