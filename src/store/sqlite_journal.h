// SqliteJournal: the journal in one SQLite file, for one process. docs/formats/journal.md describes the file and how it
// is written.
//
// A dedicated thread commits: it takes what has gathered since its last commit, makes it one transaction, syncs, posts
// the answers and repeats, without a timer. Alone, an append is durable after one sync; under load, one sync serves
// thousands. Expendable events wait in a separate lane, so that appends that need an answer from the disk never queue
// behind a stranger's recording. Every member may be called from any thread, but not from a scheduler that runs
// tasks inside Post.
#pragma once

#include <array>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/metrics.h"
#include "base/result.h"
#include "base/time.h"
#include "core/journal.h"
#include "store/file_lock.h"
#include "store/journal_reader.h"
#include "store/journal_writer.h"
#include "store/mark.h"

namespace openseat::store {

struct SqliteJournalOptions {
  // Append blocks while this much waits to be written. Expendable events never wait: above two thirds of it, they are
  // refused.
  std::size_t backlog_bytes = std::size_t{96} << 20;
  // Prune deletes closed tables whose latest event is older. nullopt: all are kept.
  std::optional<Duration> keep_closed;
  // How often the journal prunes itself while it is open; the first time at once. nullopt: never.
  std::optional<Duration> prune_every;
  // Maximum size of the file; beyond that, appends fail with kIo.
  JournalRoom room;
  Metrics* metrics = nullptr;  // updated here; outlives the journal
};

class SqliteJournal final : public Journal {
 public:
  // Opens the file, or creates it with mode 0600 (the directory must exist). kConflict while another process, or
  // another object in this one, has it open for writing; kInvalid if it is another program's or not a file;
  // kUnsupported if a later version wrote it; kParse if it is damaged, or lacks acknowledged events; kIo
  // if it cannot be opened.
  static Result<std::unique_ptr<SqliteJournal>> Open(const std::string& path, SqliteJournalOptions options = {});

  // Read-only, with or without a concurrent writer. Sees committed data. Append answers kDenied.
  // Errors as for Open, and kNotFound if there is no file.
  static Result<std::unique_ptr<Journal>> OpenReadOnly(const std::string& path);

  // Writes what is still waiting. REQUIRES that no call is in progress, and that the schedulers of unanswered appends
  // still exist.
  ~SqliteJournal() override;

  // After an I/O failure (a full disk), every affected append is answered with kIo and none of it is in the file.
  // Later ones are tried again, so the journal recovers when the disk does. kInvalid if a table's first event
  // is not kOpened; kTooLarge if a payload exceeds kMaxPayloadBytes.
  void Append(const TableId& table, Seq expected, std::vector<Event> events, Scheduler& scheduler, AppendDone done,
              AppendTerms terms = {}) override;
  // Read, Tables and OpenTables flush first. Read fails with kParse if the table's part of the file is damaged; it is
  // then listed with an empty payload.
  Result<std::vector<StoredEvent>> Read(const TableId& table, Seq after, std::size_t limit) override;
  Result<std::vector<TableRecord>> Tables(std::size_t limit, std::uint64_t before = kNewest) override;
  Result<std::vector<TableRecord>> OpenTables(std::size_t limit, std::uint64_t after) override;
  Result<TableRecord> Find(const TableId& table) override;
  // kIo if an append failed on I/O since the last Flush, so callers without `done` learn of it too.
  Result<void> Flush() override;

  // Whether the journal is writable, or why not. While it is not, it is retried every second.
  Result<void> Writable() const;

  // Permanently deletes a closed table and returns how many events it had; its name may be reused. Returns when the
  // table is no longer visible; the space is freed in the background, for new events or to the file system.
  // kNotFound, or kConflict while it is open.
  Result<std::size_t> Forget(const TableId& table);
  // Deletes every closed table whose latest event is older than keep_closed allows, and returns their number. An
  // open one is never deleted: a match may be paused.
  Result<std::size_t> Prune(Time now);

  struct Stats {
    std::uint64_t events = 0;        // committed since Open
    std::uint64_t transactions = 0;  // transactions for those
    std::uint64_t failures = 0;      // appends answered with kIo
    std::size_t backlog_bytes = 0;   // waiting now
  };
  Stats stats() const;

 private:
  using Command = std::function<void(JournalWriter&)>;
  // Null if nobody counts.
  struct JournalMetrics {
    explicit JournalMetrics(Metrics* metrics);
    Histogram* commit = nullptr;
    Counter* events = nullptr;
    Counter* failures = nullptr;
    Counter* over_max = nullptr;
    Counter* over_backlog = nullptr;
    Gauge* bytes = nullptr;
    Gauge* free = nullptr;
    Gauge* open = nullptr;
    Gauge* closed = nullptr;
    Gauge* writable = nullptr;
  };

  SqliteJournal(SqliteJournalOptions options, FileLock lock, MarkFile mark, std::unique_ptr<JournalWriter> writer,
                std::unique_ptr<JournalReader> reader);

  // Appends that are committed in their order.
  struct Lane {
    // Guarded by mutex_:
    std::vector<AppendRequest> queue;
    std::uint64_t appended = 0;  // calls of Append so far
    std::uint64_t settled = 0;   // of those, how many are settled
    // The writer thread's: what it has taken from the queue, and how much of that is committed.
    std::vector<AppendRequest> taken{};
    std::size_t next = 0;

    // Guarded by mutex_, on the writer thread.
    bool empty() const { return queue.empty() && next == taken.size(); }
  };
  enum : std::uint8_t { kAnswered, kExpendable, kLanes };  // those who wait for an answer, and recordings
  using LaneCounts = std::array<std::uint64_t, kLanes>;

  void WriterMain() noexcept;
  // Takes over appended requests for the writer. Guarded by mutex_.
  void TakeQueues();
  // Commits one transaction's worth of the requests taken, each lane's share.
  void CommitSome();
  // Posts the answers to batch_: one task per scheduler.
  void Answer();
  // Logs that writing failed or works again; once per change.
  void NoteHealth(const Result<void>& written);
  void Mark();
  // Returns whether something was deleted.
  bool PruneWhenDue();
  void ShowTotals();
  // When the writer has something to do without a request.
  Instant NextWake() const;
  // Waits until everything appended before is settled: durable or failed.
  void Settle();
  // Whether this many of each lane are settled. Guarded by mutex_, or on the writer thread.
  bool IsSettled(const LaneCounts& target) const {
    return lanes_[kAnswered].settled >= target[kAnswered] && lanes_[kExpendable].settled >= target[kExpendable];
  }
  // Runs `body` on the writer's thread, between two transactions, and returns its result.
  Result<std::size_t> RunOnWriter(std::function<Result<std::size_t>(JournalWriter&)> body);

  const SqliteJournalOptions options_;
  const FileLock lock_;
  // The reader's connections close before the writer's, which, as the last one, can empty the write-ahead log.
  const std::unique_ptr<JournalWriter> writer_;  // the writer thread's
  const std::unique_ptr<JournalReader> reader_;
  // The writer thread's:
  MarkFile mark_;
  std::vector<AppendRequest> batch_;  // of one transaction
  std::vector<Result<Seq>> results_;  // of batch_
  Instant next_probe_;                // while failure_
  Instant next_prune_;
  std::uint64_t refused_counted_ = 0;
  JournalMetrics metrics_;

  mutable std::mutex mutex_;
  std::condition_variable work_;     // for the writer: something to do
  std::condition_variable settled_;  // for callers: a transaction is done
  std::array<Lane, kLanes> lanes_;
  std::vector<Command> commands_;
  bool writer_idle_ = false;
  bool stopping_ = false;
  std::size_t backlog_ = 0;                 // bytes appended but not settled
  std::optional<Error> unflushed_failure_;  // I/O failure; the next Flush returns it
  std::optional<Error> failure_;            // why writing does not work
  Stats stats_;

  std::thread thread_;  // last: it uses all of the above
};

}  // namespace openseat::store
