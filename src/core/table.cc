#include "core/table.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "base/check.h"

namespace openseat {

TableDirectory::TableDirectory(std::vector<Scheduler*> schedulers) : schedulers_(std::move(schedulers)) {
  for (std::size_t i = 0; i < schedulers_.size(); ++i) shelves_.push_back(std::make_unique<Shelf>());
}

TableDirectory::Shelf& TableDirectory::ShelfOf(const Scheduler& scheduler) {
  const auto found = std::find(schedulers_.begin(), schedulers_.end(), &scheduler);
  OPENSEAT_CHECK(found != schedulers_.end(), "a table lives on one of the directory's schedulers");
  return *shelves_[static_cast<std::size_t>(found - schedulers_.begin())];
}

void TableDirectory::Add(Table& table) {
  ShelfOf(table.scheduler()).tables.push_back(&table);
}

void TableDirectory::Remove(Table& table) {
  std::erase(ShelfOf(table.scheduler()).tables, &table);
}

Table* TableDirectory::Local(Scheduler& scheduler, const TableId& id) {
  for (Table* table : ShelfOf(scheduler).tables) {
    if (table->id() == id) return table;
  }
  return nullptr;
}

void TableDirectory::Visit(Scheduler& from, std::function<void(Table&)> visit, Task done) {
  struct Round {
    std::function<void(Table&)> visit;
    Task done;
    std::atomic<std::size_t> left;
  };
  auto round = std::make_shared<Round>();
  round->visit = std::move(visit);
  round->done = std::move(done);
  round->left = schedulers_.size();
  for (Scheduler* scheduler : schedulers_) {
    scheduler->Post([this, round, scheduler, &from] {
      for (Table* table : ShelfOf(*scheduler).tables) round->visit(*table);
      if (round->left.fetch_sub(1) == 1) from.Post([round] { round->done(); });
    });
  }
}

void TableDirectory::With(Scheduler& from, TableId id, std::function<void(Table&)> found, Task missing) {
  auto seen = std::make_shared<std::atomic<bool>>(false);
  Visit(
      from,
      [id = std::move(id), found = std::move(found), seen](Table& table) {
        if (table.id() != id) return;
        seen->store(true);
        found(table);
      },
      [seen, missing = std::move(missing)]() mutable {
        if (!seen->load()) missing();
      });
}

}  // namespace openseat
