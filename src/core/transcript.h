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
#include <optional>
#include <string>
#include <vector>

#include "base/budget.h"
#include "base/rate_limit.h"
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
  ~Transcript();  // appends what is left
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
  void OnGap(std::function<void(const std::string& reason)> began) { gap_began_ = std::move(began); }
  void OnGoesOn(std::function<void()> goes_on) { goes_on_ = std::move(goes_on); }

  const TableId& table() const { return table_; }
  // As far as it is known: appends that are under way count.
  Seq last_seq() const { return appended_ + pending_.size(); }
  // Another writer has this table: nothing is written here any more.
  bool fenced() const { return fenced_; }

 private:
  struct Gap {
    std::uint64_t lost = 0;
    Time since;
    std::string reason;
    bool for_good = false;  // only the table's last event ends it
  };

  // An append that is under way.
  struct Sent {
    std::uint32_t epoch;
    Seq expected;
    std::size_t commits;
    bool closes_gap;  // it begins with a kGap
  };

  Transcript(Journal& journal, Scheduler& scheduler, TableId table, Seq last_seq, bool expendable,
             std::shared_ptr<const Payer> payer);
  // `commits`: how many of what is appended is the caller's business, who is told.
  void Append(Journal::AppendDone done, std::size_t commits = 0);
  // What became of an append; an error may become the one that caused it.
  void Answered(const Sent& sent, Result<Seq>& result);
  void BeginGap(std::string reason, bool for_good);
  void TryAgain();
  // Whether the limits let an event of that size be recorded; where not, a gap has begun.
  bool Admit(std::size_t payload_bytes);
  // Whether something may be recorded now.
  bool Refill();

  Journal& journal_;
  Scheduler& scheduler_;
  const TableId table_;
  const bool expendable_;
  const std::shared_ptr<const Payer> payer_;
  const std::uint64_t max_bytes_;  // 0: no limit
  const RateLimit rate_;
  std::function<void(const std::string& reason)> gap_began_;
  std::function<void()> goes_on_;

  Seq appended_;
  std::vector<Event> pending_;
  std::optional<Event> opening_;  // kept until it is known to be in the journal
  // Raised when an append fails: the answers to what was under way behind it say nothing new.
  std::uint32_t epoch_ = 0;
  std::size_t commits_under_way_ = 0;  // events of them
  std::optional<Gap> gap_;             // nothing is appended but a commit and what tries again
  std::optional<Gap> closing_;         // its kGap is on its way to the journal
  Error refused_;                      // why the last append failed
  bool fenced_ = false;
  ScopedTimer retry_;
  std::uint64_t bytes_ = 0;  // recorded so far
  double allowance_ = 0;     // bytes that may be recorded now
  Instant allowance_at_;

  std::shared_ptr<Transcript*> self_;  // null inside once this is gone
  bool flush_posted_ = false;
};

}  // namespace openseat
