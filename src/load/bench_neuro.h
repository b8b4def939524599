// `openseat bench neuro`: round trips of force, action and result, and the cost of idle connections.
#pragma once

#include <cstddef>
#include <string>

#include "base/result.h"

namespace openseat::load {

struct NeuroBench {
  std::string url;  // "": starts its own server
  std::size_t connections = 100;
  std::size_t depth = 1;    // games per connection, each with one force open
  std::size_t idle = 2000;  // connections whose memory is measured
  std::size_t shards = 1;   // of its own server
  double seconds = 5;
  bool limit = false;  // compare with a raw echo
  bool relay = false;  // measure again through a relay
  bool json = false;
};

// Prints the figures. Errors: kIo, and what the server refuses.
Result<void> BenchNeuro(const NeuroBench& bench);

// The raw echo server for comparison; runs until it is killed; prints its address as `serve` does. Errors: kIo.
Result<void> ServeRawEcho(std::size_t reply_bytes);

}  // namespace openseat::load
