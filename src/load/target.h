// What the benchmarks of `openseat bench` measure: a server of their own in another process, with data of its own.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "load/child_process.h"
#include "load/load_run.h"

namespace openseat::load {

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
  std::optional<ChildProcess> child;  // nullopt: a server that runs elsewhere
  std::string url;                    // ws://HOST:PORT, as it printed it

  std::string http_url() const { return "http" + url.substr(url.find("://")); }
  Duration CpuTime() const { return child ? child->CpuTime() : Duration(0); }
};

// This program with `arguments`, which make it print the address that it serves.
Result<Target> StartTarget(const std::vector<std::string>& arguments);

// Marks that put the target's CPU time between them into `used`. Both outlive the run.
LoadMarks CpuMarks(const Target& target, Duration& used);

// On standard error, where a person looks on.
void Say(bool json, const char* what);

}  // namespace openseat::load
