// NullJournal: accepts everything and keeps nothing, for games that nobody will look back at (`openseat play`).
#pragma once

#include <utility>
#include <vector>

#include "base/text.h"
#include "core/journal.h"

namespace openseat {

class NullJournal final : public Journal {
 public:
  void Append(const TableId&, Seq expected, std::vector<Event> events, Scheduler& scheduler, AppendDone done,
              AppendTerms terms = {}) override {
    if (done && !terms.failures_only)
      scheduler.Post([done = std::move(done), last = expected + events.size()] { done(last); });
  }
  Result<std::vector<StoredEvent>> Read(const TableId& table, Seq, std::size_t) override {
    return Fail(ErrorCode::kNotFound, "nothing is kept of " + Quote(table.str()));
  }
  Result<std::vector<TableRecord>> Tables(std::size_t, std::uint64_t) override { return std::vector<TableRecord>(); }
  Result<std::vector<TableRecord>> OpenTables(std::size_t, std::uint64_t) override {
    return std::vector<TableRecord>();
  }
  Result<TableRecord> Find(const TableId& table) override {
    return Fail(ErrorCode::kNotFound, "nothing is kept of " + Quote(table.str()));
  }
  Result<void> Flush() override { return {}; }
};

}  // namespace openseat
