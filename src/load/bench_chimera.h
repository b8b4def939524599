// `openseat bench chimera`: hosted matches, each between two clients, every action durable.
#pragma once

#include <cstddef>
#include <string>

#include "base/result.h"
#include "core/game.h"

namespace openseat::load {

struct ChimeraBench {
  std::string url;             // "": a server of its own
  const Game* game = nullptr;  // for two, with nothing left to chance
  std::size_t matches = 1000;  // at once
  std::size_t shards = 1;      // of the server of its own
  double rate = 0;             // actions a second, of all matches together; 0: as fast as they go
  double seconds = 5;
  bool memory = false;  // measure what a match in progress costs
  bool json = false;
};

// Prints the figures. Errors: kInvalid for a game that cannot be used here, kIo, and what the server refuses.
Result<void> BenchChimera(const ChimeraBench& bench);

}  // namespace openseat::load
