// RunCheck: the checker as a server. It listens, accepts the game, writes the files, and returns when the run is over.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "checker/checker.h"
#include "checker/files.h"
#include "net/server.h"

namespace openseat::checker {

struct RunOptions {
  net::ListenAddress listen;
  // Origins of pages in which the game may run, in addition to those on this machine; as returned by net::ParseOrigin.
  std::vector<std::string> origins;
  std::string log_dir;
  CheckerOptions checker;
  // If the run is interrupted and this file is not empty, it says how the command that starts the game failed.
  std::string game_status_file;
  // Called with each line after it is written to the log file, on the calling thread.
  std::function<void(const LogLine&)> on_line;
};

struct RunOutcome {
  CheckResult result;
  std::string junit_file;  // path of the JUnit report
};

// Blocks until the run is over, by itself or by SIGINT or SIGTERM. Errors: kIo if the directory cannot be written,
// and those of net::Server::Listen; in both cases, nothing was checked.
Result<RunOutcome> RunCheck(RunOptions options);

}  // namespace openseat::checker
