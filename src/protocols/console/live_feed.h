// LiveFeed: a Journal that passes everything on to another one, and tells the watchers what was appended, once it is
// recorded. Costs one atomic load per append while nobody watches.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "base/metrics.h"
#include "base/waiting.h"
#include "core/journal.h"

namespace openseat::console {

class LiveFeed final : public Journal {
 public:
  struct Batch {
    TableId table;
    Seq first = 0;              // number of the first event
    Seq last = 0;               // of the last one
    std::vector<Event> events;  // empty for watchers of all tables
    std::size_t bytes = 0;      // of their payloads
  };
  using BatchPtr = std::shared_ptr<const Batch>;
  using OnBatch = std::function<void(const BatchPtr&)>;
  using WatchId = std::uint64_t;

  // `journal` and `metrics` outlive it; if `metrics` is null, nothing is counted.
  explicit LiveFeed(Journal& journal, Metrics* metrics = nullptr);

  // Watches this table, or all (without the events themselves). `told` runs on `scheduler`, in order; if kQueued calls
  // already wait there, the next ones are left out, which shows in the event numbers of later calls. Any thread;
  // `scheduler` outlives the feed's use.
  WatchId Watch(std::optional<TableId> table, Scheduler& scheduler, OnBatch told);
  // Calls that were already posted may still run. Any thread.
  void Unwatch(WatchId watch);

  static constexpr WaitingLimits kQueued{.items = 1024, .bytes = 16u << 20};

  // --- Journal ---

  void Append(const TableId& table, Seq expected, std::vector<Event> events, Scheduler& scheduler, AppendDone done,
              AppendTerms terms = {}) override;
  Result<std::vector<StoredEvent>> Read(const TableId& table, Seq after, std::size_t limit) override {
    return journal_.Read(table, after, limit);
  }
  Result<std::vector<TableRecord>> Tables(std::size_t limit, std::uint64_t before = kNewest) override {
    return journal_.Tables(limit, before);
  }
  Result<std::vector<TableRecord>> OpenTables(std::size_t limit, std::uint64_t after) override {
    return journal_.OpenTables(limit, after);
  }
  Result<TableRecord> Find(const TableId& table) override { return journal_.Find(table); }
  Result<void> Flush() override { return journal_.Flush(); }
  bool Owns(const TableId& table) const override { return journal_.Owns(table); }

 private:
  struct Watcher {
    Scheduler* scheduler;
    OnBatch told;
    WaitingCount queued{kQueued};
  };
  using WatcherPtr = std::shared_ptr<Watcher>;

  void Tell(const WatcherPtr& watcher, const BatchPtr& batch);
  void Publish(const BatchPtr& batch);

  static constexpr std::size_t kKinds = 32;
  void Count(const std::vector<Event>& events);

  Journal& journal_;
  std::array<Counter*, kKinds> counts_{};  // by EventKind
  std::atomic<std::size_t> watches_ = 0;
  std::mutex mutex_;
  WatchId last_watch_ = 0;
  std::map<WatchId, WatcherPtr> of_all_;
  std::map<TableId, std::map<WatchId, WatcherPtr>> by_table_;
  std::map<WatchId, TableId> table_of_;
};

}  // namespace openseat::console
