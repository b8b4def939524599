// Task: a move-only callable of no arguments, for mailboxes and timers. Callables of up to 48 bytes are kept in place.
#pragma once

#include <cstddef>
#include <new>
#include <type_traits>
#include <utility>

#include "base/check.h"

namespace openseat {

class Task {
 public:
  Task() = default;

  template <typename F, typename = std::enable_if_t<!std::is_same_v<std::decay_t<F>, Task>>>
  Task(F&& f) {  // NOLINT(google-explicit-constructor): a lambda is a task
    using Fn = std::decay_t<F>;
    if constexpr (sizeof(Fn) <= kInPlace && alignof(Fn) <= alignof(std::max_align_t) &&
                  std::is_nothrow_move_constructible_v<Fn>) {
      new (storage_) Fn(std::forward<F>(f));
      ops_ = &kInPlaceOps<Fn>;
    } else {
      new (storage_) Fn*(new Fn(std::forward<F>(f)));
      ops_ = &kHeapOps<Fn>;
    }
  }

  Task(Task&& other) noexcept { Take(other); }
  Task& operator=(Task&& other) noexcept {
    if (this != &other) {
      Reset();
      Take(other);
    }
    return *this;
  }
  Task(const Task&) = delete;
  Task& operator=(const Task&) = delete;
  ~Task() { Reset(); }

  explicit operator bool() const { return ops_ != nullptr; }

  // REQUIRES: holds a callable. May be called more than once where the callable allows it.
  void operator()() {
    OPENSEAT_CHECK(ops_ != nullptr, "an empty Task was called");
    ops_->call(storage_);
  }

 private:
  static constexpr std::size_t kInPlace = 48;
  struct Ops {
    void (*call)(void*);
    void (*move)(void* from, void* to);
    void (*destroy)(void*);
  };

  template <typename Fn>
  static Fn& In(void* storage) {
    return *std::launder(static_cast<Fn*>(storage));
  }
  template <typename Fn>
  static constexpr Ops kInPlaceOps{[](void* s) { In<Fn>(s)(); },
                                   [](void* from, void* to) {
                                     new (to) Fn(std::move(In<Fn>(from)));
                                     In<Fn>(from).~Fn();
                                   },
                                   [](void* s) { In<Fn>(s).~Fn(); }};
  template <typename Fn>
  static constexpr Ops kHeapOps{[](void* s) { (*In<Fn*>(s))(); },
                                [](void* from, void* to) { new (to) Fn*(In<Fn*>(from)); },
                                [](void* s) { delete In<Fn*>(s); }};

  void Take(Task& other) {
    if (other.ops_ != nullptr) {
      other.ops_->move(other.storage_, storage_);
      ops_ = std::exchange(other.ops_, nullptr);
    }
  }
  void Reset() {
    if (ops_ != nullptr) std::exchange(ops_, nullptr)->destroy(storage_);
  }

  alignas(std::max_align_t) std::byte storage_[kInPlace];
  const Ops* ops_ = nullptr;
};

}  // namespace openseat
