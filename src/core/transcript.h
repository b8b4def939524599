// Transcript: the writing end of one table's journal. Gathers what happens in one turn of the loop and appends it
// together. One thread: the table's.
//
// Events that the journal refuses (a full disk, a limit) are missing from the record, and the transcript goes on: as
// soon as the journal accepts events again, the next one is kGap, which says how many are missing since when, and why.
// The caller of a commit that was refused is told, and the commit is not written later.
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
  // `journal` and `scheduler` outlive it. `last_seq` is 0 for a new table. `linger`: how long an added event may wait
  // for others, to be appended together; an append costs as much as several events.
  Transcript(Journal& journal, Scheduler& scheduler, TableId table, Seq last_seq = 0, Duration linger = Duration(0));
  // For a game that goes on without its record. `payer`: whose limits apply to the record's size and rate
  // (PeerLimits::max_journal_bytes, journal_bytes); null: no limits. While many appends have no answer, events wait up
  // to 64 KiB to be appended together; while very many have none, they are lost.
  Transcript(Journal& journal, Scheduler& scheduler, TableId table, std::shared_ptr<const Payer> payer,
             Duration linger = Duration(0), Seq last_seq = 0);
  // Appends what is left. If the last event (kClosed) cannot be written, this is tried again until it is written or the
  // scheduler is destroyed.
  ~Transcript();
  Transcript(const Transcript&) = delete;
  Transcript& operator=(const Transcript&) = delete;

  // Returns the event's number; 0 while nothing can be written: then the event is not kept. It is appended after the
  // scheduler's current task, or once it has lingered, at the latest.
  Seq Add(EventKind kind, std::string payload);
  // Adds events and immediately appends everything gathered; `done` runs when they are durable, or with the reason why
  // none of them is.
  void Commit(std::vector<Event> events, Journal::AppendDone done);
  // Appends everything gathered now.
  void Flush();

  // Called when a gap begins, with the reason, and when later events are recorded again. Set it before the first event.
  void OnGap(std::function<void(const std::string& reason)> began);
  void OnGoesOn(std::function<void()> goes_on);

  const TableId& table() const;
  // As far as known: appends in progress count.
  Seq last_seq() const;
  // Another writer has this table: nothing is written here any more.
  bool fenced() const;

 private:
  class Record;
  std::shared_ptr<Record> record_;
};

}  // namespace openseat
