#include "arena/recording_journal.h"

#include <algorithm>
#include <string>
#include <utility>

namespace openseat::arena {

std::vector<StoredEvent> RecordingJournal::Take(const TableId& table) {
  auto found = tables_.extract(table);
  if (found.empty()) return {};
  for (const StoredEvent& event : found.mapped()) bytes_ -= event.event.payload.size();
  return std::move(found.mapped());
}

void RecordingJournal::Put(const TableId& table, std::vector<StoredEvent> events) {
  for (const StoredEvent& event : events) bytes_ += event.event.payload.size();
  tables_[table] = std::move(events);
}

void RecordingJournal::Append(const TableId& table, Seq expected, std::vector<Event> events, Scheduler& scheduler,
                              AppendDone done, AppendTerms terms) {
  std::vector<StoredEvent>& kept = tables_[table];
  if (kept.size() != expected) {
    if (!done) return;
    Error error{ErrorCode::kConflict,
                "the table has " + std::to_string(kept.size()) + " events, not " + std::to_string(expected),
                {}};
    scheduler.Post([done = std::move(done), error = std::move(error)] { done(Fail(error)); });
    return;
  }
  for (Event& event : events) {
    bytes_ += event.payload.size();
    if (on_model_ && event.kind == EventKind::kModel) on_model_(event);
    kept.push_back({kept.size() + 1, std::move(event)});
  }
  if (done && !terms.failures_only) {
    scheduler.Post([done = std::move(done), last = Seq{kept.size()}] { done(last); });
  }
}

Result<std::vector<StoredEvent>> RecordingJournal::Read(const TableId& table, Seq after, std::size_t limit) {
  const auto found = tables_.find(table);
  if (found == tables_.end()) return Fail(ErrorCode::kNotFound, "there is no table \"" + table.str() + "\"");
  const std::vector<StoredEvent>& kept = found->second;
  EventPage page(limit);
  for (Seq seq = after; seq < kept.size() && page.Add(kept[seq]);) ++seq;
  return page.Take();
}

Result<std::vector<TableRecord>> RecordingJournal::Tables(std::size_t limit, std::uint64_t before) {
  std::vector<TableRecord> records;
  std::uint64_t number = 0;
  for (const auto& [id, events] : tables_) {
    if (++number >= before || records.size() == limit || events.empty()) continue;
    records.push_back({id, events.front().event.time, events.front().event.payload, events.size(),
                       events.back().event.kind == EventKind::kClosed, number});
  }
  return records;
}

Result<std::vector<TableRecord>> RecordingJournal::OpenTables(std::size_t limit, std::uint64_t after) {
  std::vector<TableRecord> records = *Tables(tables_.size());
  std::erase_if(records, [after](const TableRecord& table) { return table.closed || table.number <= after; });
  records.resize(std::min(limit, records.size()));
  return records;
}

Result<TableRecord> RecordingJournal::Find(const TableId& table) {
  Result<std::vector<TableRecord>> all = Tables(tables_.size());
  for (TableRecord& record : *all) {
    if (record.id == table) return std::move(record);
  }
  return Fail(ErrorCode::kNotFound, "there is no table \"" + table.str() + "\"");
}

}  // namespace openseat::arena
