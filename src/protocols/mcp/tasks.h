// TaskBook: calls that go on after they were answered (the extension Tasks, SEP-2663; docs/protocols/mcp.md, "Tasks").
// A call that may take long begins like any other. If it is not answered soon, its client gets the id of a task
// instead, and finds the answer there. What is kept of it counts for the caller's payer. On the server's scheduler;
// tasks do not survive the process.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/budget.h"
#include "base/scheduler.h"
#include "base/time.h"
#include "protocols/mcp/call.h"

namespace openseat::mcp {

// Whether the client of this call takes a task for an answer.
bool TakesTasks(const Call& call);
// What a client that does not is told where a task is the only answer.
Failure TasksNeeded();

class TaskBook {
 public:
  // The ids of tasks begin with `prefix`.
  explicit TaskBook(Scheduler& scheduler, std::string prefix = {})
      : scheduler_(scheduler), prefix_(std::move(prefix)) {}

  // Runs the call; it becomes a task if it is still open after `patience`. Where too many tasks work, of this caller or
  // at all, it stays a call: false, and nothing was run. Tasks that are over make room, the oldest first.
  bool Run(const CallPtr& call, Duration patience, const std::function<void()>& run);

  // What `tasks/get` answers, valid until the next call.
  struct State {
    const json::Object& shown;
    std::string_view result;  // JSON text, of a completed task; else ""
  };
  // The methods; false, nullopt: there is no such task.
  std::optional<State> Get(const std::string& id);
  bool Supply(const std::string& id, const json::Object& responses);
  bool Cancel(const std::string& id);

  static constexpr std::size_t kMaxTasks = 500;
  static constexpr std::size_t kMaxOfCaller = 50;              // per address
  static constexpr Duration kKept = std::chrono::minutes(15);  // from its beginning
  static constexpr Duration kPollEvery = std::chrono::seconds(1);

 private:
  struct Entry {
    std::string from;  // whose it is, for the limit
    Instant expires;
    Time updated;
    CallPtr call;          // while it works
    json::Object shown;    // as `tasks/get` answers, without the result
    bool begun = false;    // its client knows of it
    std::string result{};  // as text, which takes a third of the memory
    Lease memory{};        // of the result
  };
  using EntryPtr = std::shared_ptr<Entry>;

  void DropOld();
  // Nobody may call for long.
  void DropOldInTime();
  // Whether one more fits, perhaps because the oldest one that is over was dropped.
  bool MakeRoom(const std::string& from);
  bool DropOldestOver(const std::string* from);  // null: of anyone
  void Begin(const std::string& id, const EntryPtr& entry);
  void Show(Entry& entry, std::string_view status);
  void End(const EntryPtr& entry, std::string_view status);
  void Completed(const EntryPtr& entry, json::Object result, Payer* payer);
  void Failed(const EntryPtr& entry, Failure failure);
  EntryPtr Find(const std::string& id);

  Scheduler& scheduler_;
  const std::string prefix_;
  std::unordered_map<std::string, EntryPtr> entries_;
  ScopedTimer old_timer_;
};

}  // namespace openseat::mcp
