// ExpendableJournal: another journal, in which what is appended here is expendable (AppendTerms): refused first when
// room gets scarce, so that matches that people play can still be recorded.
#pragma once

#include <utility>
#include <vector>

#include "core/journal.h"

namespace openseat {

class ExpendableJournal final : public Journal {
 public:
  // `journal` outlives it.
  explicit ExpendableJournal(Journal& journal) : journal_(journal) {}

  void Append(const TableId& table, Seq expected, std::vector<Event> events, Scheduler& scheduler, AppendDone done,
              AppendTerms terms = {}) override {
    terms.expendable = true;
    journal_.Append(table, expected, std::move(events), scheduler, std::move(done), terms);
  }
  Result<std::vector<StoredEvent>> Read(const TableId& table, Seq after, std::size_t limit) override {
    return journal_.Read(table, after, limit);
  }
  Result<std::vector<TableRecord>> Tables(std::size_t limit, std::uint64_t before) override {
    return journal_.Tables(limit, before);
  }
  Result<TableRecord> Find(const TableId& table) override { return journal_.Find(table); }
  Result<void> Flush() override { return journal_.Flush(); }
  bool Owns(const TableId& table) const override { return journal_.Owns(table); }

 private:
  Journal& journal_;
};

}  // namespace openseat
