// JournalOnTerms: another journal, in which what is appended here is appended on certain terms: that of recordings is
// expendable, that of strangers' matches leaves a part of the reserve.
#pragma once

#include <utility>
#include <vector>

#include "core/journal.h"

namespace openseat {

class JournalOnTerms final : public Journal {
 public:
  // `journal` outlives it. What `terms` sets holds for every append, in addition to that append's own terms.
  JournalOnTerms(Journal& journal, AppendTerms terms) : journal_(journal), terms_(terms) {}

  void Append(const TableId& table, Seq expected, std::vector<Event> events, Scheduler& scheduler, AppendDone done,
              AppendTerms terms = {}) override {
    terms.expendable = terms.expendable || terms_.expendable;
    terms.of_stranger = terms.of_stranger || terms_.of_stranger;
    journal_.Append(table, expected, std::move(events), scheduler, std::move(done), terms);
  }
  Result<std::vector<StoredEvent>> Read(const TableId& table, Seq after, std::size_t limit) override {
    return journal_.Read(table, after, limit);
  }
  Result<std::vector<TableRecord>> Tables(std::size_t limit, std::uint64_t before) override {
    return journal_.Tables(limit, before);
  }
  Result<std::vector<TableRecord>> OpenTables(std::size_t limit, std::uint64_t after) override {
    return journal_.OpenTables(limit, after);
  }
  Result<TableRecord> Find(const TableId& table) override { return journal_.Find(table); }
  Result<void> Flush() override { return journal_.Flush(); }
  bool Owns(const TableId& table) const override { return journal_.Owns(table); }

 private:
  Journal& journal_;
  const AppendTerms terms_;
};

}  // namespace openseat
