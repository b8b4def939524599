// `openseat bench chimera`: hosted matches, each between two clients, every action durable.
#pragma once

#include <cstddef>
#include <string>

#include "base/result.h"
#include "core/game.h"

namespace openseat::load {

struct ChimeraBench {
  std::string url;             // "": starts its own server
  const Game* game = nullptr;  // for two players, without chance
  std::size_t matches = 1000;  // at once
  std::size_t shards = 1;      // of its own server
  double rate = 0;             // actions per second, all matches together; 0: as fast as possible
  double seconds = 5;
  bool memory = false;  // measure the memory of a match in progress
  bool json = false;
};

// Prints the figures. Errors: kInvalid for an unsuitable game, kIo, and what the server refuses.
Result<void> BenchChimera(const ChimeraBench& bench);

}  // namespace openseat::load
