#include "core/table.h"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <functional>
#include <iterator>
#include <mutex>
#include <utility>

#include "base/check.h"
#include "base/text.h"
#include "schema/measure.h"

namespace openseat {
namespace {

// A scheduler does other work after so many tables.
constexpr std::size_t kVisitedAtOnce = 256;
constexpr std::size_t kShownAtOnce = 32;
constexpr std::size_t kMostListedState = 16u << 10;
// Bytes of an entry of a list, as it is written. If it is longer, so many of each member.
constexpr std::size_t kMostListed = 24u << 10;
constexpr std::size_t kMostListedMember = 1u << 10;
constexpr std::size_t kMostListedText = 160;  // written, each byte may become six

// Leaves out the members of `entry` that are long, and cuts long texts; never `kept`.
void Shorten(json::Object& entry, std::string_view kept = {}) {
  std::vector<std::string> long_ones;
  for (auto& member : entry) {
    json::Value& value = member.value();
    if (json::KeyOf(member) == kept || schema::WrittenBytes(value, kMostListedMember) <= kMostListedMember) continue;
    if (value.is_string()) {
      value = Ellipsize(json::View(value.get_string()), kMostListedText);
    } else {
      long_ones.emplace_back(json::KeyOf(member));
    }
  }
  for (const std::string& name : long_ones) entry.erase(name);
}

void ShortenSeat(json::Object& seat) {
  if (const json::Value* actions = json::Find(seat, "actions"); actions != nullptr && actions->is_array()) {
    const std::size_t count = actions->get_array().size();
    seat.erase("actions");
    seat["action_count"] = count;
  }
  json::Value* const decision = seat.if_contains("decision");
  if (decision != nullptr && decision->is_object()) {
    // Its words make no sense without the actions.
    for (const char* words : {"query", "state", "actions", "refusal"}) decision->get_object().erase(words);
  }
  Shorten(seat);
}

}  // namespace

json::Object Table::ListedInfo() const {
  const std::shared_ptr<const Sight> sight = SightOf(Viewer::Spectator());
  const bool fits = sight->game() != nullptr && sight->observation_text().size() <= kMostListedState;
  json::Value listed(fits ? Info() : InfoWithoutState());
  json::Object& info = listed.get_object();
  if (schema::WrittenBytes(listed, kMostListed) <= kMostListed) return std::move(info);
  info["partial"] = true;
  if (json::Value* seats = info.if_contains("seats"); seats != nullptr && seats->is_array()) {
    for (json::Value& seat : seats->get_array()) {
      if (seat.is_object()) ShortenSeat(seat.get_object());
    }
  }
  Shorten(info, "seats");
  if (schema::WrittenBytes(listed, kMostListed) > kMostListed) info.erase("seats");
  return std::move(info);
}

std::string TableMark::Text() const {
  return std::to_string(opened.time_since_epoch().count()) + ":" + id.str();
}

std::optional<TableMark> TableMark::Parse(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  Duration::rep opened = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + colon, opened);
  if (problem != std::errc() || end != text.data() + colon) return std::nullopt;
  return TableMark{Time(Duration(opened)), TableId(std::string(text.substr(colon + 1)))};
}

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
  const Entry entry{TableMark{table.opened(), table.id()}, &table};
  const std::size_t door = table.invite().empty() ? 0 : 1;
  shelf.newest[door].insert(entry);
  ByDoor* of_game = nullptr;
  if (const Game* game = table.game()) {
    of_game = &shelf.of_game[game->info().id];
    (*of_game)[door].insert(entry);
  }
  shelf.by_id[table.id()] = {&table, of_game};
}

void TableDirectory::Remove(Table& table) {
  Shelf& shelf = ShelfOf(table.scheduler());
  const Entry entry{TableMark{table.opened(), table.id()}, &table};
  const auto take = [&entry](ByDoor& from) {
    for (Newest& newest : from) newest.erase(entry);
  };
  take(shelf.newest);
  const auto found = shelf.by_id.find(table.id());
  if (found == shelf.by_id.end() || found->second.table != &table) {
    // Another table has its id now.
    for (auto& [id, of_game] : shelf.of_game) take(of_game);
    return;
  }
  if (found->second.of_game != nullptr) take(*found->second.of_game);
  shelf.by_id.erase(found);
}

Table* TableDirectory::Local(Scheduler& scheduler, const TableId& id) {
  const Shelf& shelf = ShelfOf(scheduler);
  const auto found = shelf.by_id.find(id);
  return found == shelf.by_id.end() ? nullptr : found->second.table;
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
    scheduler->Post([this, round, scheduler] { VisitSome(*scheduler, 0, std::nullopt, round); });
  }
}

// Goes on after that table, with older ones first.
void TableDirectory::VisitSome(Scheduler& scheduler, std::size_t which, const std::optional<Entry>& after,
                               const std::shared_ptr<Round>& round) {
  const Shelf& shelf = ShelfOf(scheduler);
  const Newest& tables = shelf.newest[which];
  const Entry* last = after ? &*after : nullptr;
  std::size_t visited = 0;
  for (auto at = std::make_reverse_iterator(after ? tables.lower_bound(*after) : tables.end()); at != tables.rend();
       ++at) {
    if (visited++ == kVisitedAtOnce) {
      scheduler.Post([this, round, &scheduler, which, last = *last] { VisitSome(scheduler, which, last, round); });
      return;
    }
    round->visit(*at->second);
    last = &*at;
  }
  if (which + 1 < shelf.newest.size()) return VisitSome(scheduler, which + 1, std::nullopt, round);
  if (round->left.fetch_sub(1) == 1) round->from.Post([round] { round->done(); });
}

struct TableDirectory::Page {
  Scheduler& from;
  const std::optional<TableMark> after;
  const std::size_t limit;
  const std::function<json::Object(Table&)> show;
  const Listed done;
  const Listing which;
  const std::string game;
  std::atomic<std::size_t> left;  // schedulers, in this step
  std::mutex mutex{};
  std::vector<TableMark> marks{};                    // guarded by mutex in the first step; then of those to be shown
  std::vector<std::optional<json::Object>> shown{};  // of each mark; by the scheduler that has the table
};

void TableDirectory::List(Scheduler& from, std::optional<TableMark> after, std::size_t limit,
                          std::function<json::Object(Table&)> show, Listed done, Listing which, std::string game) {
  const std::shared_ptr<Page> page(new Page{from, std::move(after), limit, std::move(show), std::move(done), which,
                                            std::move(game), schedulers_.size()});
  for (Scheduler* scheduler : schedulers_) scheduler->Post([this, page, scheduler] { MarkPage(*scheduler, page); });
}

// The first step: each scheduler's newest tables, one more than are shown.
void TableDirectory::MarkPage(Scheduler& scheduler, const std::shared_ptr<Page>& page) {
  const Shelf& shelf = ShelfOf(scheduler);
  static const ByDoor kNone{};
  const ByDoor* listed = &shelf.newest;
  if (!page->game.empty()) {
    const auto of_game = shelf.of_game.find(page->game);
    listed = of_game == shelf.of_game.end() ? &kNone : &of_game->second;
  }
  std::vector<TableMark> marks;
  for (const Newest& newest : *listed) {
    auto at = page->after ? newest.lower_bound({*page->after, nullptr}) : newest.begin();
    for (std::size_t count = 0; at != newest.end() && count <= page->limit; ++at) {
      if (page->after && !(*page->after < at->first)) continue;  // it is that one
      marks.push_back(at->first);
      ++count;
    }
    if (page->which == Listing::kPublic) break;
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
