// What a run of the checker found, for those who look at it from outside: a Markdown summary, a JUnit file, and what
// GitHub's runner reads (workflow commands, outputs).
//
// A game may have named anything anything: `::error`, "|", "</table>", line ends, control characters. Every text is
// escaped for where it goes, and shown cut where it is long; the log file has it whole.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "checker/result.h"

namespace openseat::checker {

// For $GITHUB_STEP_SUMMARY: what happened, the findings with how to mend them, the actions. At most about 200 kB, of
// the 1 MiB that GitHub takes.
std::string MarkdownSummary(const CheckResult& result);

// One suite: a case for every check of check_table.h (failed where it found an error), one for every action, one for
// the run as a whole. There is a failure in it exactly where !result.passed(). UTF-8.
std::string JUnitXml(const CheckResult& result);

// Workflow commands (`::error title=…::…`), one a line: at most 10 errors and 10 warnings, as GitHub shows no more of a
// step; equal ones once. They go to the standard output.
std::string Annotations(const CheckResult& result);

// GitHub's runner takes any line of the standard output that begins with "::", or has "##[" anywhere, for a command to
// it. Between these two lines it does not. `token` must not be guessable by the game: letters and digits.
std::string StopCommands(std::string_view token);
std::string ResumeCommands(std::string_view token);

struct NamedValue {
  std::string_view name;  // letters, digits, "-", "_"
  std::string value;      // anything
};
// Appends outputs of a step to the file that GITHUB_OUTPUT names. Errors: kIo.
Result<void> WriteGithubOutput(const std::string& path, std::span<const NamedValue> values);
// Appends to the file that GITHUB_STEP_SUMMARY names. Errors: kIo.
Result<void> WriteGithubSummary(const std::string& path, std::string_view markdown);

}  // namespace openseat::checker
