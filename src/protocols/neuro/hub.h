// Hub: which table belongs to which game name. The one place that decides whether a connection opens a new table or
// resumes one that waits for its game; therefore an actor of its own, on one scheduler. The cost per table does not
// depend on the number of tables.
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
#include "core/journal.h"

namespace openseat::neuro {

// Where a table is.
struct TablePlace {
  TableId id;
  Scheduler* home = nullptr;
  std::string game;
  bool created = false;  // by this claim: the claimer makes it, on its own scheduler
  std::string owner{};   // of the game, if created; "": nobody is known
};

class Hub {
 public:
  // Answers run on the asker's scheduler.
  using Claimed = std::function<void(std::optional<TablePlace>)>;

  // `journal` outlives it: tables get names that are ours to record.
  Hub(Scheduler& scheduler, const Journal& journal) : scheduler_(scheduler), journal_(journal) {}

  // A connection of `game`, living on `asker`, claims the table of that game and owner that has no connection, or a new
  // one. `owner`: the connection's owner (owner.h); "": unknown, and then no table waits for it.
  void Claim(Scheduler& asker, std::string game, std::string owner, Claimed claimed);
  // A connection that has not named its game claims the only table that waits for this owner, or nothing.
  void ClaimSilent(Scheduler& asker, std::string owner, Claimed claimed);
  // The table's connection ended: it may be claimed again.
  void Release(TableId id);
  // The table has waited long enough. `forgotten` runs on `asker` unless the table was claimed meanwhile.
  void Forget(Scheduler& asker, TableId id, std::function<void()> forgotten);

 private:
  struct Entry {
    Scheduler* home = nullptr;
    std::string game;
    std::string owner;
    std::uint64_t released = 0;  // when it lost its connection, as an increasing number; 0: it has one
  };
  // Owner, game, released.
  using Place = std::tuple<std::string, std::string, std::uint64_t>;
  using Waiting = std::map<Place, TableId>;

  TablePlace Take(Waiting::iterator waiting);

  Scheduler& scheduler_;
  const Journal& journal_;
  std::unordered_map<TableId, Entry> entries_;
  Waiting waiting_;  // those without a connection that may be claimed
  std::uint64_t releases_ = 0;
};

// "Tic Tac Toe!" -> "tic-tac-toe-k3fq2a": readable, and hard to guess.
TableId MakeTableId(std::string_view game);

}  // namespace openseat::neuro
