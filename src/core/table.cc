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
  Shelf& shelf = ShelfOf(table.scheduler());
  shelf.places[&table] = shelf.tables.insert(shelf.tables.end(), &table);
  shelf.by_id[table.id()] = &table;
}

void TableDirectory::Remove(Table& table) {
  Shelf& shelf = ShelfOf(table.scheduler());
  if (const auto place = shelf.places.find(&table); place != shelf.places.end()) {
    shelf.tables.erase(place->second);
    shelf.places.erase(place);
  }
  if (const auto found = shelf.by_id.find(table.id()); found != shelf.by_id.end() && found->second == &table) {
    shelf.by_id.erase(found);
  }
}

Table* TableDirectory::Local(Scheduler& scheduler, const TableId& id) {
  const Shelf& shelf = ShelfOf(scheduler);
  const auto found = shelf.by_id.find(id);
  return found == shelf.by_id.end() ? nullptr : found->second;
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
  struct Search {
    TableId id;
    std::function<void(Table&)> found;
    Task missing;
    std::atomic<bool> seen = false;
    std::atomic<std::size_t> left;
  };
  auto search = std::make_shared<Search>();
  search->id = std::move(id);
  search->found = std::move(found);
  search->missing = std::move(missing);
  search->left = schedulers_.size();
  for (Scheduler* scheduler : schedulers_) {
    scheduler->Post([this, search, scheduler, &from] {
      if (Table* table = Local(*scheduler, search->id)) {
        search->seen.store(true);
        search->found(*table);
      }
      if (search->left.fetch_sub(1) == 1 && !search->seen.load()) from.Post([search] { search->missing(); });
    });
  }
}

}  // namespace openseat
