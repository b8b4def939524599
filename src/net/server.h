// Server: listens, speaks HTTP/1.1 and WebSocket, hands requests to a Router. The listener distributes connections over
// all shards.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/budget.h"
#include "base/metrics.h"
#include "base/result.h"
#include "base/time.h"
#include "net/memory_cuts.h"
#include "net/router.h"
#include "net/shard.h"

namespace openseat::net {

struct ListenAddress {
  std::string host = "127.0.0.1";
  std::uint16_t port = 0;  // 0: any free one; Server::port() returns it
  // TLS if both are set.
  std::string certificate_file;
  std::string key_file;
};

// For one request, message or connection. The Budget limits addresses and the process.
struct ServerLimits {
  std::size_t max_header_bytes = 16u << 10;
  std::size_t max_body_bytes = 8u << 20;
  std::size_t max_message_bytes = 4u << 20;            // one WebSocket message, fragments joined
  std::size_t max_outbox_bytes = 8u << 20;             // a slower reader is dropped
  Duration header_timeout = std::chrono::seconds(10);  // from the first byte of a request, or the accept, to the last
  Duration body_timeout = std::chrono::seconds(30);
  Duration keep_alive_timeout = std::chrono::seconds(75);
  Duration close_timeout = std::chrono::seconds(3);   // for the peer's half of the close handshake
  Duration ping_interval = std::chrono::seconds(30);  // of an otherwise silent WebSocket; 0: never
  Duration pong_timeout = std::chrono::seconds(60);   // silence after a ping that counts as a lost peer; 0: never
};

class Server {
 public:
  // Binds every address; errors say which one and why (kConflict: the port is in use; kDenied; kInvalid host).
  // `router`, `metrics`, `budget` and `shards` outlive the server. Without a budget it has one of its own, with the
  // defaults.
  static Result<std::unique_ptr<Server>> Listen(Shards& shards, const Router& router,
                                                const std::vector<ListenAddress>& addresses, const ServerLimits& limits,
                                                Metrics* metrics = nullptr, Budget* budget = nullptr);
  // Cuts what is open. REQUIRES that the shards run or have been stopped, not that they are in the middle of stopping.
  virtual ~Server() = default;

  // New connections use these certificates, one for each of the addresses that it was made with, in their order. Open
  // connections keep theirs. After an error (an unreadable file, TLS where there was none, or none where there was)
  // nothing changes. On shard 0.
  virtual Result<void> UseCertificates(const std::vector<ListenAddress>& addresses) = 0;

  virtual std::uint16_t port(std::size_t address = 0) const = 0;
  virtual std::size_t connections() const = 0;

  // Phase one: stop accepting, answer requests in progress with "Connection: close", send every WebSocket a close frame
  // (1001). Phase two, `grace` later: cut what is left. `done` runs on shard 0 when nothing is open any more.
  virtual void Shutdown(Duration grace, Task done) = 0;

  // For MemoryGuard, on the shard of that index: what each of its connections holds, if anything; and cutting at most
  // `most` of those that `cuts` names. Returns how many they were.
  virtual void AddHeld(std::size_t shard, std::vector<HeldMemory>& out) const = 0;
  virtual std::size_t CutHolders(std::size_t shard, const MemoryCuts& cuts, std::size_t most,
                                 const std::string& reason) = 0;
};

}  // namespace openseat::net
