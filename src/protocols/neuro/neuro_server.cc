#include "protocols/neuro/neuro_server.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/log.h"
#include "protocols/neuro/session.h"

namespace openseat::neuro {

NeuroServer::NeuroServer(NeuroOptions options, TableDirectory& directory, Journal& journal, SeatAgent agent)
    : options_(std::move(options)),
      directory_(directory),
      journal_(journal),
      agent_(std::move(agent)),
      hub_(*directory.schedulers().front()) {
  for (std::size_t i = 0; i < directory.schedulers().size(); ++i) shelves_.push_back(std::make_unique<Shelf>());
}

NeuroServer::~NeuroServer() {
  for (const auto& shelf : shelves_) {
    for (const auto& [id, table] : shelf->tables) directory_.Remove(*table);
  }
}

void NeuroServer::AddRoutes(net::Router& router, net::AdmitUpgrade admit) {
  net::UpgradeOptions lenient;
  lenient.admit = std::move(admit);
  lenient.echo_any_subprotocol = true;
  lenient.raw_text = true;
  const auto session = [this](const net::HttpRequest& request) -> Result<std::unique_ptr<net::WebSocketSession>> {
    return std::make_unique<Session>(*this, request.Param("name"));
  };
  const auto voice = [](const net::HttpRequest&) -> Result<std::unique_ptr<net::WebSocketSession>> {
    return MakeVoiceRefusal();
  };
  for (const char* pattern : {"/", "/game", "/game/:name", "/neuro"}) router.AddWebSocket(pattern, lenient, session);
  for (const char* pattern : {"/voice", "/neuro/voice", "/game/:name/voice"}) {
    router.AddWebSocket(pattern, lenient, voice);
  }
}

NeuroServer::Shelf& NeuroServer::ShelfOf(const Scheduler& home) {
  const auto& schedulers = directory_.schedulers();
  const auto found = std::find(schedulers.begin(), schedulers.end(), &home);
  OPENSEAT_CHECK(found != schedulers.end(), "a remote table lives on one of the directory's schedulers");
  return *shelves_[static_cast<std::size_t>(found - schedulers.begin())];
}

RemoteTable& NeuroServer::Open(Scheduler& home, const TablePlace& place, Lease lease) {
  auto table = std::make_unique<RemoteTable>(place.id, place.game, options_, home, journal_);
  if (std::unique_ptr<Agent> agent = agent_(place.game)) table->seat(0).SetAgent(std::move(agent));
  directory_.Add(*table);
  if (lease) ShelfOf(home).leases.emplace(place.id, std::move(lease));
  return *ShelfOf(home).tables.emplace(place.id, std::move(table)).first->second;
}

RemoteTable* NeuroServer::Find(Scheduler& home, const TableId& id) {
  const auto& tables = ShelfOf(home).tables;
  const auto found = tables.find(id);
  return found == tables.end() ? nullptr : found->second.get();
}

void NeuroServer::Detached(Scheduler& home, const TableId& id, std::uint64_t link, const net::Closing& closing) {
  RemoteTable* table = Find(home, id);
  if (table == nullptr || table->link_id() != link) return;
  table->Detach(link, closing);
  hub_.Release(id);
  WaitForGame(home, id);
}

void NeuroServer::Abandon(const TablePlace& place) {
  hub_.Release(place.id);
  place.home->Post([this, place] {
    if (place.created) {
      hub_.Forget(*place.home, place.id, [] {});  // there is no table yet
    } else {
      WaitForGame(*place.home, place.id);
    }
  });
}

void NeuroServer::WaitForGame(Scheduler& home, const TableId& id) {
  home.After(options_.keep, [this, &home, id] {
    hub_.Forget(home, id, [this, &home, id] {
      RemoteTable* table = Find(home, id);
      if (table == nullptr || table->connected()) return;
      log::Info("{}: the game \"{}\" did not come back, the table is closed", id.str(), table->game());
      directory_.Remove(*table);
      ShelfOf(home).tables.erase(id);
      ShelfOf(home).leases.erase(id);
    });
  });
}

}  // namespace openseat::neuro
