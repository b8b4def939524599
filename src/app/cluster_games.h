// ClusterGames: the connections of games that speak the Neuro API, in a cluster (docs/cluster.md): a game that comes
// back to any node gets its table, wherever that waits for it.
#pragma once

#include <memory>
#include <string>

#include "app/cluster_door.h"
#include "net/http.h"
#include "net/router.h"
#include "net/shard.h"
#include "net/websocket.h"
#include "protocols/neuro/neuro_server.h"

namespace openseat::app {

class ClusterGames {
 public:
  // All outlive it. `home`: the first shard.
  ClusterGames(const ClusterDoor& door, neuro::NeuroServer& games, net::Shard& home);

  // Where nodes ask each other for tables that wait.
  void AddRoutes(net::Router& router) const;
  // For NeuroServer::AddRoutes.
  net::AdmitUpgrade Admit(net::AdmitUpgrade others) const;
  net::SessionFactory Factory() const;

 private:
  void TellWaiting(const net::HttpRequest& request, net::HttpReply reply) const;
  std::unique_ptr<net::WebSocketSession> PassedOn(const net::HttpRequest& request) const;

  const ClusterDoor& door_;
  neuro::NeuroServer& games_;
  net::Shard& home_;
};

}  // namespace openseat::app
