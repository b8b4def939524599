// SqliteJournal: the journal in one SQLite file, for one process. docs/formats/journal.md describes the file and how it
// is written.
//
// A dedicated thread commits: it takes what has gathered since its last commit, makes it one transaction, syncs, posts
// the answers and repeats, without a timer. Alone, an append is durable after one sync; under load, one sync serves
// thousands. Every member may be called from any thread, but not from a scheduler that runs tasks inside Post.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "base/metrics.h"
#include "base/result.h"
#include "base/time.h"
#include "core/journal.h"
#include "store/file_lock.h"
#include "store/journal_mark.h"
#include "store/journal_reader.h"
#include "store/journal_writer.h"

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
  // Read and Tables flush first. Read fails with kParse if the table's part of the file is damaged; Tables then
  // lists the table with an empty payload.
  Result<std::vector<StoredEvent>> Read(const TableId& table, Seq after, std::size_t limit) override;
  Result<std::vector<TableRecord>> Tables(std::size_t limit, std::uint64_t before = kNewest) override;
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

  void WriterMain() noexcept;
  // Commits one transaction's worth from `requests` at `begin`; returns where the next one starts.
  std::size_t CommitSome(std::vector<AppendRequest>& requests, std::size_t begin);
  // Posts the answers: one task per scheduler.
  void Answer(std::span<AppendRequest> requests);
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
  // Runs `body` on the writer's thread, between two transactions, and returns its result.
  Result<std::size_t> RunOnWriter(std::function<Result<std::size_t>(JournalWriter&)> body);

  const SqliteJournalOptions options_;
  const FileLock lock_;
  // The reader's connections close before the writer's, which, as the last one, can empty the write-ahead log.
  const std::unique_ptr<JournalWriter> writer_;  // the writer thread's
  const std::unique_ptr<JournalReader> reader_;
  // The writer thread's:
  MarkFile mark_;
  std::vector<Result<Seq>> results_;
  Instant next_probe_;  // while failure_
  Instant next_prune_;
  std::uint64_t refused_counted_ = 0;
  JournalMetrics metrics_;

  mutable std::mutex mutex_;
  std::condition_variable work_;     // for the writer: something to do
  std::condition_variable settled_;  // for callers: a transaction is done
  std::vector<AppendRequest> queue_;
  std::vector<Command> commands_;
  bool writer_idle_ = false;
  bool stopping_ = false;
  std::size_t backlog_ = 0;                 // bytes appended but not settled
  std::uint64_t appended_ = 0;              // calls of Append so far
  std::uint64_t settled_count_ = 0;         // how many of those are settled; they settle in order
  std::optional<Error> unflushed_failure_;  // I/O failure; the next Flush returns it
  std::optional<Error> failure_;            // why writing does not work
  Stats stats_;

  std::thread thread_;  // last: it uses all of the above
};

}  // namespace openseat::store
