// Worker: one thread for work that would hold up a shard (such as reading from the disk). Tasks run one at a time, in
// order.
#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include "base/task.h"

namespace openseat {

class Worker {
 public:
  Worker();
  ~Worker();  // runs the queued tasks, then joins
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  void Post(Task task);  // any thread
  // Destroys the queued tasks that have not started, and those posted from now on, and waits for the one that runs. Any
  // thread but the worker's own.
  void Stop();

 private:
  void Run();

  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Task> queue_;
  bool stopping_ = false;
  bool stopped_ = false;  // nothing is taken any more
  std::thread thread_;
};

}  // namespace openseat
