// What the connections of one server share: limits, the routes, the count of open connections. Internal.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <tl/expected.hpp>

#include "base/budget.h"
#include "base/loop_bill.h"
#include "net/connection.h"
#include "net/encoding.h"
#include "net/http_codec.h"
#include "net/net_metrics.h"
#include "net/router.h"
#include "net/server.h"
#include "net/shard_impl.h"

namespace openseat::net {

class ServerCore;

// The identity of a connection: its payer, and its place among the connections, which is given back with this.
struct Admission {
  struct Uncount {
    void operator()(ServerCore* server) const;
  };
  std::shared_ptr<ServerCore> core;
  std::shared_ptr<Payer> payer;
  Lease place;
  std::unique_ptr<ServerCore, Uncount> counted;
};

// The share of the loops' time that what `payer` sent is charged to: all connections of a stranger's address have one
// together, each connection of a program of this machine has its `own`. `payer` may be null.
LoopSharePtr ShareOf(const std::shared_ptr<Payer>& payer, const LoopSharePtr& own);

// Lives until the last connection is gone.
class ServerCore : public std::enable_shared_from_this<ServerCore> {
 public:
  // `registry` and `shared_budget` may be null.
  ServerCore(const Router& routes, const ServerLimits& server_limits, Metrics* registry, Budget* shared_budget);

  const Router& router;
  const ServerLimits limits;
  const HttpLimits http_limits;
  std::atomic<bool> shutting_down = false;
  CompressionQueue compression;
  NetMetrics& metrics() { return *metrics_; }

  Budget& budget() { return *budget_; }
  std::size_t open() const { return open_; }

  // A connection from there, which counts as a message of that address, with TLS as several; or the limit that is
  // reached. Any thread.
  tl::expected<Admission, Refusal> Admit(const std::string& peer, Instant now, bool tls);

 private:
  friend struct Admission;
  Metrics unread_;  // used if there are no metrics
  std::unique_ptr<NetMetrics> metrics_;
  std::unique_ptr<Budget> own_budget_;  // used if there was none
  Budget* const budget_;
  std::atomic<std::size_t> open_ = 0;
};

}  // namespace openseat::net
