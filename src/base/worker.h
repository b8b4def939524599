// Worker: one thread for work that would hold up a shard (such as reading from the disk). Tasks run one at a time;
// those of one owner in order, and owners in turn.
#pragma once

#include <condition_variable>
#include <mutex>
#include <string_view>
#include <thread>

#include "base/loop_bill.h"
#include "base/task.h"
#include "base/turns.h"

namespace openseat {

class Worker {
 public:
  Worker();
  ~Worker();  // runs the queued tasks, then joins
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  void Post(Task task, std::string_view owner = {});  // any thread
  // Destroys the queued tasks that have not started, and those posted from now on, and waits for the one that runs. Any
  // thread but the worker's own.
  void Stop();

 private:
  void Run();

  std::mutex mutex_;
  std::condition_variable wake_;
  Turns<BilledTask> waiting_;
  bool stopping_ = false;
  bool stopped_ = false;  // nothing is taken any more
  std::thread thread_;
};

}  // namespace openseat
