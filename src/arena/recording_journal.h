// RecordingJournal: a Journal in memory, which keeps the events of matches until they are taken. A run records its
// games with it, and a recorded game is replayed from it (match/replay.h). Nothing is written to a disk, so nothing
// fails.
//
// One thread: that of the matches.
#pragma once

#include <cstdint>
#include <functional>
#include <unordered_map>
#include <vector>

#include "core/journal.h"

namespace openseat::arena {

class RecordingJournal final : public Journal {
 public:
  // Called for every event of a model (EventKind::kModel) when it is appended; may be empty.
  using OnModel = std::function<void(const Event& event)>;
  explicit RecordingJournal(OnModel on_model = {}) : on_model_(std::move(on_model)) {}

  // All events of a table, which is then forgotten; empty if there is no such table.
  std::vector<StoredEvent> Take(const TableId& table);
  // Makes the table, with these events. REQUIRES sequence numbers from 1, without gaps.
  void Put(const TableId& table, std::vector<StoredEvent> events);
  // Bytes of the payloads of all tables.
  std::uint64_t bytes() const { return bytes_; }

  void Append(const TableId& table, Seq expected, std::vector<Event> events, Scheduler& scheduler, AppendDone done,
              AppendTerms terms = {}) override;
  Result<std::vector<StoredEvent>> Read(const TableId& table, Seq after, std::size_t limit) override;
  Result<std::vector<TableRecord>> Tables(std::size_t limit, std::uint64_t before = kNewest) override;
  Result<std::vector<TableRecord>> OpenTables(std::size_t limit, std::uint64_t after) override;
  Result<TableRecord> Find(const TableId& table) override;
  Result<void> Flush() override { return {}; }

 private:
  const OnModel on_model_;
  std::unordered_map<TableId, std::vector<StoredEvent>> tables_;
  std::uint64_t bytes_ = 0;
};

}  // namespace openseat::arena
