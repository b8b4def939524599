// Transcript: the writing end of one table's journal. Gathers what happens in a turn of the loop and appends it at
// once. One thread: the table's.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/journal.h"

namespace openseat {

class Transcript {
 public:
  // `journal` and `scheduler` outlive it. `last_seq` is 0 for a new table.
  Transcript(Journal& journal, Scheduler& scheduler, TableId table, Seq last_seq = 0);
  ~Transcript();  // appends what is left

  // Returns the event's number. It is appended when the scheduler's current task is over, at the latest.
  Seq Add(EventKind kind, std::string payload);
  // Adds the event and appends at once what has gathered; `done` runs when it is durable, or with the reason why it is
  // not.
  void Commit(EventKind kind, std::string payload, Journal::AppendDone done);
  // Appends what has gathered now.
  void Flush();

  const TableId& table() const { return table_; }
  Seq last_seq() const { return appended_ + pending_.size(); }

 private:
  void Append(Journal::AppendDone done);

  Journal& journal_;
  Scheduler& scheduler_;
  const TableId table_;
  Seq appended_;
  std::vector<Event> pending_;
  std::shared_ptr<Transcript*> self_;  // null inside once this is gone
  bool flush_posted_ = false;
};

}  // namespace openseat
