// What `openseat relay` was asked to do.
#pragma once

#include <cstddef>
#include <string>

#include "base/time.h"
#include "relay/repair.h"

namespace openseat::relay {

struct RelayOptions {
  std::string upstream;                      // ws:// or wss://
  std::size_t hold_messages = 10'000;        // kept for one side of one channel while it cannot be reached
  std::size_t hold_bytes = 16u << 20;        // likewise
  Duration keep = std::chrono::seconds(30);  // how long a channel waits for a game whose connection broke
  Duration silent_after =
      std::chrono::milliseconds(1500);  // then a connection without a message is the game that waits
  bool restore = true;  // tell an upstream that comes back the startup, the actions and the open force again
  Repairs repairs{};
};

}  // namespace openseat::relay
