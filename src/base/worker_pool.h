// WorkerPool: a few threads for work that is long and can wait, such as searching. Tasks of one owner start in the
// order in which they were posted, and owners take turns. The threads run at a low priority: threads that answer
// requests go first, even if every core is busy.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <string_view>
#include <thread>
#include <vector>

#include "base/loop_bill.h"
#include "base/task.h"
#include "base/turns.h"

namespace openseat {

class WorkerPool {
 public:
  // `threads` 0: one less than there are cores, and one at least.
  explicit WorkerPool(std::size_t threads);
  // Destroys what has not started, and waits for what runs.
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  void Post(Task task, std::string_view owner = {});  // any thread
  std::size_t size() const { return threads_.size(); }

 private:
  void Run();

  std::mutex mutex_;
  std::condition_variable wake_;
  Turns<BilledTask> waiting_;
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace openseat
