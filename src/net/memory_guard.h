// MemoryGuard: keeps the process below [limits] max_memory. It has the budget measure the resident memory several times
// a second, and refuse above the limit. If there is too much, freed memory is given back to the system; if that is not
// enough, as many connections as necessary are cut (memory_cuts.h), a few at a time.
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
  // All outlive it. `resident` returns how much memory the process has, `release` gives back what was freed
  // (base/memory.h has both). Made before the shards run, destroyed when they have stopped.
  MemoryGuard(Shards& shards, Budget& budget, Metrics& metrics, std::function<std::uint64_t()> resident,
              std::function<void()> release);
  ~MemoryGuard();

  // Allows its connections to be cut. Call before the shards run.
  void Watch(Server& server) { servers_.push_back(&server); }

 private:
  struct Round;
  void Look();
  void AskShards();
  void CutLargest(const std::shared_ptr<Round>& round);
  void CutSome(const std::shared_ptr<Round>& round, std::size_t shard);

  Shards& shards_;
  Budget& budget_;
  const std::function<void()> release_;
  std::vector<Server*> servers_;
  Gauge& resident_bytes_;
  Gauge& unfinished_bytes_;
  Gauge& unread_bytes_;
  Counter& cut_;
  // On shard 0.
  ScopedTimer timer_;
  bool asking_ = false;  // or cutting
  bool warned_ = false;
};

}  // namespace openseat::net
