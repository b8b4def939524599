// A child process of this same program, for benchmarks: its first output, and its resource use.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"

namespace openseat::load {

class ChildProcess {
 public:
  // Runs this program with `arguments`; its standard output is a pipe, its standard error ours.
  static Result<ChildProcess> Start(const std::vector<std::string>& arguments);
  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&&) = delete;
  ~ChildProcess();  // SIGKILL if it still runs

  // The next line of its standard output, without the newline; "" at the end.
  std::string ReadLine();
  Duration CpuTime() const;           // user and system so far
  std::size_t ResidentBytes() const;  // now
  void Terminate();                   // SIGTERM, and waits

 private:
  ChildProcess(pid_t pid, int out) : pid_(pid), out_(out) {}
  pid_t pid_;
  int out_;
};

}  // namespace openseat::load
