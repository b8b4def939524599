// Shards: one thread, one event loop, one mailbox each. A shard is the Scheduler of everything that lives on it.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "base/metrics.h"
#include "base/scheduler.h"

namespace openseat::net {

class Shard : public Scheduler {
 public:
  virtual std::size_t index() const = 0;
  // Whether the caller is on this shard's thread.
  virtual bool IsCurrent() const = 0;
};

// All shards of the process. Start runs their threads; Stop ends the loops and joins (tasks not yet run are destroyed).
// On a shard's own thread Stop only ends the loops: RunFirstHere or the destructor joins. Connections that are left
// then are cut. Outlives everything that lives on a shard: servers, connections, replies.
class Shards {
 public:
  // `count` 0: one per core. `metrics` (which outlives this) counts the turns in which a loop was blocked for more than
  // a millisecond, as openseat_loop_stall_seconds, and what the thread worked in them, as
  // openseat_loop_stall_cpu_seconds; from 50 ms on, the log says for how long, and by which table (base/work_note.h).
  explicit Shards(std::size_t count, Metrics* metrics = nullptr);
  ~Shards();

  std::size_t size() const;
  Shard& at(std::size_t index);
  void Start();
  void Stop();
  // Ends the outgoing connections of this process with close frames, after `grace` at the latest; later attempts to
  // connect are told that the program is stopping. `done` runs on shard 0. Called once, while the shards run.
  void CloseClients(Duration grace, Task done);
  // Instead of Start: runs shard 0 on the calling thread, and the others on theirs, until Stop is called from elsewhere
  // (for command-line tools and main()).
  void RunFirstHere();
  // Between Start or RunFirstHere and Stop. Any thread.
  bool running() const;

  struct Impl;
  Impl& impl() { return *impl_; }

 private:
  std::unique_ptr<Impl> impl_;
};

// Calls `handler` on shard 0 for each SIGINT or SIGTERM and, with `hangups`, for each SIGHUP, which otherwise ends the
// process and, once the watch and the shards have ended, is ignored. Made and destroyed on shard 0's thread or while no
// shard runs.
class SignalWatch {
 public:
  SignalWatch(Shards& shards, std::function<void(int signal)> handler, bool hangups = false);
  ~SignalWatch();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace openseat::net
