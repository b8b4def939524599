// ClusterNode: this process's part in a cluster (docs/cluster.md): tells the other nodes that it is there, claims
// shards and gives them up, and has the lobby take over and leave their matches.
//
// Two threads of its own: one tells the others every half second, and one does what takes longer. Any thread may call
// the members, but for Join and Start.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/budget.h"
#include "base/clock.h"
#include "base/result.h"
#include "core/ids.h"
#include "core/journal.h"
#include "match/lobby.h"
#include "net/other_servers.h"
#include "store/cluster_plan.h"
#include "store/nats_journal.h"

namespace openseat::app {

class ClusterNode {
 public:
  // `journal` outlives it.
  ClusterNode(store::NatsJournal& journal, std::string name);
  ~ClusterNode();  // the lobby may be gone if Stop was called
  ClusterNode(const ClusterNode&) = delete;
  ClusterNode& operator=(const ClusterNode&) = delete;

  // Hears who else is there, and claims our part of the shards. kConflict if a node of this name is there already.
  Result<void> Join();
  // Where other nodes reach this one: "http://HOST:PORT"; "" if they cannot. Before Start.
  void SetAddress(std::string address);
  // What they show when they pass on a client's request.
  const std::string& secret() const { return secret_; }
  // What becomes of tables of games elsewhere when their shards move; `done` as for Lobby::TakeOver and Leave.
  struct Elsewhere {
    // Before matches of these tables are taken over. Errors: they cannot be now.
    std::function<Result<void>(const std::vector<TableRecord>& tables)> prepare;
    std::function<Result<void>(const std::vector<TableRecord>& tables, Task done)> take_over;
    std::function<void(std::function<bool(const TableId&)> which, Task done)> leave;
  };
  // Matches of our shards have been recovered, but for those that cannot be played here, and go on in this lobby, which
  // outlives this; so does what `games` uses.
  void Start(Lobby& lobby, std::shared_ptr<Payer> payer, const std::vector<TableId>& unplayable, Elsewhere games);
  // Gives up all shards, so that others go on with their matches; `done` runs then, on a thread of this. Once.
  void Leave(std::function<void()> done);

  // How many shards have their tables here, how many here or at a node that we know, and how many nodes live.
  std::size_t serves() const;
  std::size_t found() const;
  std::size_t nodes() const;

  // Ends the threads. The schedulers may have stopped.
  void Stop();

  struct Place {
    bool here = false;
    std::optional<store::NodeBeat> elsewhere{};  // neither: its shard moves just now, or will
  };
  Place PlaceOf(const TableId& table) const;
  // The name of the node that has the table: "" for this one; nullopt while it moves, or if that one cannot be reached.
  std::optional<std::string> NodeOf(const TableId& table) const;
  // As Journal::Tables, those that are wanted of the shards that no other node serves.
  Result<std::vector<TableRecord>> TablesHere(std::size_t limit, std::uint64_t before,
                                              const std::function<bool(const TableId&)>& wanted) const;
  const std::string& name() const { return name_; }
  std::uint64_t run() const { return run_; }  // as in its beats
  // The other nodes that live and can be reached.
  std::vector<store::NodeBeat> Others() const;
  // For net::OtherServers.
  net::OtherServers::Serving Served() const;
  // Whether that process is not known to be gone. While we do not hear ourselves, the silence of others means nothing.
  bool Lives(const store::NodeBeat& process) const;
  // The one of that name among them.
  std::optional<store::NodeBeat> Other(std::string_view node) const;

 private:
  void OnHeard(std::string_view text);
  void Beat();
  void BeatMain();
  void WorkMain();
  // What is to be done next, as far as it is known; runs without the lock.
  void Work();
  bool IsStillWanted(std::size_t shard) const;
  void Take(std::size_t shard);
  void Give(std::size_t shard);
  // Matches of the shard that this node cannot play: a node that can should have it.
  void SetUnplayable(std::size_t shard, const std::vector<TableId>& tables);
  // Forgets those that have ended at another node.
  void RecallUnplayable();
  // The matches of these shards, given as bits, and the games elsewhere, go on at another node.
  void LeaveMatches(std::uint64_t shards);
  void SetServes(std::size_t shard, bool serves);
  // REQUIRES mutex_.
  void SetServing(std::uint64_t shards);
  // Runs until `done` was called, or this is to end.
  void Await(const std::function<void(std::function<void()> done)>& run);
  bool HearsItself(Instant now) const;

  store::NatsJournal& journal_;
  const std::string name_;
  const std::uint64_t run_;
  const std::string secret_;
  std::string address_;  // guarded by mutex_
  const SystemClock clock_;
  Lobby* lobby_ = nullptr;
  std::shared_ptr<Payer> payer_;
  Elsewhere games_;
  Instant recalled_;  // when the unplayable ones were looked up; of the thread that works

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  store::ClusterPlan plan_;
  std::uint64_t serves_ = 0;
  std::uint64_t takes_ = 0;
  std::map<std::size_t, std::set<TableId>> unplayable_;  // by shard
  std::uint64_t lost_ = 0;                               // shards that others took
  std::optional<Instant> echo_;                          // when we last heard ourselves
  Instant hears_since_;                                  // without a pause
  bool doubt_ = false;  // others may have taken what we own: after a pause, or if another node says so
  bool leaving_ = false;
  std::function<void()> left_;
  bool namesake_ = false;  // somebody else has our name
  bool news_ = false;
  bool stopping_ = false;

  std::thread beats_;
  std::thread works_;
};

}  // namespace openseat::app
