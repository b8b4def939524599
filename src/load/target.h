// What `openseat bench` measures: its own server in another process, with its own data.
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

// A directory that is deleted with its owner.
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
  std::optional<ChildProcess> child;  // nullopt: the server runs elsewhere
  std::string url;                    // ws://HOST:PORT, as printed

  std::string http_url() const { return "http" + url.substr(url.find("://")); }
  Duration CpuTime() const { return child ? child->CpuTime() : Duration(0); }
};

// This program with `arguments`, which must make it print the address that it serves.
Result<Target> StartTarget(const std::vector<std::string>& arguments);

// Marks that store the target's CPU time between them in `used`. Both must outlive the run.
LoadMarks CpuMarks(const Target& target, Duration& used);

// On standard error, if a person is watching.
void Say(bool json, const char* what);

}  // namespace openseat::load
