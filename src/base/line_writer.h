// LineWriter: lines on their way to a descriptor that may accept them slowly, or not at all. The caller never waits:
// lines that do not fit are lost and counted, and a line reports the count once there is room again.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <thread>

#include "base/time.h"

namespace openseat {

class LineWriter {
 public:
  // Writes to `descriptor`, which the caller keeps, from a thread of its own; at most `max_bytes` wait for it.
  LineWriter(int descriptor, std::size_t max_bytes);
  // Lines that are still waiting are lost: Drain first.
  ~LineWriter();
  LineWriter(const LineWriter&) = delete;
  LineWriter& operator=(const LineWriter&) = delete;

  // Takes a line, including its newline. Any thread.
  void Write(std::string line);
  // Waits until everything is written, at most that long; returns whether it is.
  bool Drain(Duration at_most);
  std::uint64_t lost() const { return lost_.load(std::memory_order_relaxed); }

 private:
  void Run();
  bool Put(const std::string& text);  // false while this is being destroyed

  const int descriptor_;
  const std::size_t max_bytes_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::string> lines_;      // guarded by mutex_, as are all below
  std::size_t bytes_ = 0;              // in lines_
  std::uint64_t lost_since_said_ = 0;  // lines
  bool writing_ = false;
  std::atomic<bool> stopping_ = false;
  std::atomic<std::uint64_t> lost_ = 0;
  std::thread thread_;
};

}  // namespace openseat
