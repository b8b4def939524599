// What the connections of one server share: limits, the routes, the count of what is open. Internal.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "net/connection.h"
#include "net/http_codec.h"
#include "net/net_metrics.h"
#include "net/router.h"
#include "net/server.h"
#include "net/shard_impl.h"

namespace openseat::net {

// Lives until the last connection has gone.
class ServerCore : public std::enable_shared_from_this<ServerCore> {
 public:
  // `registry` may be null.
  ServerCore(const Router& routes, const ServerLimits& server_limits, Metrics* registry);

  const Router& router;
  const ServerLimits limits;
  const HttpLimits http_limits;
  std::atomic<bool> shutting_down = false;
  NetMetrics& metrics() { return *metrics_; }

  // Counts one connection until the returned token is destroyed; null where a limit is reached. Any thread.
  std::shared_ptr<void> Admit(const std::string& peer, bool loopback);
  std::size_t open() const { return open_; }

 private:
  void Release(const std::string& peer, bool loopback);

  Metrics unread_;  // where nobody asked for metrics
  std::unique_ptr<NetMetrics> metrics_;
  std::atomic<std::size_t> open_ = 0;
  std::mutex mutex_;
  std::unordered_map<std::string, std::size_t> per_address_;  // guarded by mutex_; loopback is not in it
};

}  // namespace openseat::net
