// Server: listens, speaks HTTP/1.1 and WebSocket, hands requests to a Router. Every shard accepts its own connections.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/metrics.h"
#include "base/result.h"
#include "base/time.h"
#include "net/router.h"
#include "net/shard.h"

namespace openseat::net {

struct ListenAddress {
  std::string host = "127.0.0.1";
  std::uint16_t port = 0;  // 0: any free one; Server::port() says which
  // TLS where both are set.
  std::string certificate_file;
  std::string key_file;
};

struct ServerLimits {
  std::size_t max_connections = 65'536;
  std::size_t max_connections_per_address = 4'096;  // loopback is exempt
  std::size_t max_header_bytes = 16u << 10;
  std::size_t max_body_bytes = 8u << 20;
  std::size_t max_message_bytes = 4u << 20;            // one WebSocket message, fragments joined
  std::size_t max_outbox_bytes = 8u << 20;             // a reader slower than that is dropped
  Duration header_timeout = std::chrono::seconds(10);  // from the first byte of a request, or the accept, to its last
  Duration body_timeout = std::chrono::seconds(30);
  Duration keep_alive_timeout = std::chrono::seconds(75);
  Duration close_timeout = std::chrono::seconds(3);   // for the peer's half of the close handshake
  Duration ping_interval = std::chrono::seconds(30);  // of an otherwise silent WebSocket; 0: never
  Duration pong_timeout = std::chrono::seconds(60);   // silence after a ping that counts as gone; 0: never
};

class Server {
 public:
  // Binds every address; errors say which one and why (kConflict: the port is in use; kDenied; kInvalid host). `router`
  // and `metrics` outlive the server, `shards` too.
  static Result<std::unique_ptr<Server>> Listen(Shards& shards, const Router& router,
                                                const std::vector<ListenAddress>& addresses, const ServerLimits& limits,
                                                Metrics* metrics = nullptr);
  // Cuts what is open. REQUIRES that the shards run or have been stopped, not that they are just being stopped.
  virtual ~Server() = default;

  virtual std::uint16_t port(std::size_t address = 0) const = 0;
  virtual std::size_t connections() const = 0;

  // Phase one: stop accepting, answer requests in flight with "Connection: close", send every WebSocket a close frame
  // (1001). Phase two, `grace` later: cut what is left. `done` runs on shard 0 when nothing is open any more.
  virtual void Shutdown(Duration grace, Task done) = 0;
};

}  // namespace openseat::net
