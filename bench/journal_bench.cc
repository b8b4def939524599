// How fast the SQLite journal accepts events, and how soon it reports that they are durable. docs/formats/journal.md
// quotes its figures. The file is below TMPDIR, which should be on the kind of disk that you want to measure.
//
// Counters: events_per_s, cpu_us_per_event (of the whole process), events_per_commit; p50_us and p99_us measure the
// time from the call to Append until its answer is posted.
#include <benchmark/benchmark.h>
#include <stdlib.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/scheduler.h"
#include "store/sqlite_journal.h"

namespace openseat::store {
namespace {

using SteadyClock = std::chrono::steady_clock;

// The size of a message with an action's data, the same as in the measurements behind the design.
constexpr std::size_t kPayloadBytes = 300;

class BenchJournal {
 public:
  BenchJournal() {
    std::string name = (std::filesystem::temp_directory_path() / "openseat-bench-XXXXXX").string();
    OPENSEAT_CHECK(mkdtemp(name.data()) != nullptr, "the temporary directory is writable");
    directory_ = name;
    auto journal = SqliteJournal::Open((directory_ / "openseat.db").string());
    OPENSEAT_CHECK(journal.has_value(), "a journal can be created in the temporary directory");
    journal_ = std::move(*journal);
  }
  ~BenchJournal() {
    journal_.reset();
    std::filesystem::remove_all(directory_);
  }
  SqliteJournal& operator*() { return *journal_; }
  SqliteJournal* operator->() { return journal_.get(); }

 private:
  std::filesystem::path directory_;
  std::unique_ptr<SqliteJournal> journal_;
};

// Runs posted tasks at once, so the time of an answer is the time when it is posted.
class InlineScheduler final : public Scheduler {
 public:
  const Clock& clock() const override { return clock_; }
  void Post(Task task) override { task(); }
  void OffloadFor(std::string_view, Task) override { std::abort(); }
  TimerId After(Duration, Task) override { std::abort(); }
  bool Cancel(TimerId) override { std::abort(); }

 private:
  SystemClock clock_;
};

// Tables that take turns, with the next event number of each.
class Tables {
 public:
  explicit Tables(std::size_t count) : heads_(count, 0) {
    for (std::size_t i = 0; i < count; ++i) ids_.emplace_back("magnificent-platypus-" + std::to_string(i));
  }
  void Append(SqliteJournal& journal, std::size_t events, Scheduler& scheduler, Journal::AppendDone done) {
    const std::size_t table = next_++ % heads_.size();
    std::vector<Event> out;
    out.reserve(events);
    const Time now = std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now());
    for (std::size_t i = 0; i < events; ++i) {
      const bool first = heads_[table] == 0 && i == 0;
      out.push_back({first ? EventKind::kOpened : EventKind::kReceived, now, std::string(kPayloadBytes, 'x')});
    }
    journal.Append(ids_[table], heads_[table], std::move(out), scheduler, std::move(done));
    heads_[table] += events;
  }

 private:
  std::vector<TableId> ids_;
  std::vector<Seq> heads_;
  std::size_t next_ = 0;
};

double CpuSeconds() {
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

void CountCommits(benchmark::State& state, const SqliteJournal& journal, double cpu_seconds) {
  const SqliteJournal::Stats stats = journal.stats();
  state.counters["cpu_us_per_event"] = cpu_seconds * 1e6 / static_cast<double>(stats.events);
  state.counters["events_per_commit"] = static_cast<double>(stats.events) / static_cast<double>(stats.transactions);
}

// As fast as possible: only the backlog limit slows the caller down.
void Saturated(benchmark::State& state) {
  const auto tables_count = static_cast<std::size_t>(state.range(0));
  const auto events = static_cast<std::size_t>(state.range(1));
  constexpr std::size_t kTotal = 1'500'000;
  for (auto _ : state) {
    BenchJournal journal;
    InlineScheduler scheduler;
    Tables tables(tables_count);
    const double cpu = CpuSeconds();
    const auto start = SteadyClock::now();
    for (std::size_t i = 0; i < kTotal / events; ++i) tables.Append(*journal, events, scheduler, {});
    OPENSEAT_CHECK(journal->Flush().has_value(), "the disk has room");
    const std::chrono::duration<double> took = SteadyClock::now() - start;
    state.counters["events_per_s"] = static_cast<double>(kTotal) / took.count();
    CountCommits(state, *journal, CpuSeconds() - cpu);
  }
}
BENCHMARK(Saturated)
    ->ArgNames({"tables", "events"})
    ->Args({1, 6})
    ->Args({100, 6})
    ->Args({1000, 6})
    ->Args({1000, 1})
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);

// One small event for every table, then all of them to the disk at once: as many rows as events. This shows best what
// the layout of the tables costs.
void Rounds(benchmark::State& state) {
  const auto tables_count = static_cast<std::size_t>(state.range(0));
  constexpr std::size_t kTotal = 500'000;
  for (auto _ : state) {
    BenchJournal journal;
    InlineScheduler scheduler;
    Tables tables(tables_count);
    const double cpu = CpuSeconds();
    const auto start = SteadyClock::now();
    for (std::size_t i = 0; i < kTotal; ++i) {
      tables.Append(*journal, 1, scheduler, {});
      if (i % tables_count == tables_count - 1) {
        OPENSEAT_CHECK(journal->Flush().has_value(), "the disk has room");
      }
    }
    const std::chrono::duration<double> took = SteadyClock::now() - start;
    state.counters["events_per_s"] = static_cast<double>(kTotal) / took.count();
    CountCommits(state, *journal, CpuSeconds() - cpu);
  }
}
BENCHMARK(Rounds)->ArgName("tables")->Arg(100)->Arg(1000)->Iterations(1)->Unit(benchmark::kMillisecond);

// Appends at regular intervals; measures how long each waits for its answer.
void Latency(benchmark::State& state) {
  const auto rate = static_cast<std::size_t>(state.range(0));
  const auto events = static_cast<std::size_t>(state.range(1));
  constexpr std::size_t kSeconds = 4;
  for (auto _ : state) {
    BenchJournal journal;
    InlineScheduler scheduler;
    Tables tables(100);
    const std::size_t appends = rate / events * kSeconds;
    std::vector<double> waits(appends, 0);
    const double cpu = CpuSeconds();
    const auto start = SteadyClock::now();
    for (std::size_t i = 0; i < appends; ++i) {
      const auto due = start + std::chrono::nanoseconds(std::nano::den * events / rate * i);
      std::this_thread::sleep_until(due);
      // Measured from when it was due, so that a delayed caller does not hide the delay.
      tables.Append(*journal, events, scheduler, [&wait = waits[i], due](const Result<Seq>& result) {
        OPENSEAT_CHECK(result.has_value(), "the disk has room");
        wait = std::chrono::duration<double, std::micro>(SteadyClock::now() - due).count();
      });
    }
    OPENSEAT_CHECK(journal->Flush().has_value(), "the disk has room");
    CountCommits(state, *journal, CpuSeconds() - cpu);
    std::sort(waits.begin(), waits.end());
    state.counters["p50_us"] = waits[appends / 2];
    state.counters["p99_us"] = waits[appends * 99 / 100];
  }
}
BENCHMARK(Latency)
    ->ArgNames({"events_per_s", "events"})
    ->Args({5'000, 1})
    ->Args({5'000, 6})
    ->Args({30'000, 1})
    ->Args({30'000, 6})
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);

// The last hundred events of a table whose 2000 chunks are mixed with those of 99 others, or a hundred in its middle.
void Read(benchmark::State& state) {
  const bool middle = state.range(0) != 0;
  static BenchJournal journal;
  constexpr std::size_t kChunks = 2000;
  static const bool filled = [] {
    InlineScheduler scheduler;
    Tables tables(100);
    for (std::size_t i = 0; i < kChunks; ++i) {
      for (int table = 0; table < 100; ++table) tables.Append(*journal, 5, scheduler, {});
      OPENSEAT_CHECK(journal->Flush().has_value(), "the disk has room");
    }
    return true;
  }();
  benchmark::DoNotOptimize(filled);
  const TableId table("magnificent-platypus-50");
  const Seq last = journal->Read(table, 0, std::numeric_limits<std::size_t>::max())->size();
  const Seq after = middle ? last / 2 : last - 100;
  for (auto _ : state) {
    auto events = journal->Read(table, after, 100);
    OPENSEAT_CHECK(events && events->size() == 100, "the table has the events");
  }
}
BENCHMARK(Read)->ArgName("middle")->Arg(0)->Arg(1);

}  // namespace
}  // namespace openseat::store

BENCHMARK_MAIN();
