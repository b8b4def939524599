#include "protocols/console/live_feed.h"

#include <bit>
#include <cstdint>
#include <utility>

#include "base/log.h"

namespace openseat::console {

LiveFeed::LiveFeed(Journal& journal, Metrics* metrics) : journal_(journal) {
  if (metrics == nullptr) return;
  for (std::size_t i = 0; i < kKinds; ++i) {
    const std::optional<std::string_view> name = EventKindName(static_cast<EventKind>(i));
    if (!name) continue;
    counts_[i] = &metrics->AddCounter("openseat_events_total",
                                      "Events at tables, by kind: decisions, choices, verdicts, diagnostics, steps of "
                                      "models, deliveries of webhooks …",
                                      {{"kind", std::string(*name)}});
  }
}

void LiveFeed::Count(const std::vector<Event>& events) {
  // One addition per kind, not one per event.
  static_assert(kKinds <= 64);
  std::uint64_t kinds = 0;
  std::array<std::uint32_t, kKinds> seen;  // holds something only if it has events of `kinds`
  for (const Event& event : events) {
    const std::size_t kind = static_cast<std::size_t>(event.kind) % kKinds;
    const std::uint64_t bit = std::uint64_t{1} << kind;
    seen[kind] = (kinds & bit) == 0 ? 1 : seen[kind] + 1;
    kinds |= bit;
  }
  for (; kinds != 0; kinds &= kinds - 1) {
    const auto kind = static_cast<std::size_t>(std::countr_zero(kinds));
    if (counts_[kind] != nullptr) counts_[kind]->Add(seen[kind]);
  }
}

LiveFeed::WatchId LiveFeed::Watch(std::optional<TableId> table, Scheduler& scheduler, OnBatch told) {
  auto watcher = std::make_shared<Watcher>();
  watcher->scheduler = &scheduler;
  watcher->told = std::move(told);
  const std::lock_guard lock(mutex_);
  const WatchId id = ++last_watch_;
  if (table) {
    by_table_[*table].emplace(id, std::move(watcher));
    table_of_.emplace(id, std::move(*table));
  } else {
    of_all_.emplace(id, std::move(watcher));
  }
  watches_.fetch_add(1);
  return id;
}

void LiveFeed::Unwatch(WatchId watch) {
  const std::lock_guard lock(mutex_);
  std::size_t gone = of_all_.erase(watch);
  if (const auto table = table_of_.find(watch); table != table_of_.end()) {
    const auto watchers = by_table_.find(table->second);
    watchers->second.erase(watch);
    if (watchers->second.empty()) by_table_.erase(watchers);
    table_of_.erase(table);
    gone = 1;
  }
  watches_.fetch_sub(gone);
}

void LiveFeed::Append(const TableId& table, Seq expected, std::vector<Event> events, Scheduler& scheduler,
                      AppendDone done, AppendTerms terms) {
  Count(events);
  if (watches_.load(std::memory_order_relaxed) == 0 || events.empty()) {
    journal_.Append(table, expected, std::move(events), scheduler, std::move(done), terms);
    return;
  }
  auto batch = std::make_shared<Batch>();
  batch->table = table;
  batch->first = expected + 1;
  batch->last = expected + events.size();
  {
    const std::lock_guard lock(mutex_);
    if (by_table_.contains(table)) batch->events = events;
  }
  for (const Event& event : batch->events) batch->bytes += event.payload.size();
  journal_.Append(table, expected, std::move(events), scheduler,
                  [this, batch = BatchPtr(std::move(batch)), done = std::move(done),
                   failures_only = terms.failures_only](Result<Seq> last) {
                    if (last) {
                      Publish(batch);
                    } else if (!done) {
                      log::Error("journal: an append to table {} failed: {}", batch->table.str(), last.error().message);
                    }
                    if (done && !(last && failures_only)) done(std::move(last));
                  },
                  {.expendable = terms.expendable, .of_stranger = terms.of_stranger});
}

void LiveFeed::Publish(const BatchPtr& batch) {
  std::vector<WatcherPtr> all;
  std::vector<WatcherPtr> watchers;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [id, watcher] : of_all_) all.push_back(watcher);
    // A watcher that came after the events were copied reads them from the journal.
    if (const auto found = by_table_.find(batch->table); found != by_table_.end() && !batch->events.empty()) {
      for (const auto& [id, watcher] : found->second) watchers.push_back(watcher);
    }
  }
  for (const WatcherPtr& watcher : watchers) Tell(watcher, batch);
  if (all.empty()) return;
  const BatchPtr bare = std::make_shared<const Batch>(Batch{batch->table, batch->first, batch->last, {}, 0});
  for (const WatcherPtr& watcher : all) Tell(watcher, bare);
}

void LiveFeed::Tell(const WatcherPtr& watcher, const BatchPtr& batch) {
  if (!watcher->queued.Add(batch->bytes)) return;
  watcher->scheduler->Post([watcher, batch] {
    watcher->queued.Remove(batch->bytes);
    watcher->told(batch);
  });
}

}  // namespace openseat::console
