// Process: a program under test as a child process: its standard output line by line, and how it ended. For tests that
// drive the real binary from outside.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

namespace openseat::tests {

class Process {
 public:
  // Runs `program`; standard output is a pipe, standard error goes to `error_file` ("": to our own). `environment`
  // has NAME=value entries that are added to ours. Fails the test if the program cannot be started.
  Process(const std::string& program, const std::vector<std::string>& arguments,
          const std::vector<std::string>& environment = {}, const std::string& error_file = {});
  ~Process();  // SIGKILL if it still runs
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  // The next line without its newline; false at the end of the output.
  bool ReadLine(std::string& line);
  // The rest of the output.
  std::string ReadAll();
  void Signal(int signal);
  // Waits for it to exit. Returns the exit code, or 128 plus the signal that killed it.
  int Wait();
  pid_t pid() const { return pid_; }

 private:
  pid_t pid_ = -1;
  int in_ = -1;
  int out_ = -1;
  std::string buffer_;
};

// A temporary directory, removed with everything in it.
class TemporaryDirectory {
 public:
  enum class On : std::uint8_t {
    kDisk,    // below the system's temporary directory
    kMemory,  // does not wait for a disk that the whole machine shares: /dev/shm, or else as kDisk
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
