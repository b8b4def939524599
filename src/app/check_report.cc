#include "app/check_report.h"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "base/secure_random.h"
#include "checker/files.h"
#include "checker/grade.h"
#include "checker/report.h"

namespace openseat::app {
namespace {

std::string Environment(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

bool IsGithub() {
  return Environment("GITHUB_ACTIONS") == "true";
}

void Print(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

}  // namespace

GithubLog::GithubLog() {
  if (!IsGithub()) return;
  token_ = SecureToken(26);
  Print(checker::StopCommands(token_));
}

GithubLog::~GithubLog() {
  if (!token_.empty()) Print(checker::ResumeCommands(token_));
}

std::vector<Error> HandOver(const checker::RunOutcome& outcome) {
  std::vector<Error> errors;
  const auto note = [&](const Result<void>& written) {
    if (!written) errors.push_back(written.error());
  };
  const checker::CheckResult& result = outcome.result;
  note(ReplaceFile(outcome.junit_file, checker::JUnitXml(result), checker::kReplacing));
  if (IsGithub()) Print(checker::Annotations(result));
  if (const std::string path = Environment("GITHUB_STEP_SUMMARY"); !path.empty()) {
    note(checker::WriteGithubSummary(path, checker::MarkdownSummary(result)));
  }
  if (const std::string path = Environment("GITHUB_OUTPUT"); !path.empty()) {
    const std::array<checker::NamedValue, 6> values = {{{"logfile", result.log_file},
                                                        {"actions-store", result.actions_store},
                                                        {"context-store", result.context_store},
                                                        {"junit", outcome.junit_file},
                                                        {"grade", std::string(1, checker::GradeOf(result).letter)},
                                                        {"result", result.passed() ? "passed" : "failed"}}};
    note(checker::WriteGithubOutput(path, values));
  }
  return errors;
}

}  // namespace openseat::app
