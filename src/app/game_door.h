// GameDoor: who may open a WebSocket to play over the Neuro API or Chimera. If games are open (AccessOptions),
// everyone; otherwise a client with the admin token, an API key of the registry or, for Chimera, the invitation to a
// live match, or a player's token or code (Lobby::Admits). docs/configuration.md, "Who may call what".
//
// Any thread.
#pragma once

#include <functional>

#include "agents/kinds.h"
#include "app/access.h"
#include "app/sign_in_door.h"
#include "core/registry.h"
#include "match/lobby.h"
#include "net/websocket.h"

namespace openseat::app {

class GameDoor {
 public:
  // All outlive it. `home`: where the registry and the lobby answer. `sign_in`: lets in who has signed in; may be null.
  GameDoor(const Access& access, Registry& registry, Lobby& lobby, Scheduler& home, const SignInDoor* sign_in = nullptr)
      : access_(access), registry_(registry), lobby_(lobby), home_(home), sign_in_(sign_in) {}

  // In a cluster: asks where the match of this token is (ClusterDoor::AskElsewhere). Before the first request.
  using AskElsewhere = std::function<bool(const net::HttpRequest& request, const std::string& token,
                                          const std::function<void(Result<bool>)>& done)>;
  void SetElsewhere(AskElsewhere ask) { elsewhere_ = std::move(ask); }

  // Both tell whose API key opened the game (HolderOf). Where games are open, no key is looked up.
  net::AdmitUpgrade ForNeuro();
  net::AdmitUpgrade ForChimera();
  // Whom an admitted client counts as, for the agents that it names. A wrong token counts as a guess.
  Namer NamerOf(const net::HttpRequest& request) const;
  // Whether a client that ForChimera has admitted bears the admin token, and its address was not wrong too often.
  bool IsOwner(const net::HttpRequest& request) const;

 private:
  using Admitted = std::function<void(Result<std::string>)>;
  void Admit(const net::HttpRequest& request, bool by_invitation, const Admitted& done);
  // Admits a client that needs no token to Chimera. If it bears one, it may claim to be the owner: a token that opens
  // nothing counts as a guess.
  void LetIn(const net::HttpRequest& request, const Admitted& done);
  // Whether it is an invitation, or a player's token or code.
  void IsOfMatch(const net::HttpRequest& request, std::string token, std::function<void(Result<bool>)> done);

  const Access& access_;
  Registry& registry_;
  Lobby& lobby_;
  Scheduler& home_;
  const SignInDoor* const sign_in_;
  AskElsewhere elsewhere_;
};

}  // namespace openseat::app
