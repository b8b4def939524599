// Table: one play of a game, as the console and the agents' protocols see it, and the directory of all live tables.
#pragma once

#include <cstddef>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "base/scheduler.h"
#include "base/time.h"
#include "core/game.h"
#include "core/ids.h"
#include "core/seat.h"

namespace openseat {

class Table {
 public:
  virtual ~Table() = default;

  virtual const TableId& id() const = 0;
  virtual Scheduler& scheduler() = 0;
  // What names the table, behind its id and a point, to those who do not run the server; "" where the id is enough.
  virtual std::string_view invite() const { return {}; }
  virtual Time opened() const { return Time(); }
  virtual std::size_t seats() const = 0;
  virtual Seat& seat(SeatIndex index) = 0;  // REQUIRES index < seats()
  // The agent that is to sit at a seat beyond seats(), once those before it are taken; nullptr where none is.
  virtual const AgentSpec* Planned(SeatIndex index) const {
    (void)index;
    return nullptr;
  }

  // What the console shows of it: {"id", "game", "kind", "status", "opened", "seats": […], …}.
  virtual json::Object Info() const = 0;
  // What this viewer may see of it (GameState::Observe), and the same for a language model (Describe). Nothing, or "",
  // where the rules are elsewhere or the match has not begun.
  virtual std::optional<json::Value> Look(Viewer viewer) const {
    (void)viewer;
    return std::nullopt;
  }
  virtual std::string Describe(SeatIndex seat) const {
    (void)seat;
    return {};
  }
  // [{"key", "severity", "message", "advice", "count", "first", "last", "seq"}], oldest first; empty where a game's
  // protocol knows none.
  virtual json::Array Diagnostics() const = 0;
  // An order from the console that only this kind of table knows: "reregister-all", "shutdown" … kUnsupported where it
  // does not, kInvalid for arguments.
  virtual Result<json::Value> Control(std::string_view command, const json::Object& arguments) = 0;
};

// A table's place in lists, which have the newest first.
struct TableMark {
  Time opened;
  TableId id;

  // Whether it stands before `other`.
  bool operator<(const TableMark& other) const {
    return opened != other.opened ? opened > other.opened : id < other.id;
  }
};

// All live tables of the process, by the scheduler that each lives on. Add, Remove and Local are called on that
// scheduler; the others from any of them.
class TableDirectory {
 public:
  explicit TableDirectory(std::vector<Scheduler*> schedulers);

  void Add(Table& table);
  void Remove(Table& table);
  // nullptr where no table of that id lives on that scheduler.
  Table* Local(Scheduler& scheduler, const TableId& id);

  // Runs `visit` for every table, each on its own scheduler, then `done` on `from`.
  void Visit(Scheduler& from, std::function<void(Table&)> visit, Task done);
  // What `show` (on each table's scheduler) makes of the newest tables, at most `limit` of those behind `after`; `done`
  // gets it on `from`, newest first, and where the next page begins if there is more. Tables that are not shown cost
  // next to nothing.
  enum class Listing : std::uint8_t { kAll, kPublic };  // kPublic: those whose id is enough to find them
  using Listed = std::function<void(std::vector<json::Object> shown, std::optional<TableMark> next)>;
  void List(Scheduler& from, std::optional<TableMark> after, std::size_t limit,
            std::function<json::Object(Table&)> show, Listed done, Listing which = Listing::kAll);

  // Runs `found` for the table on its scheduler, or `missing` on `from` once no scheduler has it.
  void With(Scheduler& from, TableId id, std::function<void(Table&)> found, Task missing);

  const std::vector<Scheduler*>& schedulers() const { return schedulers_; }

 private:
  struct Shelf {
    std::list<Table*> tables;  // in the order of their coming
    std::unordered_map<const Table*, std::list<Table*>::iterator> places;
    std::unordered_map<TableId, Table*> by_id;
  };
  Shelf& ShelfOf(const Scheduler& scheduler);

  const std::vector<Scheduler*> schedulers_;
  std::vector<std::unique_ptr<Shelf>> shelves_;
};

}  // namespace openseat
