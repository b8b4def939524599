// openseat replay --against: plays the agent's part of a recording again, to a game that connects.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "relay/recording.h"
#include "relay/replayer.h"

namespace openseat::app {

struct AgainstFlags {
  std::string url;  // where the game finds its server: ws:// and an address of this machine
  std::string run;  // the shell command that starts the game; "": somebody else starts it
  std::vector<std::string> ignored;
  std::vector<std::string> origins;
  double timeout = 20;
  double quiet = 1;
  std::uint64_t differences = 10;
  bool in_time = false;
  bool json = false;
};

// Prints what differs, and how much was the same. Returns the process's exit code: 0 the same, 1 not. Errors: wrong
// usage, a port in use, a command that cannot be started.
Result<int> ReplayAgainst(const AgainstFlags& flags, const relay::Recording& recording);

}  // namespace openseat::app
