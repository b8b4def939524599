// What all connections of this module have in common, and the list of those on one shard: a registry finds silent and
// overdue connections by scanning its list now and then, which costs nothing per message. Internal; one thread.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/budget.h"
#include "base/scheduler.h"
#include "base/time.h"
#include "net/memory_cuts.h"

namespace openseat::net {

class ConnectionRegistry;
class ShardImpl;
struct NetMetrics;

// How long each step of a WebSocket may take (ServerLimits in server.h explains them).
struct WebSocketTimes {
  Duration close_timeout = std::chrono::seconds(3);
  Duration ping_interval = std::chrono::seconds(30);
  Duration pong_timeout = std::chrono::seconds(60);
};

class Connection {
 public:
  virtual ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // Writes what the outbox holds.
  virtual void Flush() = 0;
  // Checks its deadlines; now() is the registry's.
  virtual void OnTick() = 0;
  // Phase one of a shutdown: ends as soon as its protocol allows.
  virtual void BeginShutdown() = 0;
  // Ends immediately.
  virtual void Cut(std::string_view reason) = 0;
  // Bytes of unfinished requests, messages and TLS handshakes, and of data that waits for the peer to read it.
  virtual std::size_t held() const { return 0; }
  // Who pays for most of it; may be null.
  virtual const Payer* holder() const { return nullptr; }
  // Gives that memory back, and ends as soon as the peer could be told why.
  virtual void CutForMemory(const std::string& reason) { Cut(reason); }

 protected:
  explicit Connection(ConnectionRegistry& registry);
  ConnectionRegistry& registry() { return *registry_; }
  // Leaves the registry; the connection may be destroyed after this.
  void Leave();
  bool left() const { return registry_ == nullptr; }

 private:
  friend class ConnectionRegistry;
  ConnectionRegistry* registry_;
  Connection* previous_ = nullptr;
  Connection* next_ = nullptr;
};

class ConnectionRegistry {
 public:
  // Scans every `shortest`/8 of the relevant time-outs, at least once a second and at most every 5 ms. `metrics` may be
  // null: then nothing is counted.
  ConnectionRegistry(ShardImpl& shard, const WebSocketTimes& times, NetMetrics* metrics = nullptr,
                     Duration shortest = std::chrono::seconds(8));
  ~ConnectionRegistry();

  ShardImpl& shard() { return shard_; }
  const WebSocketTimes& times() const { return times_; }
  NetMetrics* metrics() { return metrics_; }
  // The time of the last scan or RefreshNow: coarse, and free.
  Instant now() const { return now_; }
  std::size_t size() const { return size_; }

  void BeginShutdown();
  bool shutting_down() const { return shutting_down_; }
  void CutAll(std::string_view reason);
  // What each connection holds, if it holds anything.
  void AddHeld(std::vector<HeldMemory>& out) const;
  // Cuts at most `most` of those that `cuts` names; returns how many they were.
  std::size_t CutHolders(const MemoryCuts& cuts, std::size_t most, const std::string& reason);
  // Phase two: cuts what is left when `grace` has passed.
  void CutAfter(Duration grace);
  // Runs once no connection is listed any more; immediately if there is none.
  void WhenEmpty(Task task);

 private:
  friend class Connection;
  void Enter(Connection& connection);
  void Leave(Connection& connection);
  void Look();
  // Calls `visit` on each; connections may leave meanwhile.
  template <typename Visit>
  void ForEach(Visit visit);

  ShardImpl& shard_;
  const WebSocketTimes times_;
  NetMetrics* const metrics_;
  const Duration period_;
  Instant now_;
  Connection* first_ = nullptr;
  Connection* cursor_ = nullptr;  // the connection that ForEach visits next
  std::size_t size_ = 0;
  ScopedTimer timer_;
  ScopedTimer grace_timer_;
  bool looking_ = false;
  bool shutting_down_ = false;
  Task when_empty_;
};

}  // namespace openseat::net
