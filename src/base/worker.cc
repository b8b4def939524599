#include "base/worker.h"

#include <utility>

namespace openseat {

Worker::Worker() : thread_([this] { Run(); }) {}

Worker::~Worker() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_one();
  if (thread_.joinable()) thread_.join();
}

void Worker::Post(Task task, std::string_view owner) {
  BilledTask billed(std::move(task));
  {
    const std::lock_guard lock(mutex_);
    if (stopped_) return;
    waiting_.Add(owner, std::move(billed));
  }
  wake_.notify_one();
}

void Worker::Stop() {
  Turns<BilledTask> dying;
  {
    const std::lock_guard lock(mutex_);
    std::swap(dying, waiting_);
    stopping_ = true;
    stopped_ = true;
  }
  wake_.notify_one();
  if (thread_.joinable()) thread_.join();
}

void Worker::Run() {
  for (;;) {
    BilledTask task;
    {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [this] { return stopping_ || !waiting_.empty(); });
      if (waiting_.empty()) return;
      task = waiting_.Take();
    }
    task();
  }
}

}  // namespace openseat
