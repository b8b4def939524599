// MemoryGuard: keeps the process below [limits] max_memory. It looks at the resident memory several times a second and
// tells the budget, which refuses from there on; where it is too much, what was freed is given back to the system, and
// if that is not enough, the connections with the most unfinished or unread bytes are cut, as many as it takes.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "base/budget.h"
#include "base/metrics.h"
#include "base/scheduler.h"
#include "net/server.h"
#include "net/shard.h"

namespace openseat::net {

class MemoryGuard {
 public:
  // All outlive it. `resident` says how much memory the process has, `release` gives back what was freed (base/memory.h
  // has both). Made before the shards run, destroyed when they have stopped.
  MemoryGuard(Shards& shards, Budget& budget, Metrics& metrics, std::function<std::uint64_t()> resident,
              std::function<void()> release);
  ~MemoryGuard();

  // Its connections can be cut. Before the shards run.
  void Watch(Server& server) { servers_.push_back(&server); }

 private:
  struct Round;
  void Look();
  void AskShards();
  void CutLargest(const std::vector<std::size_t>& held);

  Shards& shards_;
  Budget& budget_;
  const std::function<std::uint64_t()> resident_;
  const std::function<void()> release_;
  std::vector<Server*> servers_;
  Gauge& resident_bytes_;
  Gauge& unfinished_bytes_;
  Gauge& unread_bytes_;
  Counter& cut_;
  // On shard 0.
  ScopedTimer timer_;
  bool asking_ = false;
  bool warned_ = false;
};

}  // namespace openseat::net
