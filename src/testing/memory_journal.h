// MemoryJournal: the Journal contract without a disk, for tests. One thread.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/journal.h"

namespace openseat::testing {

class MemoryJournal final : public Journal {
 public:
  void Append(const TableId& table, Seq expected, std::vector<Event> events, Scheduler& scheduler,
              AppendDone done) override {
    std::vector<Event>& kept = tables_[table];
    Result<Seq> result = Seq{0};
    if (kept.size() != expected) {
      result = Fail(ErrorCode::kConflict,
                    "the table has " + std::to_string(kept.size()) + " events, not " + std::to_string(expected));
    } else {
      for (Event& event : events) kept.push_back(std::move(event));
      result = kept.size();
    }
    if (done) scheduler.Post([done = std::move(done), result = std::move(result)] { done(result); });
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
    std::uint64_t number = tables_.size();  // by id, for it does not know what is newest
    for (const auto& [id, events] : tables_) {
      if (out.size() == limit) break;
      if (number-- >= before) continue;
      out.push_back({id, events.front().time, events.front().payload, events.size(),
                     events.back().kind == EventKind::kClosed, number + 1});
    }
    return out;
  }

  Result<void> Flush() override { return {}; }

  // All events of a table of one kind, for expectations.
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
  std::map<TableId, std::vector<Event>> tables_;
};

}  // namespace openseat::testing
