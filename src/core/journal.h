// Journal: the port to the ordered, durable record of tables. Implementations: store/sqlite_journal.h,
// store/nats_journal.h, testing/memory_journal.h. docs/formats/journal.md describes the events' form.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/scheduler.h"
#include "base/task.h"
#include "base/time.h"
#include "core/ids.h"

namespace openseat {

// The kind of an event. The numbers are in journals forever: never reuse one. Payloads are JSON unless noted otherwise.
enum class EventKind : std::uint8_t {
  kOpened = 1,    // always a table's first: {"game", "kind": "hosted"|"remote", "seats": […], "options"?, "fork"?}
  kReceived = 2,  // a message from the game or a player, unchanged (text, possibly not JSON)
  kSent = 3,      // a message to the game or a player, unchanged
  kDecision = 4,  // {"seat", "decision", "attempt", "actions": [names], "priority"?}
  // At tables whose rules run elsewhere, and in older journals of hosted matches: {"seat", "choice", "decision"?,
  // "action", "data"? or "raw", "unchecked"?, "agent"}, and the game's answer to it: {"seat", "choice", "verdict":
  // "accepted"|"refused"|"timed-out"|"lost", "message"?, "result"?}
  kChoice = 5,
  kVerdict = 6,
  // A choice that did not count: at a hosted match because of the rules, elsewhere because it never reached the game.
  // {"seat", "decision"?, "action", "data"? or "raw", "unchecked"?, "bytes"?: how much was left out, "code", "message",
  // "agent"?: who chose}
  kRefusal = 7,
  kDecisionEnd = 8,  // {"seat", "decision", "end"}: withdrawn, replaced, given up, timed out (not: settled by a choice)
  kDiagnostic = 9,   // {"key", "severity", "message", "seq"?}
  kLink = 10,        // {"state": "connected"|"disconnected", "peer"?, "code"?, "reason"?}
  kAgent = 11,       // {"seat", "kind"}: who sat down there; a hosted match recovers nothing from it
  kNote = 12,        // {"text"}: for people
  kJoined = 14,      // {"seat", "name", "token"?: SHA-256 of what resumes the seat, "agent"?: who plays it}
  // {"seat", "decision"?, "action", "data"?, "result"?, "agent"?: who chose}: a choice that the rules accepted; a
  // hosted match is the fold of these. Older ones have no decision, result and agent
  kPlayed = 15,
  kEnded = 16,  // {"winners": [seats], "reason"}: an end that did not come from the rules
  // {"seat", "decision"?, "model", "step": "answer"|"failure"|"give-up", …}: what a model was asked and answered on the
  // way to a choice (docs/models.md)
  kModel = 17,
  // {"seat", "delivery", "event", "attempts", "status"?, "error"?, "dropped"?}: the result of a webhook
  // (docs/protocols/agent_api.md)
  kWebhook = 18,
  kHandedOver = 19,  // {"seat", "agent": {"kind", …}}: who plays a taken seat of a hosted match from now on
  // {"lost": events, "since": when the first of them happened, "reason"}: what is missing here because it could not be
  // written. Events from which a hosted match is recovered are never missing
  kGap = 20,
  // What players agree on around the board (docs/formats/journal.md): {"seat", "offer", "answer": "yes"|"no"}, or
  // {"offer": "rematch", "match", "invite"?}
  kOffer = 21,
  kTakenBack = 22,  // {"seat", "choices", "state"}: the position is again what it was that many choices ago
  kChat = 23,       // {"seat", "text"}: what a player said at the table
  // {"state"} or {"patch"}, "ended"?: {"winners", "reason"}: what spectators see as soon as the next event of a hosted
  // match counts (match/seen.h)
  kSeen = 24,
  // {"choices": [{"seat", "action", "data"?}]}: what had happened where a fork begins (match/fork.h)
  kForked = 25,
  kClosed = 13,  // always a table's last: {"reason"}
};

// "opened", "received" …; nullopt for a number that this version does not know.
std::optional<std::string_view> EventKindName(EventKind kind);

struct Event {
  EventKind kind;
  Time time;
  std::string payload;
};

// The most bytes that an event takes in addition to its payload: its kind, its time and its size.
inline constexpr std::size_t kEventOverhead = 16;

struct StoredEvent {
  Seq seq;
  Event event;
};

struct TableRecord {
  TableId id;
  Time opened;
  std::string opened_payload;  // of its kOpened event
  Seq last_seq = 0;
  bool closed = false;
  std::uint64_t number = 0;  // of the table in this journal; later tables have higher numbers
};

// How an append is handled.
struct AppendTerms {
  // Part of a record that its game can do without: refused first when room gets scarce, and written after everything
  // else. The same for all appends of a table.
  bool expendable = false;
  // Part of a stranger's match: leaves half of the journal's reserve to the matches of this machine and the
  // administrator. Written like everything else. The same for all appends of a table.
  bool of_stranger = false;
  // `done` is called only if the append failed.
  bool failures_only = false;
};

// The events of one Journal::Read, as far as its limits allow.
class EventPage {
 public:
  explicit EventPage(std::size_t limit) : limit_(limit) {}

  // False, and it is not taken, if the page is full.
  bool Add(StoredEvent event);
  bool full() const { return full_ || events_.size() >= limit_; }
  std::vector<StoredEvent> Take() { return std::move(events_); }

 private:
  const std::size_t limit_;
  std::size_t bytes_ = 0;
  bool full_ = false;
  std::vector<StoredEvent> events_;
};

class Journal {
 public:
  virtual ~Journal() = default;

  // Runs on the scheduler that was passed to Append.
  using AppendDone = Function<void(Result<Seq> last_seq)>;

  // Appends `events`, all or none, with numbers from expected + 1. `done` gets the last number once they are durable,
  // or kConflict if the table's last event is not `expected` (another writer, or an earlier append that failed), or
  // kIo: the disk, or a limit. A failed append may be tried again. The first append of a table has expected 0 and
  // begins with kOpened. Any thread; appends of one table are stored, and answered, in the order of the calls. Beyond
  // the backlog limit, an append is refused with kIo in its place, or, where an implementation says so, blocks. `done`
  // may be empty; errors are logged then.
  virtual void Append(const TableId& table, Seq expected, std::vector<Event> events, Scheduler& scheduler,
                      AppendDone done, AppendTerms terms = {}) = 0;

  // The payloads of one Read, unless a single event has more: a table may have more events than fit in memory.
  static constexpr std::size_t kReadBytes = std::size_t{4} << 20;
  // Events after number `after`, oldest first, at most `limit` and kReadBytes: only an empty answer says that there are
  // no more. kNotFound for an unknown table. Includes everything that was appended before the call, durable or not. Any
  // thread; reads the disk.
  virtual Result<std::vector<StoredEvent>> Read(const TableId& table, Seq after, std::size_t limit) = 0;
  static constexpr std::uint64_t kNewest = INT64_MAX;
  // Every table whose number is less than `before`, newest first, at most `limit`.
  virtual Result<std::vector<TableRecord>> Tables(std::size_t limit, std::uint64_t before = kNewest) = 0;
  // What a process that starts goes on with: the tables that are not closed, and that it owns (Owns), whose number is
  // greater than `after`, oldest first, at most `limit`. Nothing is read of closed tables, however many there are.
  virtual Result<std::vector<TableRecord>> OpenTables(std::size_t limit, std::uint64_t after) = 0;
  // One of them. kNotFound for an unknown table.
  virtual Result<TableRecord> Find(const TableId& table) = 0;
  // Returns when everything appended before is durable.
  virtual Result<void> Flush() = 0;
  // Whether a table of this name is this process's to record; if not, appends fail with kConflict. Where several
  // processes share a journal, that may change at any time. Any thread.
  virtual bool Owns(const TableId&) const { return true; }
};

// How many names a process draws for a new table until it owns one. A process that owns only one part of 64 misses it
// once in millions; one that owns none draws in vain, so this is also what a stranger can make it cost.
inline constexpr int kNameDraws = 1'000;

inline bool EventPage::Add(StoredEvent event) {
  bytes_ += event.event.payload.size();
  full_ = full() || (!events_.empty() && bytes_ > Journal::kReadBytes);
  if (!full_) events_.push_back(std::move(event));
  return !full_;
}

}  // namespace openseat
