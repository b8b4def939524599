#include "protocols/neuro/neuro_server.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/log.h"
#include "core/transcript.h"
#include "protocols/neuro/earlier_table.h"
#include "protocols/neuro/owner.h"
#include "protocols/neuro/session.h"

namespace openseat::neuro {
namespace {

// Ten times what is recommended for one frame of audio, and more than any client sends.
constexpr std::size_t kMaxVoiceMessage = 256u << 10;

// Runs the task once nobody holds it any more.
class AtTheEnd {
 public:
  explicit AtTheEnd(Task task) : task_(std::move(task)) {}
  ~AtTheEnd() { task_(); }
  AtTheEnd(const AtTheEnd&) = delete;
  AtTheEnd& operator=(const AtTheEnd&) = delete;

 private:
  Task task_;
};

}  // namespace

void AddGameRoutes(net::Router& router, GameDoors doors) {
  if (!doors.voice) {
    doors.voice = [](const net::HttpRequest&) -> Result<std::unique_ptr<net::WebSocketSession>> {
      return MakeVoiceRefusal();
    };
  }
  net::UpgradeOptions lenient;
  lenient.admit = std::move(doors.admit);
  lenient.echo_any_subprotocol = true;
  lenient.raw_text = true;
  net::UpgradeOptions spoken = lenient;
  spoken.max_message_bytes = kMaxVoiceMessage;
  for (const char* pattern : {"/", "/game", "/game/:name", "/neuro"}) router.AddWebSocket(pattern, lenient, doors.game);
  for (const char* pattern : {"/voice", "/neuro/voice", "/game/:name/voice"}) {
    router.AddWebSocket(pattern, spoken, doors.voice);
  }
}

NeuroServer::NeuroServer(NeuroProfiles profiles, TableDirectory& directory, Journal& journal, RemoteAgents agents,
                         Metrics* metrics)
    : profiles_(std::move(profiles)),
      directory_(directory),
      journal_(journal),
      agents_(std::move(agents)),
      hub_(*directory.schedulers().front(), journal),
      shelves_(directory.schedulers().size()) {
  if (metrics != nullptr) metrics_.emplace(*metrics);
}

NeuroServer::~NeuroServer() {
  for (const Shelf& shelf : shelves_) {
    for (const auto& [id, kept] : shelf.tables) directory_.Remove(*kept.table);
  }
}

void NeuroServer::AddRoutes(net::Router& router, net::AdmitUpgrade admit, net::SessionFactory game,
                            net::SessionFactory voice) {
  if (!game) {
    game = [this](const net::HttpRequest& request) -> Result<std::unique_ptr<net::WebSocketSession>> {
      return std::make_unique<Session>(*this, request.Param("name"), OwnerOf(request), request.payer);
    };
  }
  AddGameRoutes(router, {std::move(admit), std::move(game), std::move(voice)});
}

NeuroServer::Shelf& NeuroServer::ShelfOf(const Scheduler& home) {
  const auto& schedulers = directory_.schedulers();
  const auto found = std::find(schedulers.begin(), schedulers.end(), &home);
  OPENSEAT_CHECK(found != schedulers.end(), "a remote table lives on one of the directory's schedulers");
  return shelves_[static_cast<std::size_t>(found - schedulers.begin())];
}

RemoteTable& NeuroServer::Open(Scheduler& home, const TablePlace& place, std::shared_ptr<Payer> payer, Lease lease) {
  const SharedRecord shared =
      node_.empty() ? SharedRecord() : SharedRecord{.owner = place.owner, .node = node_, .earlier = place.earlier};
  auto table = std::make_unique<RemoteTable>(place.id, place.game, profiles_, agents_, home, journal_, std::move(payer),
                                             metrics_ ? &*metrics_ : nullptr, shared);
  table->ShareNames(std::make_unique<NameBook::Page>(names_, place.owner, place.id, place.game));
  directory_.Add(*table);
  return *ShelfOf(home).tables.emplace(place.id, Kept{std::move(table), {}, std::move(lease)}).first->second.table;
}

RemoteTable* NeuroServer::Find(Scheduler& home, const TableId& id) {
  const auto& tables = ShelfOf(home).tables;
  const auto found = tables.find(id);
  return found == tables.end() ? nullptr : found->second.table.get();
}

void NeuroServer::Detached(Scheduler& home, const TableId& id, std::uint64_t link, const net::Closing& closing) {
  ShelfOf(home).left.erase(link);
  RemoteTable* table = Find(home, id);
  if (table == nullptr || table->link_id() != link) return;
  table->Detach(link, closing);
  WaitForGame(home, id);
}

void NeuroServer::Abandon(const TablePlace& place) {
  if (place.earlier) {
    // Unless it went to another server meanwhile.
    if (journal_.Owns(place.id)) WaitForEarlier(place.earlier);
    return;
  }
  place.home->Post([this, place] { WaitForGame(*place.home, place.id); });
}

Result<std::vector<TableRecord>> NeuroServer::TakeOver(const std::vector<TableRecord>& tables, Task done) {
  const auto last = std::make_shared<AtTheEnd>(std::move(done));
  std::vector<TableRecord> others;
  std::vector<std::shared_ptr<const EarlierTable>> ours;
  for (const TableRecord& table : tables) {
    Result<std::optional<EarlierTable>> earlier = ReadEarlier(journal_, table);
    if (!earlier) return Fail(std::move(earlier).error());
    if (*earlier) {
      ours.push_back(std::make_shared<const EarlierTable>(*std::move(*earlier)));
    } else {
      others.push_back(table);
    }
  }
  for (std::shared_ptr<const EarlierTable>& table : ours) WaitForEarlier(std::move(table), last);
  return others;
}

void NeuroServer::WaitForEarlier(std::shared_ptr<const EarlierTable> table, std::shared_ptr<void> until) {
  hub_.Adopt(table, [this, table, until = std::move(until)](std::uint64_t wait) {
    Scheduler& home = hub_.scheduler();
    home.After(options().keep, [this, &home, table, wait] {
      hub_.ForgetEarlier(table->id, wait, [this, &home, table] {
        log::Info("{}: the game \"{}\" did not come back, the table is closed", table->id.str(), table->game);
        Transcript(journal_, home, table->id, table->last_seq)
            .Add(EventKind::kClosed, R"({"reason":"the game did not come back"})");
      });
    });
  });
}

void NeuroServer::Leave(const std::function<bool(const TableId&)>& which, Task done) {
  const auto last = std::make_shared<AtTheEnd>(std::move(done));
  hub_.Leave(which, [this, which, last] {
    for (Scheduler* home : directory_.schedulers()) {
      home->Post([this, home, which, last] {
        Shelf& shelf = ShelfOf(*home);
        for (auto each = shelf.tables.begin(); each != shelf.tables.end();) {
          if (!which(each->first)) {
            ++each;
            continue;
          }
          std::unique_ptr<RemoteTable> table = std::move(each->second.table);
          each = shelf.tables.erase(each);
          const std::optional<std::uint64_t> link = table->link_id();
          directory_.Remove(*table);
          table->Leave();
          // Its session knows it still.
          if (link) shelf.left.emplace(*link, std::move(table));
        }
      });
    }
  });
}

// The hub hears about the end of a connection only from here, on the table's scheduler: in the order in which it
// happened there.
void NeuroServer::WaitForGame(Scheduler& home, const TableId& id) {
  hub_.Release(id);
  const auto found = ShelfOf(home).tables.find(id);
  if (found == ShelfOf(home).tables.end()) {
    hub_.Forget(home, id, [] {});  // its connection ended before there was a table
    return;
  }
  found->second.wait.Set(home, options().keep, [this, &home, id] {
    hub_.Forget(home, id, [this, &home, id] {
      RemoteTable* table = Find(home, id);
      if (table == nullptr) return;
      log::From(table->seat(0).payer_address())
          .Info("{}: the game \"{}\" did not come back, the table is closed", id.str(), table->game_name());
      directory_.Remove(*table);
      ShelfOf(home).tables.erase(id);
    });
  });
}

}  // namespace openseat::neuro
