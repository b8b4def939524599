// BotProcess: a bot's program, shut in by bubblewrap: no network, its own folder and the system's programs to read, a
// small folder to write to, limits on memory, CPU time and files. Lines go in and out.
//
// One thread: its scheduler's. The program ends with this object.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/scheduler.h"

namespace openseat {

struct BotLimits {
  std::uint64_t memory_mb = 512;
  std::uint64_t cpu_s = 600;  // of the whole game
};

class BotProcess {
 public:
  using Said = std::function<void(std::vector<std::string> lines)>;  // whole lines, without their ends
  using Ended = std::function<void(std::string why)>;

  // Whether bots can be started here: the error says what is missing, or that there is no such program. Any thread.
  static Result<void> Check(const std::string& program);

  // `log`: a file to which what it writes to its standard error is appended; "": nowhere. `said` and `ended` run on
  // `scheduler`, never after the destructor. Errors: Check's, kIo.
  static Result<std::unique_ptr<BotProcess>> Start(const std::string& program, const BotLimits& limits,
                                                   const std::string& log, Scheduler& scheduler, Said said,
                                                   Ended ended);
  virtual ~BotProcess() = default;

  // False if the program does not read what it is told.
  virtual bool Tell(std::string_view line) = 0;
};

}  // namespace openseat
