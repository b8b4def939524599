// `openseat bench neuro`: round trips of force, action and result, and what idle connections cost.
#pragma once

#include <cstddef>
#include <string>

#include "base/result.h"

namespace openseat::load {

struct NeuroBench {
  std::string url;  // "": a server of its own
  std::size_t connections = 100;
  std::size_t depth = 1;    // games on each connection, each with one force open
  std::size_t idle = 2000;  // connections whose memory is measured
  std::size_t shards = 1;   // of the server of its own
  double seconds = 5;
  bool limit = false;  // compare with a raw echo
  bool json = false;
};

// Prints the figures. Errors: kIo, and what the server refuses.
Result<void> BenchNeuro(const NeuroBench& bench);

// The raw echo server that is compared with, until it is killed; prints its address as `serve` does. Errors: kIo.
Result<void> ServeRawEcho(std::size_t reply_bytes);

}  // namespace openseat::load
