#include "app/server_app.h"

#include <filesystem>
#include <utility>

#include "agents/llm/models.h"
#include "app/access.h"
#include "app/agents.h"
#include "app/games.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/metrics.h"
#include "core/table.h"
#include "match/lobby.h"
#include "net/http_client.h"
#include "net/operations.h"
#include "net/shard.h"
#include "protocols/chimera/session.h"
#include "protocols/console/console_api.h"
#include "protocols/neuro/neuro_server.h"
#include "store/sqlite_journal.h"

namespace openseat::app {
namespace {

constexpr Duration kDrain = std::chrono::seconds(5);

std::vector<Scheduler*> SchedulersOf(net::Shards& shards) {
  std::vector<Scheduler*> schedulers;
  for (std::size_t i = 0; i < shards.size(); ++i) schedulers.push_back(&shards.at(i));
  return schedulers;
}

const AgentSpec& SpecFor(const Config& config, const std::string& game) {
  const auto found = config.agents.find(game);
  return found == config.agents.end() ? config.agent : found->second;
}

}  // namespace

// Destroyed from the last to the first.
struct ServerApp::Parts {
  Parts(Config given, std::unique_ptr<Journal> opened, Access allowed)
      : config(std::move(given)),
        journal(std::move(opened)),
        access(std::move(allowed)),
        shards(config.shards),
        http(shards),
        models(config.models, http),
        directory(SchedulersOf(shards)),
        neuro(config.neuro, directory, *journal, [this](const std::string& game) { return SeatAgent(game); }),
        lobby(config.test_games ? AllGames() : PublicGames(), config.match, config.match_linger, directory, *journal,
              AgentsWith(models)),
        console(directory, *journal, AgentsWith(models), lobby) {
    if (!config.allow_fixtures) lobby.SetGate(RefuseFixtures);
    net::AddOperations(router, metrics, [] { return Result<void>(); });
    neuro.AddRoutes(router);
    const auto chimera = [this](const net::HttpRequest&) -> Result<std::unique_ptr<net::WebSocketSession>> {
      return std::make_unique<chimera::Session>(lobby);
    };
    router.AddWebSocket("/chimera", {}, chimera);
    chimera_router.AddWebSocket("/", {}, chimera);
    chimera_router.SetGuard([this](const net::HttpRequest& request) { return access.Check(request); });
    console.AddRoutes(router);
    router.SetGuard([this](const net::HttpRequest& request) { return access.Check(request); });
  }

  Result<void> CheckAgents() const {
    if (Result<std::unique_ptr<Agent>> agent = MakeAgent(config.agent, models); !agent) return Fail(agent.error());
    for (const auto& [game, spec] : config.agents) {
      if (Result<std::unique_ptr<Agent>> agent = MakeAgent(spec, models); !agent) {
        return Fail(agent.error().code, "agent of \"" + game + "\": " + agent.error().message, agent.error().path);
      }
    }
    return {};
  }

  std::unique_ptr<Agent> SeatAgent(const std::string& game) const {
    Result<std::unique_ptr<Agent>> agent = MakeAgent(SpecFor(config, game), models);
    if (agent) return std::move(*agent);
    // It was checked at start; a script file may have gone or changed since.
    log::Error("{}: nobody takes the seat: {}", game, agent.error().message);
    return nullptr;
  }

  const Config config;
  const std::unique_ptr<Journal> journal;
  const Access access;
  Metrics metrics;
  net::Shards shards;
  net::HttpClients http;
  const llm::Models models;
  TableDirectory directory;
  net::Router router;
  net::Router chimera_router;
  neuro::NeuroServer neuro;
  Lobby lobby;
  console::ConsoleApi console;
  std::unique_ptr<net::Server> server;
  std::unique_ptr<net::Server> chimera_server;
  std::unique_ptr<net::SignalWatch> signals;
  bool draining = false;
};

ServerApp::ServerApp(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}

ServerApp::~ServerApp() {
  parts_->shards.Stop();
  parts_->signals.reset();
  parts_->chimera_server.reset();
  parts_->server.reset();
}

Result<std::unique_ptr<ServerApp>> ServerApp::Create(Config config) {
  if (Result<void> checked = CheckConfig(config); !checked) return Fail(checked.error());
  if (config.data_dir.empty()) config.data_dir = DefaultDataDir();
  std::error_code error;
  std::filesystem::create_directories(config.data_dir, error);
  if (error) {
    return Fail(ErrorCode::kIo, "cannot make the data directory " + config.data_dir + ": " + error.message(),
                config.data_dir);
  }
  std::vector<std::string> hosts = config.hosts;
  for (const net::ListenAddress& address : config.listen) hosts.push_back(HostOnly(address.host));
  Result<Access> access = Access::Open(config.data_dir, std::move(hosts));
  if (!access) return Fail(access.error());
  store::SqliteJournalOptions options;
  if (config.keep_recordings > Duration(0)) options.keep_closed = config.keep_recordings;
  auto journal = store::SqliteJournal::Open(config.data_dir + "/openseat.db", options);
  if (!journal) return Fail(journal.error());
  if (options.keep_closed) {
    const Result<std::size_t> pruned = (*journal)->Prune(SystemClock().Now());
    if (!pruned) return Fail(pruned.error());
    if (*pruned > 0) log::Info("forgot {} tables that were recorded too long ago", *pruned);
  }

  auto parts = std::make_unique<Parts>(std::move(config), std::move(*journal), std::move(*access));
  // What cannot be seated later is said now.
  if (Result<void> agents = parts->CheckAgents(); !agents) return Fail(agents.error());
  Result<std::unique_ptr<net::Server>> server =
      net::Server::Listen(parts->shards, parts->router, parts->config.listen, parts->config.limits, &parts->metrics);
  if (!server) return Fail(server.error());
  parts->server = std::move(*server);
  if (const auto& address = parts->config.chimera_listen) {
    server =
        net::Server::Listen(parts->shards, parts->chimera_router, {*address}, parts->config.limits, &parts->metrics);
    if (server) {
      parts->chimera_server = std::move(*server);
    } else if (parts->config.chimera_asked || server.error().code != ErrorCode::kConflict) {
      return Fail(server.error());
    } else {
      log::Warn("{}; Chimera clients reach this server at /chimera only", server.error().message);
    }
  }
  const Result<std::size_t> recovered = parts->lobby.Recover();
  if (!recovered) return Fail(recovered.error());
  if (*recovered > 0) log::Info("{} matches go on from the journal", *recovered);
  // Recovered or not, the matches of the command line are made anew; the loops do not run yet, so this waits for them.
  for (const MatchRequest& request : parts->config.matches) {
    if (parts->lobby.FindGame(request.game) == nullptr) {
      return Fail(ErrorCode::kNotFound, "there is no game \"" + request.game + "\" to make a match of", "match");
    }
    parts->lobby.Create(parts->shards.at(0), request.game, nullptr, request.seats,
                        [game = request.game](const Result<MatchRef>& made) {
                          if (made) {
                            log::Info("match {} of {} is open", made->id.str(), game);
                          } else {
                            log::Error("no match of {}: {}", game, made.error().message);
                          }
                        });
  }
  return std::unique_ptr<ServerApp>(new ServerApp(std::move(parts)));
}

std::uint16_t ServerApp::port() const {
  return parts_->server->port();
}
std::uint16_t ServerApp::chimera_port() const {
  return parts_->chimera_server ? parts_->chimera_server->port() : std::uint16_t{0};
}
const std::string& ServerApp::fresh_token() const {
  return parts_->access.fresh_token();
}

void ServerApp::Run() {
  Parts& parts = *parts_;
  parts.signals = std::make_unique<net::SignalWatch>(parts.shards, [&parts](int) {
    if (parts.draining) {
      log::Warn("stopping at once");
      parts.shards.Stop();
      return;
    }
    parts.draining = true;
    log::Info("stopping: connections have {} s to end",
              std::chrono::duration_cast<std::chrono::seconds>(kDrain).count());
    auto left = std::make_shared<int>(parts.chimera_server ? 3 : 2);
    const auto done = [&parts, left] {
      if (--*left == 0) parts.shards.Stop();
    };
    parts.shards.CloseClients(kDrain, done);
    if (parts.chimera_server) parts.chimera_server->Shutdown(kDrain, done);
    parts.server->Shutdown(kDrain, done);
  });
  parts.shards.RunFirstHere();
  log::Info("stopped");
}

}  // namespace openseat::app
