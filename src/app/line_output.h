// LineOutput: a file of JSON lines that is there once it is whole. One thread at a time; blocks on the disk.
#pragma once

#include <fstream>
#include <string>

#include "base/json.h"
#include "base/result.h"

namespace openseat::app {

class LineOutput {
 public:
  // Errors: kIo.
  Result<void> Open(const std::string& path);
  Result<void> Add(const json::Object& line);
  // Replaces what was there before. Without it, the lines stay in PATH.new.
  Result<void> Finish();

 private:
  Result<void> Check();

  std::string path_;
  std::ofstream file_;
};

}  // namespace openseat::app
