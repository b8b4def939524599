// ChildProgram: a program with pipes as its standard input and output, for those who talk to it as long as it runs.
//
// One thread: its scheduler's. A thread of its own reads the output; a program that writes faster than it is heard
// waits for its pipe.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/result.h"
#include "base/scheduler.h"

namespace openseat {

class ChildProgram {
 public:
  struct Options {
    std::vector<std::string> line;         // the program's path, and its arguments
    std::vector<std::string> environment;  // "NAME=value", in front of ours
    std::optional<std::string> errors;     // a file to which its standard error is appended; nullopt: it is ours
    // How it and its process group end with this object: asked first (SIGTERM), and killed a second later in the
    // background; or killed at once.
    bool asked_first = false;
    // The most programs of this process, with this one, that run or were asked to end a moment ago; 0: no limit.
    std::size_t most = 0;
  };
  using Heard = std::function<void(std::string_view bytes)>;
  // "it exited with 1", "it closed its output".
  using Ended = std::function<void(const std::string& how)>;

  // `heard` gets its output in pieces of any size, and `ended` comes once, after the last; both on `scheduler`, never
  // after the destructor. Errors: kIo, with what the system says, which may have no process or thread for it; kBusy if
  // there are Options::most.
  static Result<std::unique_ptr<ChildProgram>> Start(const Options& options, Scheduler& scheduler, Heard heard,
                                                     Ended ended);
  ~ChildProgram();
  ChildProgram(const ChildProgram&) = delete;
  ChildProgram& operator=(const ChildProgram&) = delete;

  // How many there are that Options::most counts. Any thread.
  static std::size_t Count();

  // What the pipe does not take now is kept, and written later.
  void Write(std::string_view bytes);
  // Its number; after its end no other process gets it as long as this object lives.
  pid_t pid() const { return pid_; }
  // The bytes that are kept.
  std::size_t unread() const { return unread_.size(); }

 private:
  struct Listener {
    Heard heard;
    Ended ended;
    std::atomic<std::size_t> unheard = 0;  // bytes
  };
  struct Ends {
    int in;
    int out;
    int stop;
  };
  ChildProgram(pid_t pid, bool asked_first, const Ends& ends, Scheduler& scheduler, std::shared_ptr<Listener> listener);
  void WriteNow();
  void Read();
  std::optional<std::string> HowItEnded() const;

  const pid_t pid_;
  bool asked_first_;
  const int in_;
  const int out_;
  const int stop_;  // an eventfd that ends the reader
  Scheduler& scheduler_;
  const std::shared_ptr<Listener> listener_;
  std::string unread_;
  ScopedTimer later_;
  std::thread reader_;
};

}  // namespace openseat
