// LiveFeed: a Journal that hands everything on to another one, and tells whoever watches what was appended, once it is
// in the record. Costs one atomic load an append while nobody watches.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "core/journal.h"

namespace openseat::console {

class LiveFeed final : public Journal {
 public:
  struct Batch {
    TableId table;
    Seq first = 0;              // number of the first event
    Seq last = 0;               // of the last one
    std::vector<Event> events;  // empty for who watches all tables
  };
  using BatchPtr = std::shared_ptr<const Batch>;
  using OnBatch = std::function<void(const BatchPtr&)>;
  using WatchId = std::uint64_t;

  // `journal` outlives it.
  explicit LiveFeed(Journal& journal) : journal_(journal) {}

  // Tells of this table, or of all (without the events themselves). `told` runs on `scheduler`, in order; where more
  // than kMaxQueued calls wait there, the next ones are left out: the numbers of what comes after them say so. Any
  // thread; `scheduler` outlives the feed's use.
  WatchId Watch(std::optional<TableId> table, Scheduler& scheduler, OnBatch told);
  // What was posted already may still be told. Any thread.
  void Unwatch(WatchId watch);

  static constexpr std::size_t kMaxQueued = 1024;

  // --- Journal ---

  void Append(const TableId& table, Seq expected, std::vector<Event> events, Scheduler& scheduler,
              AppendDone done, AppendTerms terms = {}) override;
  Result<std::vector<StoredEvent>> Read(const TableId& table, Seq after, std::size_t limit) override {
    return journal_.Read(table, after, limit);
  }
  Result<std::vector<TableRecord>> Tables(std::size_t limit) override { return journal_.Tables(limit); }
  Result<void> Flush() override { return journal_.Flush(); }

 private:
  struct Watcher {
    Scheduler* scheduler;
    OnBatch told;
    std::atomic<std::size_t> queued = 0;
  };
  using WatcherPtr = std::shared_ptr<Watcher>;

  void Tell(const WatcherPtr& watcher, const BatchPtr& batch);
  void Publish(const BatchPtr& batch);

  Journal& journal_;
  std::atomic<std::size_t> watches_ = 0;
  std::mutex mutex_;
  WatchId last_watch_ = 0;
  std::map<WatchId, WatcherPtr> of_all_;
  std::map<TableId, std::map<WatchId, WatcherPtr>> by_table_;
  std::map<WatchId, TableId> table_of_;
};

}  // namespace openseat::console
