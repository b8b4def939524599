// MemoryJournal: the Journal contract without a disk, for tests. One thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
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
    const bool fails = appends++ == fails_at;
    if (failing || fails) {
      result = Fail(failing.value_or(Error{ErrorCode::kIo, "the disk is full", {}}));
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
    EventPage page(limit);
    for (Seq seq = after + 1; seq <= found->second.size() && page.Add({seq, found->second[seq - 1]});) ++seq;
    return page.Take();
  }

  Result<std::vector<TableRecord>> Tables(std::size_t limit, std::uint64_t before = kNewest) override {
    std::vector<TableRecord> out;
    for (std::uint64_t number = order_.size(); number > 0 && out.size() < limit; --number) {
      if (number < before) out.push_back(RecordOf(number));
    }
    return out;
  }

  Result<std::vector<TableRecord>> OpenTables(std::size_t limit, std::uint64_t after) override {
    std::vector<TableRecord> out;
    for (std::uint64_t number = after + 1; number <= order_.size() && out.size() < limit; ++number) {
      if (!IsClosed(order_[number - 1])) out.push_back(RecordOf(number));
    }
    return out;
  }

  Result<TableRecord> Find(const TableId& table) override {
    const auto found = std::ranges::find(order_, table);
    if (found == order_.end()) return Fail(ErrorCode::kNotFound, "no table \"" + table.str() + "\"");
    return RecordOf(static_cast<std::uint64_t>(found - order_.begin()) + 1);
  }
  Result<void> Flush() override { return {}; }

  // While this is set, every append fails with it: a full disk.
  std::optional<Error> failing;
  // This append fails, and no other. They are counted from 0, in the order of the calls.
  std::optional<std::size_t> fails_at;
  std::size_t appends = 0;

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
    const auto found = tables_.find(table);
    const Seq last = found == tables_.end() ? 0 : found->second.size();
    if (last != expected) {
      return Fail(ErrorCode::kConflict,
                  "the table has " + std::to_string(last) + " events, not " + std::to_string(expected));
    }
    if (events.empty()) return last;
    if (last == 0) order_.push_back(table);
    std::vector<Event>& kept = tables_[table];
    for (Event& event : events) kept.push_back(std::move(event));
    return kept.size();
  }

  bool IsClosed(const TableId& table) const { return tables_.at(table).back().kind == EventKind::kClosed; }
  TableRecord RecordOf(std::uint64_t number) const {
    const TableId& id = order_[number - 1];
    const std::vector<Event>& events = tables_.at(id);
    return {id, events.front().time, events.front().payload, events.size(), IsClosed(id), number};
  }

  std::map<TableId, std::vector<Event>> tables_;  // each with an event
  std::vector<TableId> order_;                    // in which they were opened; their numbers count from 1
};

}  // namespace openseat::testing
