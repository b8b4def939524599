// MemoryJournal: the Journal contract without a disk, for tests. One thread.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/journal.h"

namespace openseat::testing {

class MemoryJournal final : public Journal {
 public:
  void Append(const TableId& table, Seq expected, std::vector<Event> events, Scheduler& scheduler, AppendDone done,
              AppendTerms terms = {}) override {
    Result<Seq> result = Seq{0};
    if (failing) {
      result = Fail(*failing);
    } else {
      result = Put(table, expected, std::move(events));
    }
    if (done && !(result && terms.failures_only)) {
      scheduler.Post([done = std::move(done), result = std::move(result)] { done(result); });
    }
  }

  Result<std::vector<StoredEvent>> Read(const TableId& table, Seq after, std::size_t limit) override {
    const auto found = tables_.find(table);
    if (found == tables_.end()) return Fail(ErrorCode::kNotFound, "no table \"" + table.str() + "\"");
    std::vector<StoredEvent> out;
    for (Seq seq = after + 1; seq <= found->second.size() && out.size() < limit; ++seq) {
      out.push_back({seq, found->second[seq - 1]});
    }
    return out;
  }

  Result<std::vector<TableRecord>> Tables(std::size_t limit, std::uint64_t before = kNewest) override {
    std::vector<TableRecord> out;
    std::uint64_t number = tables_.size();  // by id, since it does not know which is newest
    for (const auto& [id, events] : tables_) {
      if (out.size() == limit) break;
      if (number-- >= before) continue;
      out.push_back({id, events.front().time, events.front().payload, events.size(),
                     events.back().kind == EventKind::kClosed, number + 1});
    }
    return out;
  }

  Result<TableRecord> Find(const TableId& table) override {
    Result<std::vector<TableRecord>> all = Tables(tables_.size());
    for (TableRecord& record : *all) {
      if (record.id == table) return std::move(record);
    }
    return Fail(ErrorCode::kNotFound, "no table \"" + table.str() + "\"");
  }
  Result<void> Flush() override { return {}; }

  // While this is set, every append fails with it: a full disk.
  std::optional<Error> failing;

  // All events of one kind at a table, for expectations.
  std::vector<std::string> Payloads(const TableId& table, EventKind kind) const {
    std::vector<std::string> out;
    const auto found = tables_.find(table);
    if (found == tables_.end()) return out;
    for (const Event& event : found->second) {
      if (event.kind == kind) out.push_back(event.payload);
    }
    return out;
  }

 private:
  Result<Seq> Put(const TableId& table, Seq expected, std::vector<Event> events) {
    if (events.empty() && expected == 0 && !tables_.contains(table)) return Seq{0};
    std::vector<Event>& kept = tables_[table];
    if (kept.size() != expected) {
      return Fail(ErrorCode::kConflict,
                  "the table has " + std::to_string(kept.size()) + " events, not " + std::to_string(expected));
    }
    for (Event& event : events) kept.push_back(std::move(event));
    return kept.size();
  }

  std::map<TableId, std::vector<Event>> tables_;
};

}  // namespace openseat::testing
