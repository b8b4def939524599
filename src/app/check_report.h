// What `openseat check` hands over beside its log: the JUnit file, and within GitHub Actions (GITHUB_ACTIONS,
// GITHUB_OUTPUT, GITHUB_STEP_SUMMARY) annotations, the step's outputs and the job's summary.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "checker/run.h"

namespace openseat::app {

// The log on the standard output, of which GitHub's runner takes no line for a command to it: a game may have written
// it. One at a time.
class GithubLog {
 public:
  // Does nothing where this is no run of GitHub Actions.
  GithubLog();
  ~GithubLog();
  GithubLog(const GithubLog&) = delete;
  GithubLog& operator=(const GithubLog&) = delete;

 private:
  std::string token_;  // "" outside GitHub Actions
};

// Returns what could not be written; the rest was. Not within a GithubLog.
std::vector<Error> HandOver(const checker::RunOutcome& outcome);

}  // namespace openseat::app
