#include "app/run_server.h"

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <utility>

#include "app/commands.h"
#include "base/log.h"
#include "net/url.h"

namespace openseat::app {
namespace {

void FitConnections(std::uint64_t files, Config& config) {
  std::uint64_t& most = config.budget.max_connections;
  // A relay has a connection to the server elsewhere for each game.
  const std::uint64_t fitting = ConnectionsWithin(config.relay ? files / 2 : files, most);
  if (most != 0 && fitting < most) {
    log::Info("max_connections is {} instead of {}: this process may have {} files open (ulimit -n)", fitting, most,
              files);
  }
  most = fitting;
}

}  // namespace

int RunServer(const ServerApp::Reread& make, const std::function<void(const ServerApp&, const ServedAt&)>& print) {
  Result<Config> config = make();
  if (!config) {
    PrintError(config.error().message);
    return kUsage;
  }
  log::SetLevel(config->log_level);
  const net::ListenAddress first = config->listen.front();
  const bool elsewhere = std::ranges::any_of(
      config->listen, [](const net::ListenAddress& address) { return !net::IsLoopbackHost(address.host); });
  const bool need_token = elsewhere && config->access.games == Games::kLocal;
  FitConnections(RaiseFileLimit(), *config);
  // A file that may not grow any more (ulimit -f) causes an error like a full disk, and does not end the process.
  std::signal(SIGXFSZ, SIG_IGN);
  std::signal(SIGHUP, SIG_IGN);  // until the server hears it
  Result<std::unique_ptr<ServerApp>> app = ServerApp::Create(std::move(*config), make);
  if (!app) {
    PrintError(app.error().message);
    return kUsage;
  }
  ServedAt at{
      .tls = !first.certificate_file.empty(), .host = first.host, .authority = {}, .games_need_token = need_token};
  if (at.host.find(':') != std::string::npos) at.host = "[" + at.host + "]";
  at.authority = at.host + ":" + std::to_string((*app)->port());
  print(**app, at);
  const auto keep = [&app] {
    const Result<void> kept = (*app)->KeepFreshToken();
    if (!kept) PrintError(kept.error().message);
    return kept.has_value();
  };
  const bool shared = (*app)->shares_token();
  if (shared && !keep()) return kUsage;
  if (!(*app)->fresh_token().empty()) {
    std::printf("  admin token for other machines, shown only now: %s\n", (*app)->fresh_token().c_str());
  }
  std::fflush(stdout);
  if (!shared && !keep()) return kUsage;
  (*app)->Run();
  return kDone;
}

}  // namespace openseat::app
