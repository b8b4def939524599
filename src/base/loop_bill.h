// LoopBill: whose share of the event loops' time (base/loop_share.h) is charged for what a thread does at the moment.
// What is posted meanwhile, to a loop or to a worker, is charged to the same share, and what that posts as well.
#pragma once

#include <memory>
#include <utility>

#include "base/loop_share.h"
#include "base/task.h"

namespace openseat {

using LoopSharePtr = std::shared_ptr<LoopShare>;

// Until its end, what this thread does is charged to a share, or to nobody if it is null. They nest.
class LoopBill {
 public:
  explicit LoopBill(const LoopSharePtr& share) : share_(share), outer_(std::exchange(current_, this)) {}
  explicit LoopBill(LoopSharePtr&&) = delete;  // it outlives this
  ~LoopBill() { current_ = outer_; }
  LoopBill(const LoopBill&) = delete;
  LoopBill& operator=(const LoopBill&) = delete;

  // This thread's; null if nobody is charged.
  static LoopSharePtr Current() { return current_ == nullptr ? nullptr : current_->share_; }

 private:
  // NOLINTNEXTLINE(readability-identifier-naming): a member, though of the thread
  static inline constinit thread_local const LoopBill* current_ = nullptr;

  const LoopSharePtr& share_;
  const LoopBill* const outer_;
};

// A task that waits, and who is charged for it: by default, who is charged now.
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
