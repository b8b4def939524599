// Flags of every command that runs the server, and what they set.
#pragma once

#include <string>
#include <vector>

#include "app/config.h"
#include "base/result.h"

namespace openseat::app {

// "", empty or false: not given.
struct ServerFlags {
  std::string config_file;
  std::vector<std::string> listen;
  std::string data_dir;
  std::string log_level;
  std::string certificate;
  std::string key;
  std::vector<std::string> origins;
  bool open_games = false;
  bool insecure = false;
};

// Reads the config file, which the flags override. Errors: of the file, kInvalid for a flag.
Result<void> UseServerFlags(const ServerFlags& flags, Config& config);

}  // namespace openseat::app
