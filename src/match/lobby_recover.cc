// Lobby: the matches that another process had, or this one before it stopped.
#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "base/log.h"
#include "match/lobby.h"
#include "match/match_events.h"

namespace openseat {
namespace {

constexpr std::size_t kRecoveryPage = 500;
constexpr std::size_t kTablesPage = 100;  // their openings are in memory at a time
// A table that could not be read so often stays away when others are taken over.
constexpr int kReadTries = 5;
// That many failures end a try to take tables over: perhaps the journal does not answer at all.
constexpr int kMaxFailures = 4;

// Whether the journal may answer later.
bool IsPassing(const Error& error) {
  return error.code == ErrorCode::kIo || error.code == ErrorCode::kTimeout;
}

// Runs `done` once the last copy is gone.
std::shared_ptr<Task> AfterTheLast(Task done) {
  return {new Task(std::move(done)), [](Task* task) {
            (*task)();
            delete task;
          }};
}

}  // namespace

Result<std::vector<StoredEvent>> Lobby::ReadAll(const TableId& id) {
  std::vector<StoredEvent> events;
  for (;;) {
    Result<std::vector<StoredEvent>> page = journal_.Read(id, events.empty() ? 0 : events.back().seq, kRecoveryPage);
    if (!page) return page;
    if (page->empty()) return events;
    // Most of a match's events are only for readers; their payloads would fill the memory.
    for (StoredEvent& event : *page) {
      if (!MatchFold::Reads(event.event.kind)) event.event.payload = {};
    }
    events.insert(events.end(), std::make_move_iterator(page->begin()), std::make_move_iterator(page->end()));
  }
}

void Lobby::CloseUnplayed(const Past& past, const std::string& reason, Scheduler& home) {
  const TableId& id = past.table.id;
  log::Warn("{}: closed: {}", id.str(), reason);
  const std::string payload = json::Write(json::Object{{"reason", reason}});
  const auto dismiss = [setup = setup_, id, agents = past.agents](const Result<Seq>& closed) {
    if (!closed) return log::Error("{}: not closed: {}", id.str(), closed.error().message);
    for (const AgentSpec& spec : agents) {
      if (Result<std::unique_ptr<Agent>> agent = setup->make_agent(spec); agent) (*agent)->OnDismissed();
    }
  };
  journal_.Append(id, past.last_seq, {{EventKind::kClosed, home.clock().Now(), payload}}, home, dismiss);
}

Scheduler& Lobby::NextHome() {
  return *directory_.schedulers()[homes_++ % directory_.schedulers().size()];
}

Result<std::string> Lobby::OpeningOf(const TableRecord& table) {
  if (!table.opened_payload.empty()) return table.opened_payload;
  // It could not be read when the tables were listed.
  Result<std::vector<StoredEvent>> events = journal_.Read(table.id, 0, 1);
  if (!events && IsPassing(events.error())) return Fail(std::move(events).error());
  return events && !events->empty() ? std::move(events->front().event.payload) : std::string();
}

Result<std::optional<Lobby::Past>> Lobby::PastOf(const TableRecord& table) {
  const Result<std::string> opening = OpeningOf(table);
  if (!opening) return Fail(opening.error());
  const Result<json::Value> opened = json::Parse(*opening);
  const json::Value* kind = opened ? json::Find(*opened, "kind") : nullptr;
  if (kind == nullptr) {
    log::Error("{}: cannot be recovered: its opening is damaged", table.id.str());
    return std::optional<Past>();
  }
  if (*kind != json::Value("hosted")) return std::optional<Past>(Past{.table = table});
  const json::Value* game = json::Find(*opened, "game");
  Past past{.table = table,
            .hosted = true,
            .game = game != nullptr && game->is_string() ? FindGame(json::View(game->get_string())) : nullptr,
            .ends_with_server = json::Find(*opened, "ends_with_server") != nullptr};
  if (Result<std::vector<StoredEvent>> events = ReadAll(table.id)) {
    past.events = *std::move(events);
    past.agents = AgentsOf(past.events);
    past.last_seq = past.events.empty() ? 0 : past.events.back().seq;
  } else {
    if (IsPassing(events.error())) return Fail(std::move(events).error());
    past.fold = Fail(std::move(events).error());
  }
  return std::optional<Past>(std::move(past));
}

void Lobby::PlayUp(Past& past) {
  if (past.last_seq == 0 || past.game == nullptr || past.ends_with_server) return;
  past.fold = MatchFold::Of(past.table.id, *past.game, past.events);
}

Lobby::Revived Lobby::Revive(const Past& past, Scheduler& home, const std::shared_ptr<Payer>& payer,
                             Unplayable unplayable) {
  const TableId& id = past.table.id;
  if (past.last_seq > 0 && past.ends_with_server) {
    CloseUnplayed(past, "the server stopped", home);
    return Revived::kClosed;
  }
  Result<std::unique_ptr<Match>> match =
      past.fold ? Match::Recover(*past.fold, setup_, home, JournalFor(past.fold->spec())) : Fail(past.fold.error());
  if (!match) {
    if (past.last_seq > 0 && match.error().code == ErrorCode::kUnsupported && unplayable == Unplayable::kClose) {
      CloseUnplayed(past, match.error().message, home);
      return Revived::kClosed;
    }
    log::Error("{}: cannot be recovered: {}", id.str(), match.error().message);
    return Revived::kLeft;
  }
  const MatchRef ref{.id = id, .home = &home, .game = past.game->info().id, .invite = (*match)->spec().invite};
  index_home_.Post([this, ref] { index_.emplace(ref.id, ref); });
  const bool over = (*match)->status() == MatchStatus::kDone;
  (*match)->CountFor(payer);
  Place(ref, std::move(*match));
  if (over) Linger(home, id);
  if (!over && payer != nullptr) {
    if (auto place = payer->Hold(Holding::kMatches)) ShelfOf(home).open.emplace(id, std::move(*place));
  }
  return Revived::kHere;
}

Result<Lobby::Recovered> Lobby::Recover(const std::shared_ptr<Payer>& payer, Unplayable unplayable,
                                        const std::function<void(std::size_t matches)>& progress) {
  Recovered recovered;
  recovered.agents.emplace();
  for (std::uint64_t after = 0;;) {
    Result<std::vector<TableRecord>> page = journal_.OpenTables(kTablesPage, after);
    if (!page) return Fail(page.error());
    for (TableRecord& table : *page) {
      after = table.number;
      if (progress) progress(recovered.matches);
      Result<std::optional<Past>> read = PastOf(table);
      if (!read) return Fail(read.error());
      std::optional<Past>& past = *read;
      if (!past) continue;
      if (!past->hosted) {
        recovered.left_open.push_back(std::move(table));
        continue;
      }
      PlayUp(*past);
      const Revived revived = Revive(*past, NextHome(), payer, unplayable);
      if (revived == Revived::kHere) ++recovered.matches;
      if (revived == Revived::kLeft && past->unplayable()) recovered.unplayable.push_back(past->table.id);
      if (past->last_seq == 0) {
        recovered.agents.reset();
      } else if (recovered.agents && revived != Revived::kClosed) {
        std::ranges::move(past->agents, std::back_inserter(*recovered.agents));
      }
    }
    if (page->size() < kTablesPage) return recovered;
  }
}

bool Lobby::GivesUp(const TableId& id, const Error& error) {
  if (++unread_[id] < kReadTries) return false;
  log::Error("{}: cannot be recovered: it could not be read {} times: {}", id.str(), kReadTries, error.message);
  return true;
}

Result<std::vector<Lobby::Past>> Lobby::PastsOf(const std::vector<TableRecord>& tables) {
  const std::lock_guard lock(taking_);
  std::vector<const TableRecord*> order;
  for (const TableRecord& table : tables) order.push_back(&table);
  // Those that could not be read the last time come first: so the others are not played up again and again for nothing.
  std::ranges::stable_partition(order, [this](const TableRecord* table) { return unread_.contains(table->id); });
  std::vector<Past> out;
  std::optional<Error> unread;
  int failures = 0;
  for (const TableRecord* table : order) {
    Result<std::optional<Past>> past = PastOf(*table);
    if (!past) {
      if (GivesUp(table->id, past.error())) continue;
      unread = std::move(past).error();
      if (++failures == kMaxFailures) break;
      continue;
    }
    unread_.erase(table->id);
    if (!*past || unread) continue;
    PlayUp(**past);
    (*past)->events = {};  // all of a shard's would fill the memory
    out.push_back(**std::move(past));
  }
  if (unread) return Fail(*std::move(unread));
  for (const TableRecord& table : tables) unread_.erase(table.id);
  return out;
}

Result<Lobby::NotTaken> Lobby::TakeOver(const std::vector<TableRecord>& tables, const std::shared_ptr<Payer>& payer,
                                        Task done) {
  const std::shared_ptr<Task> last = AfterTheLast(std::move(done));
  Result<std::vector<Past>> pasts = PastsOf(tables);
  if (!pasts) return Fail(std::move(pasts).error());
  NotTaken out;
  std::vector<std::shared_ptr<const Past>> matches;
  for (Past& past : *pasts) {
    if (past.unplayable()) out.unplayable.push_back(past.table.id);
    if (past.hosted) {
      matches.push_back(std::make_shared<const Past>(std::move(past)));
    } else {
      out.left_open.push_back(std::move(past.table));
    }
  }
  // A match that was made here just when its shard went away is here still.
  std::set<TableId> ids;
  for (const std::shared_ptr<const Past>& past : matches) ids.insert(past->table.id);
  Leave([ids = std::move(ids)](const TableId& id) { return ids.contains(id); },
        [this, matches = std::move(matches), payer, last] {
          for (const std::shared_ptr<const Past>& past : matches) {
            Scheduler& home = NextHome();
            // Another node may have the rules that this one lacks.
            home.Post([this, past, &home, payer, last] { Revive(*past, home, payer, Unplayable::kLeave); });
          }
        });
  return out;
}

void Lobby::Leave(std::function<bool(const TableId&)> which, Task done) {
  const auto shared = std::make_shared<std::function<bool(const TableId&)>>(std::move(which));
  const std::shared_ptr<Task> last = AfterTheLast(std::move(done));
  for (Scheduler* home : directory_.schedulers()) {
    home->Post([this, home, shared, last] {
      std::vector<TableId> gone;
      for (const auto& [id, match] : ShelfOf(*home).matches) {
        if ((*shared)(id)) gone.push_back(id);
      }
      for (const TableId& id : gone) {
        ShelfOf(*home).matches.at(id).match->Leave();
        Remove(*home, id);
      }
    });
  }
}

}  // namespace openseat
