#include "checker/check_run.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <regex>
#include <sstream>

namespace openseat::tests {

CheckRun::CheckRun(const json::Value& script, const std::vector<std::string>& flags) {
  const std::string script_file = directory_.path() + "/script.json";
  WriteTextFile(script_file, json::Write(script));
  std::vector<std::string> arguments{
      "check",    "--actions", script_file, "--listen", "127.0.0.1:0", "--log-dir", directory_.path() + "/logs",
      "--run-id", "4711",      "--seed",    "1"};
  arguments.insert(arguments.end(), flags.begin(), flags.end());
  process_ = std::make_unique<Process>(OPENSEAT_BINARY, arguments);
  std::string line;
  while (process_->ReadLine(line)) {
    output_ += line + "\n";
    if (line.find("Waiting for a game at ") == std::string::npos) continue;
    port_ = static_cast<std::uint16_t>(std::stoul(line.substr(line.rfind(':') + 1)));
    return;
  }
  ADD_FAILURE() << "the checker did not start: " << output_;
}

int CheckRun::Finish() {
  output_ += process_->ReadAll();
  const int code = process_->Wait();
  static const std::regex kName(R"(vicky_\d\d-\d\d-\d{4}_\d\d-\d\d-\d\d_4711\.log)");
  for (const auto& entry : std::filesystem::directory_iterator(directory_.path() + "/logs")) {
    if (std::regex_match(entry.path().filename().string(), kName)) log_file_ = entry.path().string();
  }
  EXPECT_FALSE(log_file_.empty()) << "there is no log file with the right name";
  if (log_file_.empty()) return code;
  std::istringstream log(ReadTextFile(log_file_));
  static const std::regex kLine(
      R"(^\[\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z\] (debug|info|warn|error|critical): (.*)$)");
  static const std::regex kKey(R"(^(.*) \[([a-z]+(?:/[A-Za-z0-9_-]+)*)\]$)");
  std::string line;
  std::string all;
  while (std::getline(log, line)) {
    all += line + "\n";
    std::smatch match;
    if (!std::regex_match(line, match, kLine)) {
      ADD_FAILURE() << "not a valid log line: " << line;
      continue;
    }
    Line& read = lines_.emplace_back(Line{match[1], match[2], ""});
    const std::string message = read.message;
    if (read.level != "debug" && read.level != "info" && std::regex_match(message, match, kKey)) {
      read.message = match[1];
      read.key = match[2];
    }
  }
  EXPECT_NE(output_.find(all), std::string::npos) << "the console shows the same lines as the log";
  return code;
}

std::vector<std::string> CheckRun::Findings() const {
  std::vector<std::string> findings;
  for (const Line& line : lines_) {
    if (line.level == "debug" || line.level == "info") continue;
    findings.push_back(line.level + " " + (line.key.empty() ? line.message : line.key));
  }
  return findings;
}

json::Value CheckRun::actions() const {
  return json::Parse(ReadTextFile(log_file_.substr(0, log_file_.size() - 4) + "_actions.json")).value();
}

json::Value CheckRun::context() const {
  return json::Parse(ReadTextFile(log_file_.substr(0, log_file_.size() - 4) + "_context.json")).value();
}

}  // namespace openseat::tests
