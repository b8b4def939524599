// A checker run's findings for other programs: a Markdown summary, a JUnit file, and what
// GitHub's runner reads (workflow commands, outputs).
//
// Names chosen by a game can be anything: `::error`, "|", "</table>", line ends, control characters. Every text is
// escaped for its output, and cut if long; the log file has it in full.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "checker/result.h"

namespace openseat::checker {

// For $GITHUB_STEP_SUMMARY: what happened, the grade, the findings with fixes, the actions. At most about 200 kB of
// the 1 MiB that GitHub accepts.
std::string MarkdownSummary(const CheckResult& result);

// One suite: one case per action of the script, one per action that forces asked for, one per rule that found something
// (failed if it is an error), one for the whole run. It has a failure if and only if !result.passed(). UTF-8.
std::string JUnitXml(const CheckResult& result);

// Workflow commands (`::error title=…::…`), one per line: at most 10 errors and 10 warnings, because GitHub shows no
// more per step; equal ones appear once. They go to standard output.
std::string Annotations(const CheckResult& result);

// GitHub's runner treats any line of standard output that begins with "::" or contains "##[" as a command.
// Between these two lines it does not. The game must not be able to guess `token`: letters and digits.
std::string StopCommands(std::string_view token);
std::string ResumeCommands(std::string_view token);

struct NamedValue {
  std::string_view name;  // letters, digits, "-", "_"
  std::string value;      // anything
};
// Appends step outputs to the file named by GITHUB_OUTPUT. Errors: kIo.
Result<void> WriteGithubOutput(const std::string& path, std::span<const NamedValue> values);
// Appends to the file named by GITHUB_STEP_SUMMARY. Errors: kIo.
Result<void> WriteGithubSummary(const std::string& path, std::string_view markdown);

}  // namespace openseat::checker
