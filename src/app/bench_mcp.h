// `openseat bench mcp`: games played over MCP by many hosts at once, beside the same game played by Chimera clients.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/result.h"

namespace openseat::app {

struct McpFlags {
  std::size_t games = 100;  // at once
  std::size_t shards = 1;
  double seconds = 5;
  std::uint64_t seed = 1;
  bool json = false;
};

// The exit code.
Result<int> BenchMcp(const McpFlags& flags);

}  // namespace openseat::app
