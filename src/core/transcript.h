// Transcript: the writing end of one table's journal. Gathers what happens in a turn of the loop and appends it at
// once. One thread: the table's.
//
// What the journal refuses (a full disk, a limit) is missing from the record, and the transcript goes on: as soon as
// the journal takes events again the next one is kGap, which says how many are missing since when, and why. A commit
// that was refused is told so, and is not written later.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/budget.h"
#include "base/scheduler.h"
#include "core/journal.h"

namespace openseat {

class Transcript {
 public:
  // `journal` and `scheduler` outlive it. `last_seq` is 0 for a new table.
  Transcript(Journal& journal, Scheduler& scheduler, TableId table, Seq last_seq = 0);
  // Of a game that goes on without its record. `payer`: whose limits say what the record may take, in all and a second
  // (PeerLimits::max_journal_bytes, journal_bytes); null: anything.
  Transcript(Journal& journal, Scheduler& scheduler, TableId table, std::shared_ptr<const Payer> payer);
  // Appends what is left. Where the last event (kClosed) cannot be written, that is tried again until it is, or until
  // the scheduler goes.
  ~Transcript();
  Transcript(const Transcript&) = delete;
  Transcript& operator=(const Transcript&) = delete;

  // Returns the event's number; 0 while nothing can be written: the event is not kept then. It is appended when the
  // scheduler's current task is over, at the latest.
  Seq Add(EventKind kind, std::string payload);
  // Adds events of one kind, which happened at `time`, and appends at once what has gathered; `done` runs when they are
  // durable, or with the reason why none of them is.
  void Commit(EventKind kind, Time time, std::vector<std::string> payloads, Journal::AppendDone done);
  // Appends what has gathered now.
  void Flush();

  // Called when a gap begins, with the reason, and when what follows it is recorded. Set before the first event.
  void OnGap(std::function<void(const std::string& reason)> began);
  void OnGoesOn(std::function<void()> goes_on);

  const TableId& table() const;
  // As far as it is known: appends that are under way count.
  Seq last_seq() const;
  // Another writer has this table: nothing is written here any more.
  bool fenced() const;

 private:
  class Record;
  std::shared_ptr<Record> record_;
};

}  // namespace openseat
