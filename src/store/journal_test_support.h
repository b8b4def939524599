// Shared by the tests of the journals: a temporary directory, a scheduler that other threads post to, events.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <limits>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/loop_bill.h"
#include "base/scheduler.h"
#include "core/journal.h"
#include "store/sqlite_journal.h"

namespace openseat::store {

class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    std::string name = (std::filesystem::temp_directory_path() / "openseat-store-XXXXXX").string();
    path_ = mkdtemp(name.data()) == nullptr ? std::filesystem::path() : std::filesystem::path(name);
  }
  ~TemporaryDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::string File(const char* name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

// Ends a loop that waits for something that may never happen.
class Patience {
 public:
  bool over() const { return SystemClock().Monotonic() >= end_; }

 private:
  const Instant end_ = SystemClock().Monotonic() + std::chrono::seconds(60);
};

// Waits for `met`; the test process ends if that lasts too long.
template <typename Met>
void WaitUntil(const char* what, const Met& met) {
  for (const Patience patience; !met(); std::this_thread::yield()) {
    if (!patience.over()) continue;
    ADD_FAILURE() << "waited in vain: " << what;
    std::abort();
  }
}

// Keeps posted tasks from any thread until the test runs them. No timers.
class MailboxScheduler final : public Scheduler {
 public:
  const Clock& clock() const override { return clock_; }
  void Post(Task task) override {
    // Touches nothing of this object after the lock: a test may end as soon as the task has run.
    const std::lock_guard lock(mutex_);
    tasks_.push_back({std::move(task)});
    ++posts_;
    posted_.notify_one();
  }
  void OffloadFor(std::string_view, Task) override { std::abort(); }
  TimerId After(Duration, Task) override { std::abort(); }
  bool Cancel(TimerId) override { std::abort(); }

  // Runs the posted tasks; waits for the first. The test process ends if none comes.
  void RunSome() {
    std::deque<BilledTask> tasks;
    {
      std::unique_lock lock(mutex_);
      if (!posted_.wait_for(lock, kLongestWait, [this] { return !tasks_.empty(); })) {
        ADD_FAILURE() << "waited in vain for an answer";
        std::abort();
      }
      tasks.swap(tasks_);
    }
    for (BilledTask& task : tasks) task();
  }
  std::size_t posts() const {
    const std::lock_guard lock(mutex_);
    return posts_;
  }

 private:
  // More than any call may take in a test.
  static constexpr Duration kLongestWait = std::chrono::minutes(4);

  SystemClock clock_;
  mutable std::mutex mutex_;
  std::condition_variable posted_;
  std::deque<BilledTask> tasks_;
  std::size_t posts_ = 0;
};

inline constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();

inline Event MakeEvent(EventKind kind, std::string payload, std::int64_t time = 1'800'000'000'000'000) {
  return {kind, Time(Duration(time)), std::move(payload)};
}

inline std::unique_ptr<SqliteJournal> MustOpen(const std::string& path, SqliteJournalOptions options = {}) {
  auto journal = SqliteJournal::Open(path, options);
  if (!journal) {
    ADD_FAILURE() << journal.error().message;
    std::abort();
  }
  return std::move(*journal);
}

// Appends and waits for the answer.
inline Result<Seq> AppendNow(Journal& journal, const std::string& table, Seq expected, std::vector<Event> events,
                             AppendTerms terms = {}) {
  MailboxScheduler scheduler;
  Result<Seq> out = Seq{0};
  journal.Append(
      TableId(table), expected, std::move(events), scheduler, [&out](Result<Seq> result) { out = std::move(result); },
      terms);
  scheduler.RunSome();
  return out;
}

inline std::vector<std::string> Payloads(const Result<std::vector<StoredEvent>>& events) {
  std::vector<std::string> out;
  if (!events) return {"error: " + events.error().message};
  for (const StoredEvent& event : *events) out.push_back(event.event.payload);
  return out;
}

inline std::vector<Event> Opened(std::string payload = R"({"game":"chicken"})",
                                 std::int64_t time = 1'800'000'000'000'000) {
  std::vector<Event> events;
  events.push_back(MakeEvent(EventKind::kOpened, std::move(payload), time));
  return events;
}

inline std::vector<Event> Note(std::string text, std::int64_t time = 1'800'000'000'000'000) {
  std::vector<Event> events;
  events.push_back(MakeEvent(EventKind::kNote, std::move(text), time));
  return events;
}

inline std::vector<Event> Closed(std::int64_t time = 1'800'000'000'000'000) {
  std::vector<Event> events;
  events.push_back(MakeEvent(EventKind::kClosed, "{}", time));
  return events;
}

inline std::vector<Event> OpenedAndClosed(std::int64_t time) {
  std::vector<Event> events = Opened("{}", time);
  events.push_back(MakeEvent(EventKind::kClosed, "{}", time));
  return events;
}

}  // namespace openseat::store
