// Hub: which table belongs to which game name. The one place that decides whether a connection opens a new table or
// takes up one that waits for its game; therefore an actor of its own, on one scheduler. What it does for one table
// costs the same however many there are.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <unordered_map>

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

  // A connection of `game`, living on `asker`: the table of that game and owner that has no connection, or a new one.
  // `owner`: whose the connection is (owner.h); "" : nobody's, which no table waits for.
  void Claim(Scheduler& asker, std::string game, std::string owner, Claimed claimed);
  // A connection that has not said which game it is: the only table that waits for this owner, or nothing.
  void ClaimSilent(Scheduler& asker, std::string owner, Claimed claimed);
  // The table's connection ended: it may be claimed again.
  void Release(TableId id);
  // The table has waited long enough. `forgotten` runs on `asker` unless it was claimed meanwhile.
  void Forget(Scheduler& asker, TableId id, std::function<void()> forgotten);

 private:
  struct Entry {
    Scheduler* home = nullptr;
    std::string game;
    std::string owner;
    std::uint64_t released = 0;  // when it lost its connection, as a number that grows; 0: it has one
  };
  // Owner, game, released.
  using Place = std::tuple<std::string, std::string, std::uint64_t>;
  using Waiting = std::map<Place, TableId>;

  TablePlace Take(Waiting::iterator waiting);

  Scheduler& scheduler_;
  std::unordered_map<TableId, Entry> entries_;
  Waiting waiting_;  // those without a connection that somebody may take up
  std::uint64_t releases_ = 0;
};

// "Tic Tac Toe!" -> "tic-tac-toe-k3fq2a": readable, and not to be guessed.
TableId MakeTableId(std::string_view game);

}  // namespace openseat::neuro
