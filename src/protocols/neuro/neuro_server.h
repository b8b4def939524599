// NeuroServer: the Neuro API's server side. It owns the remote tables, each on the shard of the connection that opened
// it, and adds the protocol's URLs to the router.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/budget.h"
#include "base/task.h"
#include "core/journal.h"
#include "core/table.h"
#include "net/router.h"
#include "protocols/neuro/hub.h"
#include "protocols/neuro/name_book.h"
#include "protocols/neuro/neuro_metrics.h"
#include "protocols/neuro/options.h"
#include "protocols/neuro/remote_table.h"

namespace openseat::neuro {

// What is behind the API's URLs.
struct GameDoors {
  net::AdmitUpgrade admit{};    // who may connect; missing: everybody
  net::SessionFactory game;     // for /, /game, /game/<name> and /neuro
  net::SessionFactory voice{};  // for /voice, /neuro/voice and /game/<name>/voice; missing: refused in the API's words
};
void AddGameRoutes(net::Router& router, GameDoors doors);

class NeuroServer {
 public:
  // All references outlive it. Destroy it when its schedulers have stopped. The agents are made on the tables' shards.
  // `metrics`: null where nobody counts.
  NeuroServer(NeuroProfiles profiles, TableDirectory& directory, Journal& journal, RemoteAgents agents,
              Metrics* metrics = nullptr);
  ~NeuroServer();

  // `admit`: who may connect. `game`, `voice`: make the sessions of games' connections and of their voice sockets, if
  // somebody else does.
  void AddRoutes(net::Router& router, net::AdmitUpgrade admit = {}, net::SessionFactory game = {},
                 net::SessionFactory voice = {});

  // --- In a cluster ---

  // Tables may go on at other nodes, and theirs here. Before the first connection. `node`: this one's name.
  void ShareTables(std::string node) { node_ = std::move(node); }
  // Tables that another process had wait for their games here; returns the others, whose games cannot come back. kIo
  // and kTimeout if the journal cannot be read now: then none waits. `done` runs once they wait. Any thread but the
  // schedulers'; reads the journal.
  Result<std::vector<TableRecord>> TakeOver(const std::vector<TableRecord>& tables, Task done);
  // Another node goes on with the tables of such names, or soon will: their connections end, and they are gone here.
  // `done` runs afterwards, on any of the schedulers. Any thread.
  void Leave(const std::function<bool(const TableId&)>& which, Task done);

  // --- For sessions, on the scheduler named ---

  // Of a connection, before it has a table.
  const NeuroOptions& options() const { return profiles_.at_start(); }
  Hub& hub() { return hub_; }
  // Makes the table for a claim that created one; `lease` is its place in the budget of `payer`, who opened it and pays
  // for what it keeps.
  RemoteTable& Open(Scheduler& home, const TablePlace& place, std::shared_ptr<Payer> payer, Lease lease);
  // nullptr if it is gone.
  RemoteTable* Find(Scheduler& home, const TableId& id);
  // The connection `link` of the table ended: starts the table's wait for its game.
  void Detached(Scheduler& home, const TableId& id, std::uint64_t link, const net::Closing& closing);
  // The connection that claimed the table ended before it got the answer. Any thread.
  void Abandon(const TablePlace& place);

 private:
  struct Kept {
    std::unique_ptr<RemoteTable> table;
    ScopedTimer wait;  // for its game, since the last connection ended
    Lease lease;
  };
  struct Shelf {
    std::unordered_map<TableId, Kept> tables{};
    // Those that were left, by their connection, until that has ended.
    std::unordered_map<std::uint64_t, std::unique_ptr<RemoteTable>> left{};
  };
  Shelf& ShelfOf(const Scheduler& home);
  // It waits for its game, which nobody has made a table for yet.
  // `until`: held until it does.
  void WaitForEarlier(std::shared_ptr<const EarlierTable> table, std::shared_ptr<void> until = nullptr);
  // The table has no connection from now on: it may be claimed, and is closed if it is not claimed in time.
  void WaitForGame(Scheduler& home, const TableId& id);

  const NeuroProfiles profiles_;
  std::optional<NeuroMetrics> metrics_;
  TableDirectory& directory_;
  Journal& journal_;
  const RemoteAgents agents_;
  std::string node_;  // "": tables are not shared
  Hub hub_;
  NameBook names_;
  std::vector<Shelf> shelves_;  // by scheduler
};

}  // namespace openseat::neuro
