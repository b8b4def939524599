// RunCheck: the checker as a server: it listens, lets the game in, keeps the files, and returns when the run is over.
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
  // Of pages in which the game may run, besides those of this machine; as net::ParseOrigin gives them.
  std::vector<std::string> origins;
  std::string log_dir;
  CheckerOptions checker;
  // Called with each line after it was written to the log file, on the calling thread.
  std::function<void(const LogLine&)> on_line;
};

struct RunOutcome {
  CheckResult result;
  std::string junit_file;  // where a JUnit report is to be put
};

// Blocks until the run is over, by itself or by SIGINT or SIGTERM. Errors: kIo where the directory cannot be written,
// and what net::Server::Listen gives; nothing was checked then.
Result<RunOutcome> RunCheck(RunOptions options);

}  // namespace openseat::checker
