// The part that `openseat serve` and `openseat relay` share: a server from its settings to its end.
#pragma once

#include <functional>
#include <string>

#include "app/config.h"
#include "app/server_app.h"

namespace openseat::app {

// Where a server listens, as URLs say it.
struct ServedAt {
  bool tls = false;
  std::string host;               // brackets around an IPv6 address
  std::string authority;          // host:port
  bool games_need_token = false;  // those on other machines
};

// Serves until a signal ends it; the exit code. `make` gives the settings, again after SIGHUP. `print` says on standard
// output where the server is, once it listens; a new admin token follows.
int RunServer(const ServerApp::Reread& make, const std::function<void(const ServerApp&, const ServedAt&)>& print);

}  // namespace openseat::app
