#include "core/table.h"

#include <algorithm>
#include <atomic>
#include <functional>
#include <mutex>
#include <utility>

#include "base/check.h"

namespace openseat {
namespace {

// A scheduler does other work after so many tables.
constexpr std::size_t kVisitedAtOnce = 256;
constexpr std::size_t kShownAtOnce = 32;

}  // namespace

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
  const std::uint64_t arrival = ++shelf.arrivals;
  shelf.tables.emplace_hint(shelf.tables.end(), arrival, &table);
  const TableMark mark{table.opened(), table.id()};
  const bool is_public = table.invite().empty();
  shelf.places[&table] = {arrival, shelf.newest.insert({mark, &table}),
                          is_public ? shelf.newest_public.insert({mark, &table}) : shelf.newest_public.end()};
  shelf.by_id[table.id()] = &table;
}

void TableDirectory::Remove(Table& table) {
  Shelf& shelf = ShelfOf(table.scheduler());
  if (const auto place = shelf.places.find(&table); place != shelf.places.end()) {
    shelf.tables.erase(place->second.arrival);
    shelf.newest.erase(place->second.newest);
    if (place->second.newest_public != shelf.newest_public.end())
      shelf.newest_public.erase(place->second.newest_public);
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

struct TableDirectory::Round {
  Scheduler& from;
  const std::function<void(Table&)> visit;
  const Task done;
  std::atomic<std::size_t> left;
};

void TableDirectory::Visit(Scheduler& from, std::function<void(Table&)> visit, Task done) {
  const std::shared_ptr<Round> round(new Round{from, std::move(visit), std::move(done), schedulers_.size()});
  for (Scheduler* scheduler : schedulers_) {
    scheduler->Post([this, round, scheduler] { VisitSome(*scheduler, 0, round); });
  }
}

void TableDirectory::VisitSome(Scheduler& scheduler, std::uint64_t after, const std::shared_ptr<Round>& round) {
  const auto& tables = ShelfOf(scheduler).tables;
  std::size_t visited = 0;
  for (auto at = tables.upper_bound(after); at != tables.end(); ++at) {
    if (visited++ == kVisitedAtOnce) {
      scheduler.Post([this, round, &scheduler, after] { VisitSome(scheduler, after, round); });
      return;
    }
    round->visit(*at->second);
    after = at->first;
  }
  if (round->left.fetch_sub(1) == 1) round->from.Post([round] { round->done(); });
}

struct TableDirectory::Page {
  Scheduler& from;
  const std::optional<TableMark> after;
  const std::size_t limit;
  const std::function<json::Object(Table&)> show;
  const Listed done;
  const Listing which;
  std::atomic<std::size_t> left;  // schedulers, in this step
  std::mutex mutex{};
  std::vector<TableMark> marks{};                    // guarded by mutex in the first step; then of those to be shown
  std::vector<std::optional<json::Object>> shown{};  // of each mark; by the scheduler that has the table
};

void TableDirectory::List(Scheduler& from, std::optional<TableMark> after, std::size_t limit,
                          std::function<json::Object(Table&)> show, Listed done, Listing which) {
  const std::shared_ptr<Page> page(
      new Page{from, std::move(after), limit, std::move(show), std::move(done), which, schedulers_.size()});
  for (Scheduler* scheduler : schedulers_) scheduler->Post([this, page, scheduler] { MarkPage(*scheduler, page); });
}

// The first step: each scheduler's newest tables, one more than are shown.
void TableDirectory::MarkPage(Scheduler& scheduler, const std::shared_ptr<Page>& page) {
  const Shelf& shelf = ShelfOf(scheduler);
  const Newest& newest = page->which == Listing::kAll ? shelf.newest : shelf.newest_public;
  std::vector<TableMark> marks;
  for (auto at = page->after ? newest.upper_bound(*page->after) : newest.begin(); at != newest.end(); ++at) {
    if (marks.size() > page->limit) break;
    marks.push_back(at->first);
  }
  {
    const std::lock_guard lock(page->mutex);
    page->marks.insert(page->marks.end(), marks.begin(), marks.end());
  }
  if (page->left.fetch_sub(1) != 1) return;
  std::ranges::sort(page->marks, std::less());
  page->shown.resize(std::min(page->marks.size(), page->limit));
  page->left = schedulers_.size();
  for (Scheduler* each : schedulers_) each->Post([this, page, each] { ShowSome(*each, 0, page); });
}

// The second step.
void TableDirectory::ShowSome(Scheduler& scheduler, std::size_t first, const std::shared_ptr<Page>& page) {
  std::size_t shown = 0;
  for (std::size_t i = first; i < page->shown.size(); ++i) {
    Table* const table = Local(scheduler, page->marks[i].id);
    if (table == nullptr || table->opened() != page->marks[i].opened) continue;
    if (shown++ == kShownAtOnce) {
      scheduler.Post([this, page, &scheduler, i] { ShowSome(scheduler, i, page); });
      return;
    }
    page->shown[i] = page->show(*table);
  }
  if (page->left.fetch_sub(1) != 1) return;
  page->from.Post([page] {
    std::vector<json::Object> list;
    for (std::optional<json::Object>& object : page->shown) {
      if (object) list.push_back(std::move(*object));
    }
    std::optional<TableMark> next;
    if (page->marks.size() > page->limit && page->limit > 0) next = page->marks[page->limit - 1];
    page->done(std::move(list), std::move(next));
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
