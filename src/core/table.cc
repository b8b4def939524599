#include "core/table.h"

#include <algorithm>
#include <atomic>
#include <iterator>
#include <map>
#include <mutex>
#include <set>
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

void TableDirectory::List(Scheduler& from, std::optional<TableMark> after, std::size_t limit,
                          std::function<json::Object(Table&)> show, Listed done, Listing which) {
  struct Page {
    std::mutex mutex;
    std::set<TableMark> marks;  // guarded by mutex: the first ones, one more than are shown
    std::map<TableMark, json::Object> shown;
  };
  const auto page = std::make_shared<Page>();
  Visit(
      from,
      [page, after = std::move(after), limit, which](Table& table) {
        if (which == Listing::kPublic && !table.invite().empty()) return;
        TableMark mark{table.opened(), table.id()};
        if (after && !(*after < mark)) return;
        const std::lock_guard lock(page->mutex);
        page->marks.insert(std::move(mark));
        if (page->marks.size() > limit + 1) page->marks.erase(std::prev(page->marks.end()));
      },
      [this, &from, page, limit, show = std::move(show), done = std::move(done)] {
        std::optional<TableMark> next;
        if (page->marks.size() > limit) {
          page->marks.erase(std::prev(page->marks.end()));
          if (!page->marks.empty()) next = *page->marks.rbegin();
        }
        Visit(
            from,
            [page, show](Table& table) {
              // No thread changes the marks any more.
              const auto found = page->marks.find({table.opened(), table.id()});
              if (found == page->marks.end()) return;
              json::Object object = show(table);
              const std::lock_guard lock(page->mutex);
              page->shown.insert_or_assign(*found, std::move(object));
            },
            [page, next = std::move(next), done] {
              std::vector<json::Object> list;
              for (auto& [mark, object] : page->shown) list.push_back(std::move(object));
              done(std::move(list), next);
            });
      });
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
