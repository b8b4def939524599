// Table: one play of a game, as the console and the agents' protocols see it, and the directory of all live tables.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "base/scheduler.h"
#include "base/time.h"
#include "core/agent.h"
#include "core/game.h"
#include "core/ids.h"
#include "core/seat.h"
#include "core/sight.h"

namespace openseat {

// Who gives up: a connection by its lease, an agent by Seat::sitting(). Neither: somebody who may end any match.
struct Quitter {
  std::optional<std::uint32_t> lease{};
  std::optional<std::uint64_t> sitting{};
  std::string retry{};  // as Choice::retry
};

class Table {
 public:
  using Done = std::function<void(Result<void>)>;
  using Seated = std::function<void(Result<SeatIndex>)>;

  virtual ~Table() = default;

  virtual const TableId& id() const = 0;
  virtual Scheduler& scheduler() = 0;
  // For clients that do not run the server, the table's name is its id, a period and this; "" if the id is enough.
  virtual std::string_view invite() const { return {}; }
  virtual Time opened() const { return Time(); }
  virtual std::size_t seats() const = 0;    // that are taken
  virtual Seat& seat(SeatIndex index) = 0;  // REQUIRES index < seats()
  virtual const Seat& seat(SeatIndex index) const = 0;
  // How many seats have to be taken before it begins.
  virtual std::size_t seats_needed() const { return seats(); }
  // The agent that is to sit at a seat beyond seats(), once those before it are taken; nullptr where none is.
  virtual const AgentSpec* Planned(SeatIndex) const { return nullptr; }

  // --- The game ---

  // Null where the rules are elsewhere.
  virtual const Game* game() const { return nullptr; }
  virtual std::string_view status_name() const = 0;  // "in-progress", "connected" …
  // Whether there is something to see: a hosted match has not begun while it waits for players.
  virtual bool started() const { return true; }
  // What this viewer sees now; Sight::None() where the rules are elsewhere or the match has not started.
  virtual std::shared_ptr<const Sight> SightOf(Viewer) const { return Sight::None(); }
  // Null where the game is not over, or nobody here knows how it ended.
  virtual const Outcome* outcome() const { return nullptr; }

  // --- The players ---

  // `agent` plays the seat from now on. At a hosted match it may be the next open one: the agent joins as a player of
  // this name. `seated` gets the seat once the agent has it, or the reason why not. REQUIRES seat <= seats(), and seat
  // < seats() where the rules are elsewhere.
  virtual void SeatAgent(SeatIndex seat, std::string name, AgentSpec agent, Seated seated) = 0;
  // The seat's player gives up, for this reason: a hosted match ends with the others as winners, or as a draw
  // where there is no such seat; a game elsewhere goes on with the agent that the server has for it. Errors: kClosed
  // where the match is over, or where somebody else has taken the quitter's seat; the journal's.
  virtual void Resign(SeatIndex seat, std::string reason, Quitter quitter, Done done) = 0;
  // Tells the others what the seat's player says. Errors: kUnsupported where nobody else listens, kBusy for too much at
  // once. REQUIRES seat < seats().
  virtual Result<void> Say(SeatIndex, std::string_view) {
    return Fail(ErrorCode::kUnsupported, "nobody else listens: the game runs elsewhere");
  }

  // --- The console ---

  // {"id", "game", "kind", "status", "opened", "seats": […], …}.
  virtual json::Object Info() const = 0;
  // The same without what may be large: "state" (SightOf has it); of a game elsewhere, long actions and decisions.
  virtual json::Object InfoWithoutState() const { return Info(); }
  // The same for a list of tables, which leaves out a "state" of more than 16 KiB, and those.
  json::Object ListedInfo() const;
  // [{"key", "severity", "message", "advice", "count", "first", "last", "seq"}], oldest first; empty where a game's
  // protocol knows none.
  virtual json::Array Diagnostics() const { return {}; }
  // An order from the console that only this kind of table knows: "reregister-all", "shutdown" … kUnsupported where it
  // does not, kInvalid for arguments.
  virtual Result<json::Value> Control(std::string_view command, const json::Object& arguments) = 0;
};

// A table's position in lists, which start with the newest.
struct TableMark {
  Time opened;
  TableId id;

  // Whether it comes before `other`.
  bool operator<(const TableMark& other) const {
    return opened != other.opened ? opened > other.opened : id < other.id;
  }
  // "MICROSECONDS:ID", as a cursor of lists.
  std::string Text() const;
  static std::optional<TableMark> Parse(std::string_view text);
};

// All live tables of the process, by the scheduler that each lives on. Call Add, Remove and Local on that scheduler;
// the others on any of them.
class TableDirectory {
 public:
  explicit TableDirectory(std::vector<Scheduler*> schedulers);

  void Add(Table& table);
  void Remove(Table& table);
  // nullptr if no table with that id lives on that scheduler.
  Table* Local(Scheduler& scheduler, const TableId& id);

  // Runs `visit` for every table, each on its own scheduler, then `done` on `from`. Not in one piece: a scheduler does
  // other work after every few hundred tables. A table that arrives or leaves meanwhile is visited or not. `visit` adds
  // and removes none.
  void Visit(Scheduler& from, std::function<void(Table&)> visit, Task done);
  // Calls `show` (on each table's scheduler) for the newest tables, at most `limit` of those after `after`. `done` gets
  // the results on `from`, newest first, and where the next page starts if there are more. Tables that are not shown
  // cost nothing, and a scheduler does other work after every few dozen. `game`: only matches of the game with that id
  // (GameInfo::id); "": all tables.
  enum class Listing : std::uint8_t { kAll, kPublic };  // kPublic: those that can be found by their id alone
  using Listed = std::function<void(std::vector<json::Object> shown, std::optional<TableMark> next)>;
  void List(Scheduler& from, std::optional<TableMark> after, std::size_t limit,
            std::function<json::Object(Table&)> show, Listed done, Listing which = Listing::kAll,
            std::string game = {});

  // Runs `found` for the table on its scheduler, or `missing` on `from` once no scheduler has it.
  void With(Scheduler& from, TableId id, std::function<void(Table&)> found, Task missing);

  const std::vector<Scheduler*>& schedulers() const { return schedulers_; }

 private:
  using Entry = std::pair<TableMark, Table*>;
  using Newest = std::set<Entry>;
  using ByDoor = std::array<Newest, 2>;  // the public tables, the others
  struct Placed {
    Table* table = nullptr;
    ByDoor* of_game = nullptr;  // where else it is; its game may be gone when it is removed
  };
  struct Shelf {
    ByDoor newest;
    std::unordered_map<std::string, ByDoor> of_game;  // by GameInfo::id; those whose rules are here
    std::unordered_map<TableId, Placed> by_id;
  };
  struct Round;
  struct Page;
  void VisitSome(Scheduler& scheduler, std::size_t which, const std::optional<Entry>& after,
                 const std::shared_ptr<Round>& round);
  void MarkPage(Scheduler& scheduler, const std::shared_ptr<Page>& page);
  void ShowSome(Scheduler& scheduler, std::size_t first, const std::shared_ptr<Page>& page);
  Shelf& ShelfOf(const Scheduler& scheduler);

  const std::vector<Scheduler*> schedulers_;
  std::vector<std::unique_ptr<Shelf>> shelves_;
};

}  // namespace openseat
