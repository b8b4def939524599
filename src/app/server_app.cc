#include "app/server_app.h"

#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <utility>
#include <vector>

#include "agents/external/seat_token.h"
#include "agents/llm/models.h"
#include "app/access.h"
#include "app/agents.h"
#include "app/api_description.h"
#include "app/data_dir.h"
#include "app/game_door.h"
#include "app/games.h"
#include "app/mcp_service.h"
#include "app/service_manager.h"
#include "app/stdio_pump.h"
#include "base/budget.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/metrics.h"
#include "core/registry.h"
#include "core/table.h"
#include "core/transcript.h"
#include "match/lobby.h"
#include "net/bearer.h"
#include "net/client_address.h"
#include "net/http_client.h"
#include "net/memory_guard.h"
#include "net/operations.h"
#include "net/origin.h"
#include "net/shard.h"
#include "protocols/agent_api/agent_api.h"
#include "protocols/agent_api/webhook_agent.h"
#include "protocols/chimera/session.h"
#include "protocols/console/agents_api.h"
#include "protocols/console/arena_api.h"
#include "protocols/console/console_api.h"
#include "protocols/console/intake.h"
#include "protocols/console/live_api.h"
#include "protocols/console/live_feed.h"
#include "protocols/console/models_api.h"
#include "protocols/mcp/stdio.h"
#include "protocols/narrative/narrative_api.h"
#include "protocols/neuro/neuro_server.h"
#include "protocols/registry_api/registry_api.h"
#include "store/journal_format.h"
#include "store/registry_format.h"
#include "store/sqlite_journal.h"
#include "store/sqlite_registry.h"
#include "web_ui/web_ui.h"

namespace openseat::app {
namespace {

constexpr Duration kDrain = std::chrono::seconds(5);
// How often the journal forgets what is old: by how long it is kept, within these.
constexpr Duration kPruneAtMost = std::chrono::seconds(1);
constexpr Duration kPruneAtLeast = std::chrono::hours(1);

std::vector<Scheduler*> SchedulersOf(net::Shards& shards) {
  std::vector<Scheduler*> schedulers;
  for (std::size_t i = 0; i < shards.size(); ++i) schedulers.push_back(&shards.at(i));
  return schedulers;
}

const AgentSpec& SpecFor(const Config& config, const std::string& game) {
  const auto found = config.agents.find(game);
  return found == config.agents.end() ? config.agent : found->second;
}

// A manager that cannot be understood is told nothing, and may end the process for it.
std::unique_ptr<ServiceManager> MakeServiceManager(net::Shards& shards) {
  Result<ServiceEnvironment> environment = ReadServiceEnvironment(FromEnvironment, getpid());
  if (!environment) log::Warn("{}", environment.error().message);
  return std::make_unique<ServiceManager>(environment ? std::move(*environment) : ServiceEnvironment(),
                                          SchedulersOf(shards));
}

// Without a narrator in the config file a model narrates, where there is one.
narrative::NarrativeOptions StoriesOf(const Config& config) {
  narrative::NarrativeOptions options = config.narrative;
  if (!options.narrator.kind.empty()) return options;
  if (config.models.empty()) {
    options.narrator = {"storyteller", {}};
  } else {
    options.narrator = {"llm", {{"model", config.models.front().name}}};
  }
  return options;
}

// When it goes, the journal has answered all that was appended: the tables before it have gone, and where the answers
// go to is still there.
struct Settled {
  Journal& journal;
  ~Settled() { static_cast<void>(journal.Flush().has_value()); }
};

}  // namespace

// Destroyed from the last to the first.
struct ServerApp::Parts {
  Parts(Config given, std::unique_ptr<Metrics> counted, std::unique_ptr<store::SqliteJournal> opened,
        std::unique_ptr<Registry> kept, Access allowed)
      : config(std::move(given)),
        counters(std::move(counted)),
        metrics(*counters),
        journal(std::move(opened)),
        live(*journal, &metrics),
        access(std::move(allowed)),
        budget(config.budget, &metrics),
        shards(config.shards, &metrics),
        registry(std::move(kept)),
        http(shards),
        models(config.models, http),
        directory(SchedulersOf(shards)),
        webhooks{directory, *registry, http, {}},
        kinds(AgentsWith({.models = &models, .webhooks = &webhooks})),
        neuro(config.neuro, directory, live, [this](const std::string& game) { return SeatAgent(game); }),
        lobby(config.test_games ? AllGames() : PublicGames(), config.match, config.match_linger, directory, live,
              JournalledFactoryOf(kinds)),
        games(access, *registry, lobby, shards.at(0)),
        intake(*registry, GamesWithDecks(),
               [this](std::string_view url, std::string_view key) {
                 Result<void> usable = agent_api::CheckWebhookKey(key);
                 return usable ? agent_api::CheckWebhookUrl(url, webhooks.rules.policy) : usable;
               }),
        console(directory, live, kinds, lobby, intake),
        arena(config.data_dir),
        agents_api(directory, *registry, clock, config.agent_rate, &access.guesses()),
        registry_api(*registry, shards.at(0), GamesWithDecks()),
        live_api(live, directory),
        mcp({.fixtures = config.mcp_fixtures,
             .authorization = config.mcp_authorization,
             .rate = config.agent_rate,
             .default_agent = [this](const std::string& game) { return SeatAgent(game); }},
            shards, access, *registry, http, lobby, directory, live, kinds),
        stories(
            directory, live, lobby, kinds,
            [this](Scheduler& scheduler, AgentSpec named, const std::function<void(Result<AgentSpec>)>& done) {
              intake.PrepareAgent(scheduler, std::move(named), done);
            },
            [this](Scheduler& scheduler, const AgentSpec& prepared) { intake.Forget(scheduler, prepared); },
            StoriesOf(config)) {
    webhooks.rules.policy = config.webhooks;
    if (!config.allow_fixtures) lobby.SetGate(RefuseFixtures);
    access.audit().CountIn(metrics);
    net::AddOperations(router, metrics, [this]() -> Result<void> {
      if (budget.MemoryBeyond() == 0) return journal->Writable();
      return Fail(ErrorCode::kBusy, "memory is beyond limits.max_memory; new connections and tables are refused");
    });
    neuro.AddRoutes(router, games.ForNeuro());
    const auto chimera = [this](const net::HttpRequest& request) -> Result<std::unique_ptr<net::WebSocketSession>> {
      return std::make_unique<chimera::Session>(
          lobby,
          chimera::Caller{.local = net::IsLocal(request),
                          .owner = access.IsAdminToken(net::WebSocketToken(request)),
                          .from = net::ClientAddress(request)},
          &access.guesses(), request.payer);
    };
    net::UpgradeOptions chimera_options;
    // A page that offers its token as a subprotocol needs another one to be chosen.
    chimera_options.subprotocols = {std::string(chimera::kSubprotocol)};
    chimera_options.admit = games.ForChimera();
    router.AddWebSocket("/chimera", chimera_options, chimera);
    for (const char* path : {"/", "/chimera"}) chimera_router.AddWebSocket(path, chimera_options, chimera);
    chimera_router.SetGuard([this](const net::HttpRequest& request) { return access.Check(request); });
    console.AddRoutes(router);
    arena.AddRoutes(router);
    console::AddAgentsRoute(router, kinds);
    console::AddModelsRoute(router, OfferedModels());
    agents_api.AddRoutes(router);
    registry_api.AddRoutes(router);
    live_api.AddRoutes(router);
    stories.AddRoutes(router);
    mcp.AddRoutes(router);
    AddReadings();
    AddDescription();
    web_ui::AddWebUi(router);
    router.SetGuard([this](const net::HttpRequest& request) { return access.Check(request); });
    for (net::Router* each : {&router, &chimera_router}) each->SetTrust({config.access.origins, config.proxies});
  }

  // What others count, as /metrics has it.
  void AddReadings() {
    const auto held = [this](Holding what) { return [this, what] { return static_cast<double>(budget.held(what)); }; };
    metrics.AddReading("openseat_tables_open", "Tables of remote games open now.", false, held(Holding::kTables));
    metrics.AddReading("openseat_matches_open", "Matches open now.", false, held(Holding::kMatches));
    metrics.AddReading("openseat_watched_open", "Matches and tables watched now.", false, held(Holding::kWatched));
    metrics.AddReading("openseat_log_lines_lost_total", "Lines of the log that were lost because nobody read them.",
                       true, [] { return static_cast<double>(log::Lost()); });
    for (const llm::ModelEntry* entry : models.All()) {
      const Metrics::Labels of{{"model", entry->model.name}};
      const auto add = [&](const char* name, const char* help, auto read, const Metrics::Labels& labels) {
        metrics.AddReading(
            name, help, true, [entry, read] { return static_cast<double>(entry->stats.Read(read)); }, labels);
      };
      const auto with = [&](const char* label, const char* value) {
        Metrics::Labels labels = of;
        labels.emplace_back(label, value);
        return labels;
      };
      const char* calls_help = "Requests to a model: answered, and those that were tried again or given up.";
      add(
          "openseat_model_calls_total", calls_help, [](const llm::ModelStats& stats) { return stats.calls; },
          with("outcome", "answered"));
      add(
          "openseat_model_calls_total", calls_help, [](const llm::ModelStats& stats) { return stats.failures; },
          with("outcome", "failed"));
      const char* tokens_help = "Tokens that a model was sent and answered, as its provider counts them.";
      add(
          "openseat_model_tokens_total", tokens_help,
          [](const llm::ModelStats& stats) { return stats.usage.input_tokens; }, with("direction", "in"));
      add(
          "openseat_model_tokens_total", tokens_help,
          [](const llm::ModelStats& stats) { return stats.usage.output_tokens; }, with("direction", "out"));
      add(
          "openseat_model_cost_dollars_total", "What a model's tokens cost, by its prices in the settings.",
          [](const llm::ModelStats& stats) { return stats.cost; }, of);
      add(
          "openseat_model_illegal_answers_total", "Answers of a model that no schema or rule allowed.",
          [](const llm::ModelStats& stats) { return stats.illegal; }, of);
    }
  }

  void AddDescription() {
    net::RouteInfo info;
    info.summary = "This description.";
    info.tag = "operations";
    info.operation = "getOpenApi";
    info.response_schema = json::Object{{"type", "object"}};
    router.Add(net::Method::kGet, "/openapi.json", std::move(info),
               [this](const net::HttpRequest&, net::HttpReply reply) {
                 net::HttpResponse response;
                 response.headers.Add("Content-Type", "application/json");
                 response.shared_body = description;
                 std::move(reply).Send(std::move(response));
               });
  }

  std::vector<console::OfferedModel> OfferedModels() const {
    std::vector<console::OfferedModel> offered;
    for (const llm::ModelEntry* entry : models.All()) {
      offered.push_back({entry->model.name, std::string(llm::ProviderName(entry->model.provider)), entry->model.model});
    }
    return offered;
  }

  Result<void> CheckAgents() {
    if (Result<std::unique_ptr<Agent>> agent = kinds.Make(config.agent); !agent) return Fail(agent.error());
    if (Result<std::unique_ptr<Agent>> narrator = kinds.Make(StoriesOf(config).narrator); !narrator) {
      return Fail(narrator.error().code, "the narrator: " + narrator.error().message, narrator.error().path);
    }
    for (const auto& [game, spec] : config.agents) {
      if (Result<std::unique_ptr<Agent>> agent = kinds.Make(spec); !agent) {
        return Fail(agent.error().code, "agent of \"" + game + "\": " + agent.error().message, agent.error().path);
      }
    }
    return {};
  }

  std::unique_ptr<Agent> SeatAgent(const std::string& game) {
    Result<std::unique_ptr<Agent>> agent = kinds.Make(SpecFor(config, game));
    if (agent) return std::move(*agent);
    // It was checked at start; a script file may have gone or changed since.
    log::Error("{}: nobody takes the seat: {}", game, agent.error().message);
    return nullptr;
  }

  // Games from elsewhere end with the process, also with one that could not write so; a table that stayed open would
  // never be forgotten.
  void CloseLeftOpen(const std::vector<TableRecord>& tables) {
    for (const TableRecord& table : tables) {
      Transcript(live, shards.at(0), table.id, table.last_seq)
          .Add(EventKind::kClosed, R"({"reason":"the server ended before the table was closed"})");
    }
  }

  const Config config;
  const std::unique_ptr<Metrics> counters;
  Metrics& metrics;  // outlives what counts
  const std::unique_ptr<store::SqliteJournal> journal;
  console::LiveFeed live;  // what everybody writes to: the journal, and who watches
  const Access access;
  Budget budget;
  net::Shards shards;
  const Settled settled{*journal};
  const std::unique_ptr<Registry> registry;  // answers on the shards as long as it lives
  net::HttpClients http;
  const llm::Models models;
  TableDirectory directory;
  agent_api::WebhookWorld webhooks;
  const AgentKinds kinds;
  net::Router router;
  net::Router chimera_router;
  neuro::NeuroServer neuro;
  Lobby lobby;
  GameDoor games;
  console::Intake intake;
  console::ConsoleApi console;
  console::ArenaApi arena;
  const SystemClock clock;
  agent_api::AgentApi agents_api;
  registry_api::RegistryApi registry_api;
  console::LiveApi live_api;
  std::shared_ptr<const std::string> description;  // of all routes, made once they are there
  McpService mcp;
  narrative::NarrativeApi stories;
  std::unique_ptr<net::Server> server;
  std::unique_ptr<net::Server> chimera_server;
  std::unique_ptr<net::MemoryGuard> memory_guard;
  std::unique_ptr<net::SignalWatch> signals;
  std::unique_ptr<ServiceManager> service;
  Reread reread;
  bool draining = false;
};

// A match of the command line or the config file, its seats minted.
struct ServerApp::StartMatch {
  std::string game;
  std::vector<PlannedSeat> seats;
  std::vector<std::pair<SeatIndex, SeatSecrets>> secrets;
};

Result<std::vector<ServerApp::StartMatch>> ServerApp::MatchesAtStart(const Parts& parts) {
  std::vector<StartMatch> matches;
  for (const MatchRequest& request : parts.config.matches) {
    StartMatch match{request.game, request.seats, {}};
    for (std::size_t i = 0; i < match.seats.size(); ++i) {
      if (IsPlayedFromOutside(match.seats[i].agent.kind)) {
        match.secrets.emplace_back(static_cast<SeatIndex>(i), MintSeat(match.seats[i].agent.options));
      }
    }
    if (const Result<const Game*> checked = parts.lobby.Check(match.game, nullptr, match.seats); !checked) {
      return Fail(checked.error().code, "a match of " + match.game + " cannot be made: " + checked.error().message,
                  checked.error().path);
    }
    matches.push_back(std::move(match));
  }
  return matches;
}

// Who may play a seat from outside is told on the standard output, once; the log has no secrets.
void ServerApp::OpenMatch(Parts& parts, StartMatch match) {
  parts.lobby.Create(
      parts.shards.at(0), match.game, nullptr, std::move(match.seats),
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
      parts.budget.OwnPayer());
}

ServerApp::ServerApp(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}

ServerApp::~ServerApp() {
  parts_->shards.Stop();
  parts_->signals.reset();
  parts_->memory_guard.reset();
  parts_->chimera_server.reset();
  parts_->server.reset();
}

Result<std::unique_ptr<ServerApp::Parts>> ServerApp::MakeParts(Config config) {
  if (config.data_dir.empty()) config.data_dir = DefaultDataDir();
  if (Result<void> made = OpenDataDir(config.data_dir); !made) return Fail(made.error());
  AccessOptions allowed = config.access;
  for (const net::ListenAddress& address : config.listen) allowed.hosts.push_back(net::HostOnly(address.host));
  Result<Access> access = Access::Open(config.data_dir, std::move(allowed));
  if (!access) return Fail(access.error());
  auto metrics = std::make_unique<Metrics>();
  store::SqliteJournalOptions options;
  if (config.keep_recordings > Duration(0)) {
    options.keep_closed = config.keep_recordings;
    options.prune_every = std::clamp(config.keep_recordings / 10, kPruneAtMost, kPruneAtLeast);
  }
  options.room = {config.journal_max_bytes, config.journal_reserve_bytes};
  options.metrics = metrics.get();
  auto journal = store::SqliteJournal::Open(config.data_dir + "/" + store::kJournalFileName, options);
  if (!journal) return Fail(journal.error());

  static const SystemClock clock;
  auto registry = store::SqliteRegistry::Open(config.data_dir + "/" + store::kRegistryFileName, clock);
  if (!registry) return Fail(registry.error());

  auto parts = std::make_unique<Parts>(std::move(config), std::move(metrics), std::move(*journal), std::move(*registry),
                                       std::move(*access));
  parts->description = std::make_shared<const std::string>(json::Write(net::OpenApi(parts->router, ApiDescription())));
  return parts;
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
    return net::OpenApi((*parts)->router, ApiDescription());
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
  // What cannot be seated later is said now.
  if (Result<void> agents = parts->CheckAgents(); !agents) return Fail(agents.error());
  Result<std::unique_ptr<net::Server>> server = net::Server::Listen(
      parts->shards, parts->router, parts->config.listen, parts->config.limits, &parts->metrics, &parts->budget);
  if (!server) return Fail(server.error());
  parts->server = std::move(*server);
  if (const auto& address = parts->config.chimera_listen) {
    server = net::Server::Listen(parts->shards, parts->chimera_router, {*address}, parts->config.limits,
                                 &parts->metrics, &parts->budget);
    if (server) {
      parts->chimera_server = std::move(*server);
    } else if (parts->config.chimera_asked || server.error().code != ErrorCode::kConflict) {
      return Fail(server.error());
    } else {
      log::Warn("{}; Chimera clients reach this server at /chimera only", server.error().message);
    }
  }
  Result<std::vector<StartMatch>> matches = MatchesAtStart(*parts);
  if (!matches) return Fail(matches.error());
  const Result<Lobby::Recovered> recovered = parts->lobby.Recover(parts->budget.OwnPayer());
  if (!recovered) return Fail(recovered.error());
  if (recovered->matches > 0) log::Info("{} matches go on from the journal", recovered->matches);
  if (recovered->agents) parts->intake.ForgetOthers(parts->shards.at(0), *recovered->agents);
  parts->memory_guard = std::make_unique<net::MemoryGuard>(parts->shards, parts->budget, parts->metrics, ResidentMemory,
                                                           ReleaseFreedMemory);
  parts->memory_guard->Watch(*parts->server);
  if (parts->chimera_server) parts->memory_guard->Watch(*parts->chimera_server);
  parts->CloseLeftOpen(recovered->left_open);
  // Recovered or not, the matches of the command line are made anew; the loops do not run yet, so this waits for them.
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
  return parts_->access.fresh_token();
}

void ServerApp::Reload(Parts& parts) {
  if (!parts.reread) return;
  const auto fail = [](const Error& error) { log::Error("SIGHUP: nothing is changed: {}", error.message); };
  const Result<Config> config = parts.reread();
  if (!config) return fail(config.error());
  if (const Result<void> used = parts.server->UseCertificates(config->listen); !used) return fail(used.error());
  log::SetLevel(config->log_level);
  log::Info("SIGHUP: certificates and the log's level were read anew");
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
      log::Warn("stopping at once");
      parts.shards.Stop();
      return;
    }
    parts.draining = true;
    parts.service->Stopping();
    log::Info("stopping: connections have {} s to end",
              std::chrono::duration_cast<std::chrono::seconds>(kDrain).count());
    auto left = std::make_shared<int>(parts.chimera_server ? 3 : 2);
    const auto done = [&parts, left] {
      if (--*left == 0) parts.shards.Stop();
    };
    parts.shards.CloseClients(kDrain, done);
    if (parts.chimera_server) parts.chimera_server->Shutdown(kDrain, done);
    parts.server->Shutdown(kDrain, done);
  };
  parts.service = MakeServiceManager(parts.shards);
  parts.signals = std::make_unique<net::SignalWatch>(parts.shards, on_signal, true);
  parts.shards.at(0).Post([&parts] { parts.service->Ready(); });
  parts.shards.RunFirstHere();
  log::Info("stopped");
}

void ServerApp::RunWithStdio() {
  Parts& parts = *parts_;
  net::Shard& home = parts.shards.at(0);
  // Calls end with the connection, which needs its output until then.
  std::unique_ptr<StdioPump> pump;
  mcp::StdioConnection connection(parts.mcp.server(), [&pump](std::string line) { pump->Write(std::move(line)); });
  pump = std::make_unique<StdioPump>(
      home, [&connection](std::string_view bytes) { connection.Feed(bytes); },
      [&connection] { return connection.idle(); }, [&parts] { parts.shards.Stop(); });
  Run();
}

}  // namespace openseat::app
