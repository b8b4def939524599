// Function: a move-only callable, called in place as often as it allows. Callables of up to 48 bytes are stored in
// place, so making and moving one allocates no memory. Task, which takes no arguments, is the type that mailboxes and
// timers hold.
#pragma once

#include <cstddef>
#include <new>
#include <type_traits>
#include <utility>

#include "base/check.h"

namespace openseat {

template <typename Signature>
class Function;

template <typename Out, typename... In>
class Function<Out(In...)> {
 public:
  Function() = default;
  Function(std::nullptr_t) {}  // NOLINT(google-explicit-constructor): none, as with std::function

  template <typename F, typename = std::enable_if_t<!std::is_same_v<std::decay_t<F>, Function>>>
  Function(F&& f) {  // NOLINT(google-explicit-constructor): a lambda is one
    using Fn = std::decay_t<F>;
    if constexpr (sizeof(Fn) <= kInPlace && alignof(Fn) <= alignof(std::max_align_t) &&
                  std::is_nothrow_move_constructible_v<Fn>) {
      new (storage_) Fn(std::forward<F>(f));
      ops_ = &InPlace<Fn>::kOps;
    } else {
      new (storage_) Fn*(new Fn(std::forward<F>(f)));
      ops_ = &OnHeap<Fn>::kOps;
    }
  }

  Function(Function&& other) noexcept { Take(other); }
  Function& operator=(Function&& other) noexcept {
    if (this != &other) {
      Reset();
      Take(other);
    }
    return *this;
  }
  Function(const Function&) = delete;
  Function& operator=(const Function&) = delete;
  ~Function() { Reset(); }

  explicit operator bool() const { return ops_ != nullptr; }

  // REQUIRES: holds a callable. Const like calling through a pointer: the callable may change.
  // NOLINTNEXTLINE(performance-unnecessary-value-param): as the signature has them
  Out operator()(In... in) const {
    OPENSEAT_CHECK(ops_ != nullptr, "an empty Function was called");
    return ops_->call(storage_, std::forward<In>(in)...);
  }

 private:
  static constexpr std::size_t kInPlace = 48;
  struct Ops {
    Out (*call)(void*, In&&...);
    void (*move)(void* from, void* to);
    void (*destroy)(void*);
  };

  template <typename Fn>
  static Fn& At(void* storage) {
    return *std::launder(static_cast<Fn*>(storage));
  }
  template <typename Fn>
  static Out Call(Fn& callable, In&&... in) {
    if constexpr (std::is_void_v<Out>) {
      callable(std::forward<In>(in)...);  // the return value, if any, is discarded
    } else {
      return callable(std::forward<In>(in)...);
    }
  }

  template <typename Fn>
  struct InPlace {
    static Out Call(void* s, In&&... in) { return Function::Call(At<Fn>(s), std::forward<In>(in)...); }
    static void Move(void* from, void* to) {
      new (to) Fn(std::move(At<Fn>(from)));
      At<Fn>(from).~Fn();
    }
    static void Destroy(void* s) { At<Fn>(s).~Fn(); }
    static constexpr Ops kOps{&Call, &Move, &Destroy};
  };
  template <typename Fn>
  struct OnHeap {
    static Out Call(void* s, In&&... in) { return Function::Call(*At<Fn*>(s), std::forward<In>(in)...); }
    static void Move(void* from, void* to) { new (to) Fn*(At<Fn*>(from)); }
    static void Destroy(void* s) { delete At<Fn*>(s); }
    static constexpr Ops kOps{&Call, &Move, &Destroy};
  };

  void Take(Function& other) {
    if (other.ops_ != nullptr) {
      other.ops_->move(other.storage_, storage_);
      ops_ = std::exchange(other.ops_, nullptr);
    }
  }
  void Reset() {
    if (ops_ != nullptr) std::exchange(ops_, nullptr)->destroy(storage_);
  }

  alignas(std::max_align_t) mutable std::byte storage_[kInPlace];
  const Ops* ops_ = nullptr;
};

using Task = Function<void()>;

}  // namespace openseat
