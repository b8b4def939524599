// Process: a program under test as a child: its standard output line by line, and how it ended. For tests that drive
// the real binary from outside.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

namespace openseat::tests {

class Process {
 public:
  // Runs `program`; standard output is a pipe, standard error goes where `error_file` says ("": ours). `environment`
  // holds NAME=value entries that are added to ours. Fails the test where it cannot be started.
  Process(const std::string& program, const std::vector<std::string>& arguments,
          const std::vector<std::string>& environment = {}, const std::string& error_file = {});
  ~Process();  // SIGKILL where it still runs
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  // The next line without its newline; false at the end of the output.
  bool ReadLine(std::string& line);
  // All that is left of the output.
  std::string ReadAll();
  void Signal(int signal);
  // Waits for its end: the exit code, or 128 and the signal that killed it.
  int Wait();
  pid_t pid() const { return pid_; }

 private:
  pid_t pid_ = -1;
  int out_ = -1;
  std::string buffer_;
};

// A directory of its own, removed with all that is in it.
class TemporaryDirectory {
 public:
  enum class On : std::uint8_t {
    kDisk,    // below the system's
    kMemory,  // where no disk is waited for that the whole machine shares: /dev/shm, or below the system's
  };
  explicit TemporaryDirectory(On on = On::kDisk);
  ~TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

std::string ReadTextFile(const std::string& path);
void WriteTextFile(const std::string& path, const std::string& text);

}  // namespace openseat::tests
