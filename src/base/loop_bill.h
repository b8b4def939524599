// LoopBill: for whom a thread works at the moment. What is posted meanwhile, to a loop or to a worker, is done for them
// as well, and what that posts; their share of the loops' time (base/loop_share.h) is charged for it
// (net/shard_impl.h).
#pragma once

#include <concepts>
#include <memory>
#include <type_traits>
#include <utility>

#include "base/loop_share.h"
#include "base/task.h"

namespace openseat {

using LoopSharePtr = std::shared_ptr<LoopShare>;
inline const LoopSharePtr kNobody;

// Until its end, this thread works for the owner of a share, or for nobody if it is null. They nest.
class LoopBill {
 public:
  explicit LoopBill(const LoopSharePtr& share) : share_(share), outer_(std::exchange(current_, this)) {}
  explicit LoopBill(LoopSharePtr&&) = delete;  // it outlives this
  ~LoopBill() { current_ = outer_; }
  LoopBill(const LoopBill&) = delete;
  LoopBill& operator=(const LoopBill&) = delete;

  // This thread's; null: nobody's.
  static LoopSharePtr Current() { return current_ == nullptr ? nullptr : current_->share_; }

 private:
  // NOLINTNEXTLINE(readability-identifier-naming): a member, though of the thread
  static inline constinit thread_local const LoopBill* current_ = nullptr;

  const LoopSharePtr& share_;
  const LoopBill* const outer_;
};

// A callback that waits, and for whom it is called: for whom the thread works that makes this. What several ask for
// keeps one for each, or who makes room for the next one would pay for it.
template <typename F>
class Billed {
 public:
  Billed() = default;
  template <std::convertible_to<F> G>
    requires(!std::same_as<std::remove_cvref_t<G>, Billed>)
  Billed(G&& callback)  // NOLINT(google-explicit-constructor): a lambda is one
      : callback_(std::forward<G>(callback)), payer_(LoopBill::Current()) {}

  explicit operator bool() const { return static_cast<bool>(callback_); }
  const LoopSharePtr& payer() const { return payer_; }  // null: nobody

  // Calls and destroys it. REQUIRES that there is one, and that this outlives the call.
  template <typename... In>
  void operator()(In&&... in) {
    const LoopBill bill(payer_);
    callback_(std::forward<In>(in)...);
    callback_ = F();
  }

 private:
  F callback_{};
  LoopSharePtr payer_;
};

using BilledTask = Billed<Task>;

}  // namespace openseat
