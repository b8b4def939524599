// `openseat bench mcp`: games played over MCP by many hosts at once, compared with games between Chimera clients.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/result.h"
#include "core/game.h"

namespace openseat::load {

struct McpBench {
  const Game* game = nullptr;  // for two players, with few choices and without chance
  std::size_t games = 100;     // at once
  std::size_t shards = 1;      // of the server
  double seconds = 5;
  std::uint64_t seed = 1;
  bool json = false;
};

// Prints the figures. Errors: kIo, and what the server refuses.
Result<void> BenchMcp(const McpBench& bench);

}  // namespace openseat::load
