// A run of the real `openseat check`, for tests: started on a free port in its own directory.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/json.h"
#include "support/process.h"

namespace openseat::tests {

class CheckRun {
 public:
  // `flags` come after --actions, --listen and --log-dir. Returns once the checker listens.
  CheckRun(const json::Value& script, const std::vector<std::string>& flags);

  std::uint16_t port() const { return port_; }
  Process& process() { return *process_; }
  // Waits for the end and returns the exit code.
  int Finish();

  // After Finish:
  struct Line {
    std::string level;
    std::string message;  // without the key
    std::string key;      // "" if it has none
  };
  const std::vector<Line>& lines() const { return lines_; }
  // "warn action/duplicate", or "warn <the whole message>" if a line has no key; warn and above, in order.
  std::vector<std::string> Findings() const;
  json::Value actions() const;
  json::Value context() const;
  // Everything that was printed.
  const std::string& output() const { return output_; }
  const std::string& log_file() const { return log_file_; }

 private:
  TemporaryDirectory directory_;
  std::unique_ptr<Process> process_;
  std::uint16_t port_ = 0;
  std::string output_;
  std::string log_file_;
  std::vector<Line> lines_;
};

}  // namespace openseat::tests
