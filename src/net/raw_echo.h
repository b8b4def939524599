// RawEchoServer: the least a WebSocket server can do, for comparison with the cost of the real one. One thread, epoll,
// no limits, no timeouts, no close handshake: for benchmarks on loopback only, never for untrusted peers.
#pragma once

#include <cstdint>
#include <memory>

#include "base/result.h"

namespace openseat::net {

struct RawEchoOptions {
  std::uint16_t port = 0;       // on 127.0.0.1; 0: any free one
  std::size_t reply_bytes = 0;  // the size of each answer; 0: the message itself
  int core = -1;                // pin the thread to this core; -1: do not
};

class RawEchoServer {
 public:
  // Answers every message (unfragmented, below 64 KiB) with one text message. Errors: kConflict, kIo.
  static Result<std::unique_ptr<RawEchoServer>> Start(const RawEchoOptions& options);
  virtual ~RawEchoServer() = default;  // stops the thread

  virtual std::uint16_t port() const = 0;
};

}  // namespace openseat::net
