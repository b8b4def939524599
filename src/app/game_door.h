// GameDoor: who may open a WebSocket to play over the Neuro API or Chimera. If games are open (AccessOptions),
// everyone; otherwise a client with the admin token, an API key of the registry or, for Chimera, the invitation to a
// live match. docs/configuration.md, "Who may call what".
//
// Any thread.
#pragma once

#include <functional>

#include "app/access.h"
#include "core/registry.h"
#include "match/lobby.h"
#include "net/websocket.h"

namespace openseat::app {

class GameDoor {
 public:
  // All outlive it. `home`: where the registry and the lobby answer.
  GameDoor(const Access& access, Registry& registry, Lobby& lobby, Scheduler& home)
      : access_(access), registry_(registry), lobby_(lobby), home_(home) {}

  net::AdmitUpgrade ForNeuro();
  net::AdmitUpgrade ForChimera();

 private:
  using Admitted = std::function<void(Result<void>)>;
  void Admit(const net::HttpRequest& request, bool by_invitation, const Admitted& done);

  const Access& access_;
  Registry& registry_;
  Lobby& lobby_;
  Scheduler& home_;
};

}  // namespace openseat::app
