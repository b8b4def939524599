// Hub: which table belongs to which game name. The one place that decides whether a connection opens a new table or
// takes up one that waits for its game; therefore an actor of its own, on one scheduler. Cold: asked once a startup.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/scheduler.h"
#include "core/ids.h"

namespace openseat::neuro {

// Where a table is.
struct TablePlace {
  TableId id;
  Scheduler* home = nullptr;
  std::string game;
  bool created = false;  // by this claim: the claimer makes it, on its own scheduler
};

class Hub {
 public:
  // Answers run on the scheduler of the one who asked.
  using Claimed = std::function<void(std::optional<TablePlace>)>;

  explicit Hub(Scheduler& scheduler) : scheduler_(scheduler) {}

  // A connection of `game` from `peer`, living on `asker`: the table of that game that has no connection, or a new one.
  void Claim(Scheduler& asker, std::string game, std::string peer, Claimed claimed);
  // A connection that has not said which game it is: the only table that waits for a game from that peer, or nothing.
  void ClaimSilent(Scheduler& asker, std::string peer, Claimed claimed);
  // The table's connection ended: it may be claimed again.
  void Release(TableId id);
  // The table has waited long enough. `forgotten` runs on `asker` unless it was claimed meanwhile.
  void Forget(Scheduler& asker, TableId id, std::function<void()> forgotten);

 private:
  struct Entry {
    TableId id;
    Scheduler* home;
    std::string game;
    std::string peer;
    bool connected;
  };
  Scheduler& scheduler_;
  std::vector<Entry> entries_;  // newest last
};

// "Tic Tac Toe!" -> "tic-tac-toe-k3fq2a": readable, and not to be guessed or taken twice.
TableId MakeTableId(std::string_view game);

}  // namespace openseat::neuro
