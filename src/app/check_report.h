// The output of `openseat check` in addition to its log: the JUnit file and, in GitHub Actions (GITHUB_ACTIONS,
// GITHUB_OUTPUT, GITHUB_STEP_SUMMARY), annotations, the step's outputs and the job's summary.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "checker/run.h"

namespace openseat::app {

// The log on standard output, guarded so that GitHub's runner takes no line for a command: a game may have written it.
// One at a time.
class GithubLog {
 public:
  // Does nothing outside GitHub Actions.
  GithubLog();
  ~GithubLog();
  GithubLog(const GithubLog&) = delete;
  GithubLog& operator=(const GithubLog&) = delete;

 private:
  std::string token_;  // "" outside GitHub Actions
};

// Returns an error for what could not be written; the rest was written. Do not call within a GithubLog.
std::vector<Error> HandOver(const checker::RunOutcome& outcome);

}  // namespace openseat::app
