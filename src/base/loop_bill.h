// LoopBill: for whom a thread works at the moment. What is posted meanwhile, to a loop or to a worker, is done for them
// as well, and what that posts; their share of the loops' time (base/loop_share.h) is charged for it
// (net/shard_impl.h).
#pragma once

#include <memory>
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

// A task that waits, and for whom it is done: by default, for whom this thread works. A queue of what several ask for
// keeps it with each, or who makes room in it would pay for the next one.
struct BilledTask {
  Task task;
  LoopSharePtr payer = LoopBill::Current();

  // Runs and destroys it.
  void Run() {
    const LoopBill bill(payer);
    task();
    task = Task();
  }
};

}  // namespace openseat
