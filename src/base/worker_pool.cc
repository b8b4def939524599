#include "base/worker_pool.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

namespace openseat {
namespace {

constexpr int kNiceness = 10;

// Of the calling thread alone: that is what Linux does.
void StepBack() {
  static_cast<void>(setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), kNiceness));
}

std::size_t ThreadsFor(std::size_t wanted) {
  if (wanted != 0) return wanted;
  return std::max<std::size_t>(2, std::thread::hardware_concurrency()) - 1;
}

}  // namespace

WorkerPool::WorkerPool(std::size_t threads) {
  for (std::size_t left = ThreadsFor(threads); left > 0; --left) {
    threads_.emplace_back([this] { Run(); });
  }
}

WorkerPool::~WorkerPool() {
  Turns<BilledTask> dying;
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    dying = std::exchange(waiting_, {});
  }
  wake_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void WorkerPool::Post(Task task, std::string_view owner) {
  BilledTask billed(std::move(task));
  {
    const std::lock_guard lock(mutex_);
    if (stopping_) return;
    waiting_.Add(owner, std::move(billed));
  }
  wake_.notify_one();
}

void WorkerPool::Run() {
  StepBack();
  for (;;) {
    BilledTask task;
    {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [this] { return stopping_ || !waiting_.empty(); });
      if (stopping_) return;
      task = waiting_.Take();
    }
    task();
  }
}

}  // namespace openseat
