// CheckFiles: the files of a run in one directory: the log, the two stores, the JUnit report. One thread.
#pragma once

#include <cstdio>
#include <memory>
#include <string>
#include <string_view>

#include "base/file.h"
#include "base/json.h"
#include "base/result.h"
#include "base/time.h"
#include "checker/log.h"

namespace openseat::checker {

// How the files of a run are replaced: for everyone to read.
inline constexpr Replacing kReplacing{.mode = 0644, .synced = false};

// "vicky_21-11-2026_09-30-00_RUN-ID": the prefix of all files of a run, with the start time (UTC). Characters of the
// run's id that are not allowed in file names become "-".
std::string FileStem(Time started, std::string_view run_id);

class CheckFiles {
 public:
  // Creates the directory if missing, the log, and both stores, empty. kIo if one cannot be created.
  static Result<std::unique_ptr<CheckFiles>> Create(const std::string& directory, Time started,
                                                    std::string_view run_id);
  ~CheckFiles();
  CheckFiles(const CheckFiles&) = delete;
  CheckFiles& operator=(const CheckFiles&) = delete;

  // Each line is in the file when this returns.
  Result<void> Append(const LogLine& line);
  Result<void> WriteActions(const json::Array& actions);
  Result<void> WriteContext(const json::Array& context);

  const std::string& log_file() const { return log_file_; }
  const std::string& actions_store() const { return actions_store_; }
  const std::string& context_store() const { return context_store_; }
  const std::string& junit_file() const { return junit_file_; }

 private:
  CheckFiles() = default;
  std::string log_file_;
  std::string actions_store_;
  std::string context_store_;
  std::string junit_file_;
  std::FILE* log_ = nullptr;
};

}  // namespace openseat::checker
