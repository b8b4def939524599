#include "store/sqlite_journal.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "base/budget.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/loop_bill.h"
#include "store/journal_file.h"
#include "store/journal_format.h"

namespace openseat::store {
namespace {

// One transaction takes at most about this much of each lane, so under a flood the first appends of a backlog do not
// wait for the last, and appends that need an answer do not wait for expendable ones.
constexpr std::array<std::size_t, 2> kTransactionBytes{std::size_t{8} << 20, std::size_t{1} << 20};

// How soon to retry when the journal cannot be written.
constexpr Duration kProbeEvery = std::chrono::seconds(1);

class ReadOnlyJournal final : public Journal {
 public:
  explicit ReadOnlyJournal(std::unique_ptr<JournalReader> reader) : reader_(std::move(reader)) {}

  void Append(const TableId&, Seq, std::vector<Event>, Scheduler& scheduler, AppendDone done, AppendTerms) override {
    if (!done) return;
    scheduler.Post([done = std::move(done)] { done(Fail(ErrorCode::kDenied, "the journal was opened read-only")); });
  }
  Result<std::vector<StoredEvent>> Read(const TableId& table, Seq after, std::size_t limit) override {
    return reader_->Read(table, after, limit);
  }
  Result<std::vector<TableRecord>> Tables(std::size_t limit, std::uint64_t before) override {
    return reader_->Tables(limit, before);
  }
  Result<std::vector<TableRecord>> OpenTables(std::size_t limit, std::uint64_t after) override {
    return reader_->OpenTables(limit, after);
  }
  Result<TableRecord> Find(const TableId& table) override { return reader_->Find(table); }
  Result<void> Flush() override { return {}; }

 private:
  std::unique_ptr<JournalReader> reader_;
};

}  // namespace

Result<std::unique_ptr<SqliteJournal>> SqliteJournal::Open(const std::string& path, SqliteJournalOptions options) {
  Result<FileLock> lock = FileLock::Acquire(path + ".lock");
  if (!lock) return Fail(lock.error());
  if (Result<void> whole = CheckJournalMark(path); !whole) return Fail(whole.error());
  Result<Database> database = OpenJournalForWriting(path);
  if (!database) return Fail(database.error());
  Result<std::unique_ptr<JournalWriter>> writer = JournalWriter::Create(std::move(*database), path, options.room);
  if (!writer) return Fail(writer.error());
  Result<std::unique_ptr<JournalReader>> reader = JournalReader::Open(path);
  if (!reader) return Fail(reader.error());
  Result<MarkFile> mark = OpenJournalMark(path);
  if (!mark) return Fail(mark.error());
  return std::unique_ptr<SqliteJournal>(
      new SqliteJournal(options, std::move(*lock), std::move(*mark), std::move(*writer), std::move(*reader)));
}

Result<std::unique_ptr<Journal>> SqliteJournal::OpenReadOnly(const std::string& path) {
  Result<std::unique_ptr<JournalReader>> reader = JournalReader::Open(path);
  if (!reader) return Fail(reader.error());
  return std::unique_ptr<Journal>(new ReadOnlyJournal(std::move(*reader)));
}

SqliteJournal::JournalMetrics::JournalMetrics(Metrics* metrics) {
  if (metrics == nullptr) return;
  commit = &metrics->AddHistogram(
      "openseat_journal_commit_seconds", "How long a journal commit took.",
      {1e-4, 2.5e-4, 5e-4, 1e-3, 2.5e-3, 5e-3, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10});
  events = &metrics->AddCounter("openseat_journal_events_total", "Events that the journal committed.");
  failures = &metrics->AddCounter("openseat_journal_failures_total", "Appends that the journal could not write.");
  over_max = &CountRefused(*metrics, Limit::kJournalRoom);
  over_backlog = &CountRefused(*metrics, Limit::kJournalBacklog);
  bytes = &metrics->AddGauge("openseat_journal_bytes", "Size of the journal's database.");
  free = &metrics->AddGauge("openseat_journal_free_bytes", "How much of the journal's database is unused.");
  const auto tables = [&](const char* state) {
    return &metrics->AddGauge("openseat_journal_tables", "Tables in the journal.", {{"state", state}});
  };
  open = tables("open");
  closed = tables("closed");
  writable = &metrics->AddGauge("openseat_journal_writable", "1 while the journal can be written, else 0.");
}

SqliteJournal::SqliteJournal(SqliteJournalOptions options, FileLock lock, MarkFile mark,
                             std::unique_ptr<JournalWriter> writer, std::unique_ptr<JournalReader> reader)
    : options_(options),
      lock_(std::move(lock)),
      writer_(std::move(writer)),
      reader_(std::move(reader)),
      mark_(std::move(mark)),
      next_prune_(SystemClock().Monotonic()),
      metrics_(options.metrics),
      thread_([this] { WriterMain(); }) {}

SqliteJournal::~SqliteJournal() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  work_.notify_one();
  thread_.join();
}

void SqliteJournal::Append(const TableId& table, Seq expected, std::vector<Event> events, Scheduler& scheduler,
                           AppendDone done, AppendTerms terms) {
  std::size_t bytes = MemoryOf(table, events);
  bool wake = false;
  {
    std::unique_lock lock(mutex_);
    bool refused = false;
    if (terms.expendable) {
      // It still has its place in the queue: a table's appends are answered in order.
      refused = backlog_ > options_.backlog_bytes / 3 * 2;
      if (refused) {
        events = {};
        bytes = MemoryOf(table, events);
      }
    } else {
      settled_.wait(lock, [this] { return backlog_ < options_.backlog_bytes || backlog_ == 0; });
    }
    Lane& lane = lanes_[terms.expendable ? kExpendable : kAnswered];
    lane.queue.push_back({table, expected, std::move(events), &scheduler, std::move(done), bytes, terms, refused});
    ++lane.appended;
    backlog_ += bytes;
    wake = std::exchange(writer_idle_, false);
  }
  if (wake) work_.notify_one();
}

Result<std::vector<StoredEvent>> SqliteJournal::Read(const TableId& table, Seq after, std::size_t limit) {
  Settle();
  return reader_->Read(table, after, limit);
}

Result<std::vector<TableRecord>> SqliteJournal::Tables(std::size_t limit, std::uint64_t before) {
  Settle();
  return reader_->Tables(limit, before);
}

Result<std::vector<TableRecord>> SqliteJournal::OpenTables(std::size_t limit, std::uint64_t after) {
  Settle();
  return reader_->OpenTables(limit, after);
}

Result<TableRecord> SqliteJournal::Find(const TableId& table) {
  Settle();
  return reader_->Find(table);
}

void SqliteJournal::Settle() {
  std::unique_lock lock(mutex_);
  const LaneCounts target{lanes_[kAnswered].appended, lanes_[kExpendable].appended};
  settled_.wait(lock, [this, target] { return IsSettled(target); });
}

Result<void> SqliteJournal::Flush() {
  Settle();
  const std::lock_guard lock(mutex_);
  if (const std::optional<Error> failure = std::exchange(unflushed_failure_, std::nullopt)) return Fail(*failure);
  return {};
}

Result<std::size_t> SqliteJournal::RunOnWriter(std::function<Result<std::size_t>(JournalWriter&)> body) {
  std::optional<Result<std::size_t>> result;
  std::unique_lock lock(mutex_);
  commands_.push_back([this, &result, &body](JournalWriter& writer) {
    Result<std::size_t> got = body(writer);
    const std::lock_guard inner(mutex_);
    result = std::move(got);
  });
  writer_idle_ = false;
  work_.notify_one();
  settled_.wait(lock, [&result] { return result.has_value(); });
  return *result;
}

Result<std::size_t> SqliteJournal::Forget(const TableId& table) {
  return RunOnWriter([&table](JournalWriter& writer) { return writer.Forget(table); });
}

Result<std::size_t> SqliteJournal::Prune(Time now) {
  if (!options_.keep_closed) return std::size_t{0};
  return RunOnWriter(
      [oldest = now - *options_.keep_closed](JournalWriter& writer) { return writer.ForgetOlder(oldest); });
}

SqliteJournal::Stats SqliteJournal::stats() const {
  const std::lock_guard lock(mutex_);
  Stats out = stats_;
  out.backlog_bytes = backlog_;
  return out;
}

Result<void> SqliteJournal::Writable() const {
  const std::lock_guard lock(mutex_);
  if (failure_) return Fail(*failure_);
  return {};
}

Instant SqliteJournal::NextWake() const {
  Instant next = Instant::max();
  if (failure_) next = next_probe_;
  if (options_.keep_closed && options_.prune_every) next = std::min(next, next_prune_);
  return next;
}

void SqliteJournal::TakeQueues() {
  for (Lane& lane : lanes_) {
    if (lane.next < lane.taken.size()) continue;
    lane.taken.clear();
    lane.next = 0;
    lane.taken.swap(lane.queue);
  }
}

void SqliteJournal::WriterMain() noexcept {
  std::vector<Command> commands;
  LaneCounts before_commands{};  // appends before the commands go first
  // Also collects tables that were deleted in an earlier run.
  bool garbage = true;
  const auto idle = [&] {
    return lanes_[kAnswered].empty() && lanes_[kExpendable].empty() && commands_.empty() && commands.empty();
  };
  for (;;) {
    {
      std::unique_lock lock(mutex_);
      while (idle() && !stopping_ && !garbage) {
        const Instant wake = NextWake();
        if (wake <= SystemClock().Monotonic()) break;
        writer_idle_ = true;
        if (wake == Instant::max()) {
          work_.wait(lock);
        } else {
          work_.wait_until(lock, wake);
        }
      }
      writer_idle_ = false;
      if (idle() && stopping_) return;
      TakeQueues();
      if (commands.empty() && !commands_.empty()) {
        commands.swap(commands_);
        before_commands = {lanes_[kAnswered].appended, lanes_[kExpendable].appended};
      }
    }
    CommitSome();
    if (!commands.empty() && IsSettled(before_commands)) {
      for (const Command& command : commands) command(*writer_);
      commands.clear();
      garbage = true;
      settled_.notify_all();
    }
    if (failure_ && SystemClock().Monotonic() >= next_probe_) NoteHealth(writer_->Probe());
    garbage = PruneWhenDue() || garbage;
    if (garbage) {
      // Stops on failure; the next Forget, or the next start, tries again.
      const Result<bool> more = writer_->CollectGarbage();
      garbage = more && *more;
    }
    ShowTotals();
  }
}

bool SqliteJournal::PruneWhenDue() {
  if (!options_.keep_closed || !options_.prune_every) return false;
  const SystemClock clock;
  if (clock.Monotonic() < next_prune_) return false;
  next_prune_ = clock.Monotonic() + *options_.prune_every;
  const Result<std::size_t> forgotten = writer_->ForgetOlder(clock.Now() - *options_.keep_closed);
  if (!forgotten) {
    log::Warn("journal: cannot delete old tables now: {}", forgotten.error().message);
    return false;
  }
  if (*forgotten > 0) log::Info("journal: deleted {} tables that were closed long enough ago", *forgotten);
  return *forgotten > 0;
}

void SqliteJournal::Mark() {
  mark_.Write({writer_->totals().last_chunk, SystemClock().Now()});
}

void SqliteJournal::ShowTotals() {
  if (options_.metrics == nullptr) return;
  const JournalTotals& totals = writer_->totals();
  metrics_.bytes->Set(static_cast<std::int64_t>(totals.file_bytes));
  metrics_.free->Set(static_cast<std::int64_t>(totals.free_bytes));
  metrics_.open->Set(static_cast<std::int64_t>(totals.open_tables));
  metrics_.closed->Set(static_cast<std::int64_t>(totals.closed_tables));
  metrics_.writable->Set(failure_ ? 0 : 1);
  metrics_.over_max->Add(writer_->refused() - std::exchange(refused_counted_, writer_->refused()));
}

void SqliteJournal::CommitSome() {
  std::size_t bytes = 0;
  LaneCounts counts{};
  for (std::size_t i = 0; i < kLanes; ++i) {
    Lane& lane = lanes_[i];
    for (std::size_t taken = 0; lane.next < lane.taken.size() && taken < kTransactionBytes[i]; ++counts[i]) {
      AppendRequest& request = lane.taken[lane.next++];
      taken += request.bytes;
      bytes += request.bytes;
      batch_.push_back(std::move(request));
    }
  }
  if (batch_.empty()) return;
  std::size_t events = 0;
  const Instant begun = metrics_.commit == nullptr ? Instant() : SystemClock().Monotonic();
  const Result<void> written = writer_->Commit(batch_, results_);

  std::size_t failed = 0;
  std::size_t refused = 0;
  for (std::size_t i = 0; i < batch_.size(); ++i) {
    if (results_[i]) {
      events += batch_[i].events.size();
    } else if (results_[i].error().code == ErrorCode::kIo) {
      ++failed;
    }
    if (batch_[i].refused) ++refused;
  }
  // Acknowledged only now, so the mark never claims anything unsynced.
  if (events > 0) Mark();
  if (metrics_.commit != nullptr) {
    if (events > 0) {
      metrics_.commit->Observe(std::chrono::duration<double>(SystemClock().Monotonic() - begun).count());
    }
    metrics_.events->Add(events);
    metrics_.failures->Add(failed);
    metrics_.over_backlog->Add(refused);
  }
  if (!written || events > 0) NoteHealth(written);
  ShowTotals();
  // Before any waiting caller continues: Flush also means that the answers are on their way.
  Answer();
  batch_.clear();
  {
    const std::lock_guard lock(mutex_);
    if (!written) unflushed_failure_ = written.error();
    for (std::size_t i = 0; i < kLanes; ++i) lanes_[i].settled += counts[i];
    backlog_ -= bytes;
    stats_.events += events;
    stats_.transactions += 1;
    stats_.failures += failed;
  }
  settled_.notify_all();
}

void SqliteJournal::Answer() {
  struct Answered {
    Billed<AppendDone> done;
    Result<Seq> result;
  };
  using Answers = std::vector<Answered>;
  // As many entries as shards: a search starting at the last one found is short.
  std::vector<std::pair<Scheduler*, Answers>> schedulers;
  for (std::size_t i = 0; i < batch_.size(); ++i) {
    AppendRequest& request = batch_[i];
    if (results_[i] && request.terms.failures_only) continue;
    if (!request.done) {
      if (!results_[i]) {
        log::Error("journal: an append to table {} failed: {}", request.table.str(), results_[i].error().message);
      }
      continue;
    }
    auto found = std::find_if(schedulers.begin(), schedulers.end(),
                              [&request](const auto& entry) { return entry.first == request.scheduler; });
    if (found == schedulers.end()) found = schedulers.insert(schedulers.end(), {request.scheduler, Answers()});
    found->second.push_back({std::move(request.done), std::move(results_[i])});
  }
  for (auto& [scheduler, answers] : schedulers) {
    scheduler->Post([given = std::move(answers)]() mutable {
      for (Answered& answered : given) answered.done(std::move(answered.result));
    });
  }
}

void SqliteJournal::NoteHealth(const Result<void>& written) {
  if (written && !failure_) return;
  const Instant now = SystemClock().Monotonic();
  // If only some appends find room, do not log each change.
  if (written && now < next_probe_) return;
  if (!written) next_probe_ = now + kProbeEvery;
  const bool changed = written.has_value() == failure_.has_value();
  {
    const std::lock_guard lock(mutex_);
    if (written) {
      failure_.reset();
    } else {
      failure_ = written.error();
    }
  }
  if (!changed) return;
  if (!written) {
    log::Error("journal: {}; appends are refused until it works again", written.error().message);
  } else {
    log::Info("journal: writing works again");
  }
}

}  // namespace openseat::store
