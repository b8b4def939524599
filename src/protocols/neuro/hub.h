// Hub: which table belongs to which game name. The one place that decides whether a connection opens a new table or
// resumes one that waits for its game; therefore an actor of its own, on one scheduler. The cost per table does not
// depend on the number of tables.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <unordered_map>

#include "base/scheduler.h"
#include "base/task.h"
#include "base/time.h"
#include "core/ids.h"
#include "core/journal.h"
#include "protocols/neuro/earlier_table.h"

namespace openseat::neuro {

// Where a table is.
struct TablePlace {
  TableId id;
  Scheduler* home = nullptr;
  std::string game;
  bool created = false;                           // by this claim: the claimer makes it, on its own scheduler
  std::string owner{};                            // of the game, if created; "": nobody is known
  std::shared_ptr<const EarlierTable> earlier{};  // if created, and its record goes on
};

class Hub {
 public:
  // Answers run on the asker's scheduler.
  using Claimed = std::function<void(std::optional<TablePlace>)>;

  // `journal` outlives it: tables get names that are ours to record.
  Hub(Scheduler& scheduler, const Journal& journal) : scheduler_(scheduler), journal_(journal) {}

  // A connection of `game`, living on `asker`, claims the table of that game and owner that has no connection; without
  // one, a new table, or nothing if it may not make any. `owner`: the connection's owner (owner.h); "": unknown, and
  // then no table waits for it.
  void Claim(Scheduler& asker, std::string game, std::string owner, bool may_make, Claimed claimed);
  // A connection that has not named its game claims the only table that waits for this owner, or nothing.
  void ClaimSilent(Scheduler& asker, std::string owner, Claimed claimed);
  // The table's connection ended: it may be claimed again.
  void Release(TableId id);
  // A table that another process had waits for its game from now on. `wait` is its number for ForgetEarlier.
  void Adopt(std::shared_ptr<const EarlierTable> table, std::function<void(std::uint64_t wait)> waits);
  // It has waited long enough. `forgotten` runs on the hub's scheduler unless it was claimed meanwhile.
  void ForgetEarlier(TableId id, std::uint64_t wait, std::function<void()> forgotten);
  // Another process has the tables of such names, or soon will: nobody can claim them here. `done` runs on the hub's
  // scheduler.
  void Leave(std::function<bool(const TableId&)> which, Task done);
  // A connection that has, or looks for, a table of this game and owner, here or at another node. `probe` asks its peer
  // for a sign of life, and runs `there` after one, on any thread. `connection`: WebSocket::id.
  using Probe = std::function<void(std::function<void()> there)>;
  void Enter(std::string game, std::string owner, std::uint64_t connection, Probe probe);
  void Exit(std::string game, std::string owner, std::uint64_t connection);
  // How many tables wait for this owner, and since when the latest of them does: those of this game, or, if that is
  // empty, of all games. Where none of the game's waits, its connections (but `asking`) are probed first: `sure` is
  // false if one gave no sign of life for a second, so that its table may wait soon.
  struct Waiters {
    std::size_t count = 0;
    Duration latest{0};
    bool sure = true;
  };
  void CountWaiting(Scheduler& asker, std::string game, std::string owner, std::uint64_t asking,
                    std::function<void(Waiters)> counted);
  Scheduler& scheduler() { return scheduler_; }
  // The table has waited long enough. `forgotten` runs on `asker` unless the table was claimed meanwhile.
  void Forget(Scheduler& asker, TableId id, std::function<void()> forgotten);

 private:
  struct Entry {
    Scheduler* home = nullptr;  // null: nobody has made the table yet
    std::string game;
    std::string owner;
    std::uint64_t released = 0;  // when it lost its connection, as an increasing number; 0: it has one
    Instant since{};             // likewise
    std::shared_ptr<const EarlierTable> earlier{};  // until somebody makes the table
  };
  // Owner, game, released.
  using Place = std::tuple<std::string, std::string, std::uint64_t>;
  using Waiting = std::map<Place, TableId>;

  // `asker` makes the table, if nobody has.
  TablePlace Take(Waiting::iterator waiting, Scheduler& asker);
  void Wait(const TableId& id, Entry& entry);
  // The latest of this game and owner.
  Waiting::iterator Latest(const std::string& game, const std::string& owner);

  // Asked by CountWaiting, until its probes have answered.
  struct Question {
    Scheduler* asker = nullptr;
    std::string game;
    std::string owner;
    std::function<void(Waiters)> counted;
    std::size_t unanswered = 0;
    ScopedTimer timer{};
  };
  Waiters Count(const std::string& game, const std::string& owner) const;
  void Answer(std::uint64_t question, bool sure);

  Scheduler& scheduler_;
  const Journal& journal_;
  std::unordered_map<TableId, Entry> entries_;
  Waiting waiting_;  // those without a connection that may be claimed
  std::uint64_t releases_ = 0;
  std::map<Place, Probe> connections_;  // the third part of the place is the connection
  std::map<std::uint64_t, Question> questions_;
  std::uint64_t asked_ = 0;
};

// "Tic Tac Toe!" -> "tic-tac-toe-k3fq2a": readable, and hard to guess.
TableId MakeTableId(std::string_view game);

}  // namespace openseat::neuro
