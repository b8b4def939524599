#include "app/server_app.h"

#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <utility>
#include <vector>

#include "agents/external/seat_token.h"
#include "app/agents.h"
#include "app/api_description.h"
#include "app/commands.h"
#include "app/server_parts.h"
#include "app/service_manager.h"
#include "app/stdio_pump.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/memory.h"
#include "core/transcript.h"
#include "match/lobby.h"
#include "net/memory_guard.h"
#include "net/openapi.h"
#include "net/shard.h"
#include "protocols/mcp/stdio.h"

namespace openseat::app {
namespace {

constexpr Duration kDrain = std::chrono::seconds(5);
constexpr Duration kTellProgress = std::chrono::seconds(5);  // while matches are read at the start
constexpr Duration kMoreTime = std::chrono::minutes(1);      // that the service manager is asked for each time

// If the service manager's settings cannot be parsed, it is not told anything and may end the process.
std::unique_ptr<ServiceManager> MakeServiceManager(net::Shards& shards) {
  Result<ServiceEnvironment> environment = ReadServiceEnvironment(FromEnvironment, getpid());
  if (!environment) log::Warn("{}", environment.error().message);
  return std::make_unique<ServiceManager>(environment ? std::move(*environment) : ServiceEnvironment(),
                                          SchedulersOf(shards));
}

}  // namespace

// Destroyed from the last to the first.
struct ServerApp::Parts {
  Parts(std::unique_ptr<ServerFiles> opened, OpenedRegistry registry)
      : owned_files(std::move(opened)),
        files(*owned_files),
        runtime(files, std::move(registry)),
        tables(files, runtime),
        doors(files, runtime, tables) {}
  ~Parts() { runtime.registry->Watch(nullptr); }
  Parts(const Parts&) = delete;
  Parts& operator=(const Parts&) = delete;

  // What all servers share is used here, and followed.
  Result<void> UseRegistry() {
    if (Result<void> games = files.scripts->UseRegistry(*runtime.registry); !games) return games;
    if (files.journal.node) {
      if (Result<void> key = tables.sign_in.ShareKey(); !key) return key;
    }
    runtime.registry->Watch([this] {
      doors.scripts.Changed();
      if (!files.journal.node) return;
      runtime.registry->FindShared(std::string(kAdminTokenName), runtime.shards.at(0),
                                   [this](const Result<std::string>& hash) {
                                     if (hash) files.access.UseHash(*hash);
                                   });
    });
    return {};
  }

  // Games from elsewhere end with the process, even if it could not record that, unless there is a cluster where they
  // can come back; a table that stayed open would never be forgotten.
  void CloseLeftOpen(const std::vector<TableRecord>& left_open) {
    for (const TableRecord& table : left_open) {
      Transcript(files.live, runtime.shards.at(0), table.id, table.last_seq)
          .Add(EventKind::kClosed, R"({"reason":"the server ended before the table was closed"})");
    }
  }

  const std::unique_ptr<ServerFiles> owned_files;
  ServerFiles& files;
  ServerRuntime runtime;
  ServerTables tables;
  ServerDoors doors;
  std::unique_ptr<net::Server> server;
  std::unique_ptr<net::Server> chimera_server;
  std::unique_ptr<net::MemoryGuard> memory_guard;
  std::unique_ptr<net::SignalWatch> signals;
  std::unique_ptr<ServiceManager> service;
  Reread reread;
  bool draining = false;
};

// A match of the command line or the config file, with tokens minted for its seats.
struct ServerApp::StartMatch {
  std::string game;
  std::vector<PlannedSeat> seats;
  std::vector<std::pair<SeatIndex, SeatSecrets>> secrets;
};

Result<std::vector<ServerApp::StartMatch>> ServerApp::MatchesAtStart(const Parts& parts) {
  std::vector<StartMatch> matches;
  for (const MatchRequest& request : parts.files.config.matches) {
    StartMatch match{request.game, request.seats, {}};
    for (std::size_t i = 0; i < match.seats.size(); ++i) {
      if (parts.tables.kinds.IsPlayedFromOutside(match.seats[i].agent.kind)) {
        match.secrets.emplace_back(static_cast<SeatIndex>(i), MintSeat(match.seats[i].agent.options));
      }
    }
    if (const Result<const Game*> checked = parts.tables.lobby.Check(match.game, nullptr, match.seats); !checked) {
      return Fail(checked.error().code, "a match of " + match.game + " cannot be made: " + checked.error().message,
                  checked.error().path);
    }
    matches.push_back(std::move(match));
  }
  return matches;
}

// Who may play a seat from outside is printed on standard output, once; the log has no secrets.
void ServerApp::OpenMatch(Parts& parts, StartMatch match) {
  parts.tables.lobby.Create(
      parts.runtime.shards.at(0), match.game, nullptr, std::move(match.seats),
      [game = match.game, secrets = std::move(match.secrets)](const Result<MatchRef>& made) {
        if (!made) {
          log::Error("no match of {}: {}", game, made.error().message);
          return;
        }
        log::Info("match {} of {} is open", made->id.str(), game);
        for (const auto& [seat, secret] : secrets) {
          std::printf("match %s: seat %zu is played with the token %s\n", made->id.str().c_str(), std::size_t{seat},
                      SeatToken{made->id, seat, secret.token}.Text().c_str());
        }
        std::fflush(stdout);
      },
      parts.runtime.budget.OwnPayer());
}

std::string ServerApp::AdvertisedAddress(const Parts& parts) {
  const Config& config = parts.files.config;
  const net::ListenAddress& first = config.listen.front();
  const std::string scheme = first.certificate_file.empty() ? "http://" : "https://";
  if (!config.cluster.advertise.empty()) return scheme + config.cluster.advertise;
  const bool ipv6 = first.host.find(':') != std::string::npos;
  return scheme + (ipv6 ? "[" + first.host + "]" : first.host) + ":" + std::to_string(parts.server->port());
}

ServerApp::ServerApp(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}

ServerApp::~ServerApp() {
  parts_->runtime.shards.Stop();
  if (parts_->files.journal.node) parts_->files.journal.node->Stop();
  parts_->signals.reset();
  parts_->memory_guard.reset();
  parts_->chimera_server.reset();
  parts_->server.reset();
}

Result<std::unique_ptr<ServerApp::Parts>> ServerApp::MakeParts(Config config) {
  Result<std::unique_ptr<ServerFiles>> files = ServerFiles::Open(std::move(config));
  if (!files) return Fail(files.error());
  static const SystemClock clock;
  Result<OpenedRegistry> registry = OpenRegistry((*files)->config, clock, (*files)->metrics);
  if (!registry) return Fail(registry.error());
  return std::make_unique<Parts>(std::move(*files), std::move(*registry));
}

Result<json::Object> ServerApp::Describe() {
  std::error_code error;
  std::string dir = (std::filesystem::temp_directory_path(error) / "openseat-describe-XXXXXX").string();
  if (error || mkdtemp(dir.data()) == nullptr) {
    return Fail(ErrorCode::kIo, "cannot make a temporary directory as " + dir, dir);
  }
  Config config;
  config.data_dir = dir;
  config.shards = 1;
  Result<json::Object> document = [&]() -> Result<json::Object> {
    const Result<std::unique_ptr<Parts>> parts = MakeParts(std::move(config));
    if (!parts) return Fail(parts.error());
    return net::OpenApi((*parts)->doors.router, ApiDescription());
  }();
  std::filesystem::remove_all(dir, error);
  return document;
}

Result<std::unique_ptr<ServerApp>> ServerApp::Create(Config config, Reread reread) {
  if (Result<void> checked = CheckConfig(config); !checked) return Fail(checked.error());
  Result<std::unique_ptr<Parts>> opened = MakeParts(std::move(config));
  if (!opened) return Fail(opened.error());
  std::unique_ptr<Parts> parts = std::move(*opened);
  parts->reread = std::move(reread);
  if (Result<void> used = parts->UseRegistry(); !used) return Fail(used.error());
  // Problems that would keep agents from being seated later are reported now.
  if (Result<void> agents = parts->tables.CheckAgents(); !agents) return Fail(agents.error());
  Result<std::unique_ptr<net::Server>> server =
      net::Server::Listen(parts->runtime.shards, parts->doors.router, parts->files.config.listen,
                          parts->files.config.limits, &parts->files.metrics, &parts->runtime.budget);
  if (!server) return Fail(WithFlag(server.error(), "--listen"));
  parts->server = std::move(*server);
  if (const auto& address = parts->files.config.chimera_listen) {
    server = net::Server::Listen(parts->runtime.shards, parts->doors.chimera_router, {*address},
                                 parts->files.config.limits, &parts->files.metrics, &parts->runtime.budget);
    if (server) {
      parts->chimera_server = std::move(*server);
    } else if (parts->files.config.chimera_asked || server.error().code != ErrorCode::kConflict) {
      return Fail(WithFlag(server.error(), "--chimera-listen"));
    } else {
      log::Warn("{}; Chimera clients reach this server at /chimera only", server.error().message);
    }
  }
  Result<std::vector<StartMatch>> matches = MatchesAtStart(*parts);
  if (!matches) return Fail(matches.error());
  ClusterNode* const node = parts->files.journal.node.get();
  parts->service = MakeServiceManager(parts->runtime.shards);
  const Clock& clock = SystemClock();
  const auto progress = [&parts = *parts, &clock, told = clock.Monotonic()](std::size_t here) mutable {
    if (clock.Monotonic() - told < kTellProgress) return;
    told = clock.Monotonic();
    log::Info("{} matches continue from the journal so far", here);
    parts.service->Starting(kMoreTime);
  };
  // Other nodes may have the games and rules that this one lacks.
  const Result<Lobby::Recovered> recovered = parts->tables.lobby.Recover(
      parts->runtime.budget.OwnPayer(),
      node != nullptr && node->nodes() > 1 ? Lobby::Unplayable::kLeave : Lobby::Unplayable::kClose, progress);
  if (!recovered) return Fail(recovered.error());
  if (recovered->matches > 0) log::Info("{} matches continue from the journal", recovered->matches);
  // In a cluster, other nodes know other agents.
  if (recovered->agents && node == nullptr)
    parts->tables.intake.ForgetOthers(parts->runtime.shards.at(0), *recovered->agents);
  parts->memory_guard = std::make_unique<net::MemoryGuard>(parts->runtime.shards, parts->runtime.budget,
                                                           parts->files.metrics, ResidentMemory, ReleaseFreedMemory);
  parts->memory_guard->Watch(*parts->server);
  if (parts->chimera_server) parts->memory_guard->Watch(*parts->chimera_server);
  if (node == nullptr) parts->CloseLeftOpen(recovered->left_open);
  if (node != nullptr) {
    const auto take_over = [&parts = *parts](const std::vector<TableRecord>& tables, Task done) -> Result<void> {
      const Result<std::vector<TableRecord>> others = parts.tables.neuro.TakeOver(tables, std::move(done));
      if (!others) return Fail(others.error());
      parts.runtime.shards.at(0).Post([&parts, closed = *others] { parts.CloseLeftOpen(closed); });
      return {};
    };
    if (Result<void> taken = take_over(recovered->left_open, [] {}); !taken) return Fail(taken.error());
    node->SetAddress(AdvertisedAddress(*parts));
    node->Start(parts->tables.lobby, parts->runtime.budget.OwnPayer(), recovered->unplayable,
                {.prepare = [&parts = *parts](
                                const std::vector<TableRecord>& tables) { return parts.doors.scripts.Prepare(tables); },
                 .take_over = take_over,
                 .leave = [&parts = *parts](const std::function<bool(const TableId&)>& which,
                                            Task done) { parts.tables.neuro.Leave(which, std::move(done)); }});
  }
  // Whether or not other matches were recovered, those of the command line are made again. The loops do not run yet, so
  // this waits for them.
  for (StartMatch& match : *matches) OpenMatch(*parts, std::move(match));
  return std::unique_ptr<ServerApp>(new ServerApp(std::move(parts)));
}

std::uint16_t ServerApp::port() const {
  return parts_->server->port();
}
std::uint16_t ServerApp::chimera_port() const {
  return parts_->chimera_server ? parts_->chimera_server->port() : std::uint16_t{0};
}
const std::string& ServerApp::fresh_token() const {
  return parts_->files.access.fresh_token();
}
bool ServerApp::shares_token() const {
  return parts_->files.journal.node != nullptr;
}
Result<void> ServerApp::KeepFreshToken() {
  Access& access = parts_->files.access;
  return shares_token() ? access.ShareToken(*parts_->runtime.registry) : access.KeepFreshToken();
}

void ServerApp::Reload(Parts& parts) {
  if (!parts.reread) return;
  // Who sent a signal is not known. What was wrong is in the log only: it may quote the file, which has secrets.
  const auto record = [&parts](const char* what) {
    parts.files.access.audit().Write({.event = "admin", .what = what, .from = "signal", .who = {}});
  };
  const auto fail = [&record](const Error& error) {
    record("SIGHUP: nothing is changed");
    log::Error("SIGHUP: nothing is changed: {}", error.message);
  };
  const Result<Config> config = parts.reread();
  if (!config) return fail(config.error());
  if (const Result<void> used = parts.server->UseCertificates(config->listen); !used) return fail(used.error());
  log::SetLevel(config->log_level);
  record("SIGHUP: certificates and the log's level were read again");
  log::Info("SIGHUP: certificates and the log's level were read again");
}

void ServerApp::Run() {
  Parts& parts = *parts_;
  const auto on_signal = [&parts](int signal) {
    if (signal == SIGHUP) {
      parts.service->Reloading();
      Reload(parts);
      parts.service->Ready();
      return;
    }
    if (parts.draining) {
      log::Warn("stopping immediately");
      parts.runtime.shards.Stop();
      return;
    }
    parts.draining = true;
    parts.service->Stopping();
    log::Info("stopping: connections have {} s to end",
              std::chrono::duration_cast<std::chrono::seconds>(kDrain).count());
    const auto stop = [&parts] {
      auto left = std::make_shared<int>(parts.chimera_server ? 3 : 2);
      const auto done = [&parts, left] {
        if (--*left == 0) parts.runtime.shards.Stop();
      };
      parts.runtime.shards.CloseClients(kDrain, done);
      if (parts.chimera_server) parts.chimera_server->Shutdown(kDrain, done);
      parts.server->Shutdown(kDrain, done);
    };
    ClusterNode* const node = parts.files.journal.node.get();
    if (node == nullptr) return stop();
    // Others go on with the matches before the connections end.
    node->Leave([&parts, stop] { parts.runtime.shards.at(0).Post(stop); });
  };
  parts.signals = std::make_unique<net::SignalWatch>(parts.runtime.shards, on_signal, true);
  parts.runtime.shards.at(0).Post([&parts] { parts.service->Ready(); });
  parts.runtime.shards.RunFirstHere();
  log::Info("stopped");
}

void ServerApp::RunWithStdio() {
  Parts& parts = *parts_;
  net::Shard& home = parts.runtime.shards.at(0);
  // Calls end with the connection, which needs its output until then.
  std::unique_ptr<StdioPump> pump;
  mcp::StdioConnection connection(parts.doors.mcp.server(),
                                  [&pump](std::string line) { pump->Write(std::move(line)); });
  pump = std::make_unique<StdioPump>(
      home, [&connection](std::string_view bytes) { connection.Feed(bytes); },
      [&connection] { return connection.idle(); }, [&parts] { parts.runtime.shards.Stop(); });
  Run();
}

}  // namespace openseat::app
