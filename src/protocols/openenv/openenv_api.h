// OpenEnvApi: the routes below /openenv (docs/protocols/openenv.md).
#pragma once

#include <functional>

#include "net/router.h"
#include "protocols/openenv/environments.h"

namespace openseat::openenv {

class OpenEnvApi {
 public:
  // All outlive it. `admit`: who may play. `namer`: whom the caller counts as, for the agents that it names.
  struct Door {
    net::AdmitUpgrade admit;
    std::function<Namer(const net::HttpRequest& request)> namer;
  };
  OpenEnvApi(Environments& environments, Door door) : environments_(environments), door_(std::move(door)) {}

  void AddRoutes(net::Router& router);

 private:
  void AddAbout(net::Router& router);
  void AddPlay(net::Router& router);
  // Runs a request that plays, if the caller may.
  void Play(const net::HttpRequest& request, net::HttpReply reply, bool step);

  Environments& environments_;
  const Door door_;
};

}  // namespace openseat::openenv
