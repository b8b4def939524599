#include "store/sqlite_journal.h"

#include <algorithm>
#include <iterator>
#include <span>
#include <utility>

#include "base/log.h"
#include "store/journal_file.h"

namespace openseat::store {
namespace {

// One transaction takes at most about this much, so that under a flood the first appends of a backlog do not wait for
// the last.
constexpr std::size_t kTransactionBytes = std::size_t{8} << 20;

// What a queued event takes besides its payload.
constexpr std::size_t kEventOverhead = sizeof(Event) + 32;

class ReadOnlyJournal final : public Journal {
 public:
  explicit ReadOnlyJournal(std::unique_ptr<JournalReader> reader) : reader_(std::move(reader)) {}

  void Append(const TableId&, Seq, std::vector<Event>, Scheduler& scheduler, AppendDone done) override {
    if (!done) return;
    scheduler.Post(
        [done = std::move(done)] { done(Fail(ErrorCode::kDenied, "the journal was opened for reading alone")); });
  }
  Result<std::vector<StoredEvent>> Read(const TableId& table, Seq after, std::size_t limit) override {
    return reader_->Read(table, after, limit);
  }
  Result<std::vector<TableRecord>> Tables(std::size_t limit, std::uint64_t before) override {
    return reader_->Tables(limit, before);
  }
  Result<void> Flush() override { return {}; }

 private:
  std::unique_ptr<JournalReader> reader_;
};

}  // namespace

Result<std::unique_ptr<SqliteJournal>> SqliteJournal::Open(const std::string& path, SqliteJournalOptions options) {
  Result<FileLock> lock = FileLock::Acquire(path + ".lock");
  if (!lock) return Fail(lock.error());
  Result<Database> database = OpenJournalForWriting(path, options.max_bytes);
  if (!database) return Fail(database.error());
  Result<std::unique_ptr<JournalWriter>> writer = JournalWriter::Create(std::move(*database));
  if (!writer) return Fail(writer.error());
  Result<std::unique_ptr<JournalReader>> reader = JournalReader::Open(path);
  if (!reader) return Fail(reader.error());
  return std::unique_ptr<SqliteJournal>(
      new SqliteJournal(options, std::move(*lock), std::move(*writer), std::move(*reader)));
}

Result<std::unique_ptr<Journal>> SqliteJournal::OpenReadOnly(const std::string& path) {
  Result<std::unique_ptr<JournalReader>> reader = JournalReader::Open(path);
  if (!reader) return Fail(reader.error());
  return std::unique_ptr<Journal>(new ReadOnlyJournal(std::move(*reader)));
}

SqliteJournal::SqliteJournal(SqliteJournalOptions options, FileLock lock, std::unique_ptr<JournalWriter> writer,
                             std::unique_ptr<JournalReader> reader)
    : options_(options),
      lock_(std::move(lock)),
      writer_(std::move(writer)),
      reader_(std::move(reader)),
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
                           AppendDone done) {
  std::size_t bytes = sizeof(AppendRequest) + table.str().size();
  for (const Event& event : events) bytes += kEventOverhead + event.payload.size();
  bool wake = false;
  {
    std::unique_lock lock(mutex_);
    settled_.wait(lock, [this] { return backlog_ < options_.backlog_bytes || backlog_ == 0; });
    queue_.push_back({table, expected, std::move(events), &scheduler, std::move(done), bytes});
    backlog_ += bytes;
    ++appended_;
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

void SqliteJournal::Settle() {
  std::unique_lock lock(mutex_);
  settled_.wait(lock, [this, target = appended_] { return settled_count_ >= target; });
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

void SqliteJournal::WriterMain() noexcept {
  std::vector<AppendRequest> requests;
  std::vector<Command> commands;
  // Forgotten tables of an earlier run are collected too.
  bool garbage = true;
  for (;;) {
    {
      std::unique_lock lock(mutex_);
      while (queue_.empty() && commands_.empty() && !stopping_ && !garbage) {
        writer_idle_ = true;
        work_.wait(lock);
      }
      writer_idle_ = false;
      if (queue_.empty() && commands_.empty() && stopping_) return;
      requests.swap(queue_);
      commands.swap(commands_);
    }
    for (std::size_t at = 0; at < requests.size();) at = CommitSome(requests, at);
    requests.clear();
    for (const Command& command : commands) {
      command(*writer_);
      garbage = true;
    }
    if (!commands.empty()) settled_.notify_all();
    commands.clear();
    if (garbage) {
      // Stops at a failure; the next Forget, or the next start, tries again.
      const Result<bool> more = writer_->CollectGarbage();
      garbage = more && *more;
    }
  }
}

std::size_t SqliteJournal::CommitSome(std::vector<AppendRequest>& requests, std::size_t begin) {
  std::size_t end = begin;
  std::size_t bytes = 0;
  std::size_t events = 0;
  while (end < requests.size() && bytes < kTransactionBytes) {
    bytes += requests[end].bytes;
    ++end;
  }
  const std::span<AppendRequest> batch(requests.begin() + static_cast<std::ptrdiff_t>(begin), end - begin);
  const Result<void> written = writer_->Commit(batch, results_);

  std::size_t failed = 0;
  for (std::size_t i = 0; i < batch.size(); ++i) {
    if (results_[i]) {
      events += batch[i].events.size();
    } else if (results_[i].error().code == ErrorCode::kIo) {
      ++failed;
    }
  }
  if (!written || events > 0) NoteHealth(written);
  // Before anybody who waits goes on: Flush means that the answers are on their way too.
  Answer(batch);
  for (AppendRequest& request : batch) request.events = {};
  {
    const std::lock_guard lock(mutex_);
    if (!written) unflushed_failure_ = written.error();
    settled_count_ += batch.size();
    backlog_ -= bytes;
    stats_.events += events;
    stats_.transactions += 1;
    stats_.failures += failed;
  }
  settled_.notify_all();
  return end;
}

void SqliteJournal::Answer(std::span<AppendRequest> requests) {
  using Answers = std::vector<std::pair<AppendDone, Result<Seq>>>;
  // As many entries as there are shards: a search from the last one found is short.
  std::vector<std::pair<Scheduler*, Answers>> schedulers;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    AppendRequest& request = requests[i];
    if (!request.done) {
      if (!results_[i]) {
        log::Error("journal: an append to table {} failed: {}", request.table.str(), results_[i].error().message);
      }
      continue;
    }
    auto found = std::find_if(schedulers.begin(), schedulers.end(),
                              [&request](const auto& entry) { return entry.first == request.scheduler; });
    if (found == schedulers.end()) found = schedulers.insert(schedulers.end(), {request.scheduler, Answers()});
    found->second.emplace_back(std::move(request.done), std::move(results_[i]));
  }
  for (auto& [scheduler, answers] : schedulers) {
    scheduler->Post([given = std::move(answers)] {
      for (const auto& [done, result] : given) done(result);
    });
  }
}

void SqliteJournal::NoteHealth(const Result<void>& written) {
  if (written.has_value() != failing_) return;
  failing_ = !written;
  if (failing_) {
    log::Error("journal: {}; what is appended is refused until it works again", written.error().message);
  } else {
    log::Info("journal: writing works again");
  }
}

}  // namespace openseat::store
