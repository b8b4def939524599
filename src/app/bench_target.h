// What the benchmarks of `openseat bench` measure: a server of their own in another process, with data of its own.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/child_process.h"
#include "base/result.h"

namespace openseat::app {

// A directory that goes with its owner.
class ScratchDir {
 public:
  ScratchDir();
  ~ScratchDir();
  ScratchDir(const ScratchDir&) = delete;
  ScratchDir& operator=(const ScratchDir&) = delete;
  std::string str() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

struct Target {
  std::optional<ChildProcess> child;
  std::string url;  // ws://HOST:PORT, as it printed it
};

Result<Target> StartTarget(const std::vector<std::string>& arguments);

// On standard error, where a person looks on.
void Say(bool json, const char* what);

}  // namespace openseat::app
