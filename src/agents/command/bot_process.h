// A bot's program, shut in by bubblewrap: no network, its own folder and the system's programs to read, a small folder
// to write to, limits on memory, CPU time and files. Lines go in and out.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/child_program.h"
#include "base/result.h"
#include "base/scheduler.h"

namespace openseat {

struct BotLimits {
  std::uint64_t memory_mb = 512;
  std::uint64_t cpu_s = 600;  // of the whole game
};

// Whether bots can be started here: the error says what is missing, or that there is no such program. Any thread.
Result<void> CheckBot(const std::string& program);

// Starts it; it is killed with the result. `said` gets whole lines, without their ends; `too_long`: the next one is
// longer than kMaxBotLine. `log`: a file to which its standard error is appended; "": nowhere. Errors: CheckBot's, kIo.
Result<std::unique_ptr<ChildProgram>> StartBot(
    const std::string& program, const BotLimits& limits, const std::string& log, Scheduler& scheduler,
    std::function<void(const std::vector<std::string>& lines, bool too_long)> said, ChildProgram::Ended ended);

}  // namespace openseat
