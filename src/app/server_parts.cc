#include "app/server_parts.h"

#include <algorithm>
#include <utility>

#include "app/agents.h"
#include "app/api_description.h"
#include "app/choice_judge.h"
#include "app/cluster_live.h"
#include "app/data_dir.h"
#include "app/games.h"
#include "base/log.h"
#include "games/script/script_game.h"
#include "net/bearer.h"
#include "net/client_address.h"
#include "net/openapi.h"
#include "net/operations.h"
#include "net/origin.h"
#include "protocols/chimera/session.h"
#include "protocols/console/agents_api.h"
#include "protocols/console/models_api.h"
#include "web_ui/web_ui.h"

namespace openseat::app {
namespace {

// How long what nobody waits for may wait in a match's record (core/transcript.h): about until the next choice.
constexpr Duration kMatchLinger = std::chrono::milliseconds(100);

// Whether nobody is behind the agent who could ask the server about the match: a language model reads only its prompts.
bool PlaysHere(const AgentSpec& agent) {
  const AgentKind* kind = DescribedAgents().Find(agent.kind);
  return kind != nullptr && (kind->plays_from == PlaysFrom::kHere || kind->kind == "llm");
}

MatchRules RulesFor(MatchRules rules, Duration linger) {
  rules.linger = linger;
  rules.takes_long = games::IsScript;
  rules.costs = [](const AgentSpec& agent) {
    const AgentKind* kind = DescribedAgents().Find(agent.kind);
    return kind == nullptr || kind->CostsOperator();
  };
  return rules;
}

// Where other nodes of a cluster ask.
constexpr const char* kSeatsPath = "/chimera/seats";

// One message over what the relay gives to a socket at a time (relay/outbox.cc), and room for pings.
constexpr std::size_t kRelayOutbox = 32u << 20;

const AgentSpec& SpecFor(const Config& config, const std::string& game) {
  const auto found = config.agents.find(game);
  return found == config.agents.end() ? config.agent : found->second;
}

// If the config file names no narrator, a model narrates if there is one.
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

voice::VoiceOptions VoiceOf(const Config& config) {
  voice::VoiceOptions options = config.voice;
  if (config.record_voice) options.record_dir = config.data_dir + "/voice";
  options.max_recorded_bytes = config.max_recorded_voice;
  options.max_programs = config.max_voice_programs;
  options.reserve_bytes = config.journal_reserve_bytes;
  return options;
}

std::unique_ptr<relay::Relay> MakeRelay(ServerFiles& files, ServerRuntime& runtime, neuro::NeuroServer& server) {
  if (!files.config.relay) return nullptr;
  net::WebSocketClientOptions options;
  options.max_message_bytes = files.config.limits.max_message_bytes;
  options.max_outbox_bytes = kRelayOutbox;
  options.raw_text = true;
  return std::make_unique<relay::Relay>(*files.config.relay, server, runtime.shards.at(0),
                                        neuro::DialOverNetwork(std::move(options)), files.metrics);
}

// Figures that other modules count, for /metrics.
void AddReadings(Metrics& metrics, const Budget& budget, const llm::Models& models) {
  const auto held = [&budget](Holding what) {
    return [&budget, what] { return static_cast<double>(budget.held(what)); };
  };
  metrics.AddReading("openseat_tables_open", "Tables of remote games open now.", false, held(Holding::kTables));
  metrics.AddReading("openseat_matches_open", "Matches open now.", false, held(Holding::kMatches));
  metrics.AddReading("openseat_watched_open", "Matches and tables watched now.", false, held(Holding::kWatched));
  metrics.AddReading("openseat_log_lines_lost_total", "Lines of the log that were lost because nobody read them.", true,
                     [] { return static_cast<double>(log::Lost()); });
  metrics.AddReading("openseat_log_lines_left_out_total",
                     "Lines of the log that were left out: one address, or all of them, caused too many.", true,
                     [] { return static_cast<double>(log::LeftOut()); });
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
        [](const llm::ModelStats& stats) { return stats.usage.tokens_in(); }, with("direction", "in"));
    add(
        "openseat_model_tokens_total", tokens_help, [](const llm::ModelStats& stats) { return stats.usage.output; },
        with("direction", "out"));
    add(
        "openseat_model_cost_dollars_total", "What a model's tokens cost, by its prices in the settings.",
        [](const llm::ModelStats& stats) { return stats.cost; }, of);
    add(
        "openseat_model_unanswered_tokens_total", "Tokens, by an estimate, of requests that were sent in vain.",
        [](const llm::ModelStats& stats) { return stats.unanswered; }, of);
    add(
        "openseat_model_illegal_answers_total", "Answers of a model that no schema or rule allowed.",
        [](const llm::ModelStats& stats) { return stats.illegal; }, of);
  }
}

std::vector<console::OfferedModel> OfferedModels(const llm::Models& models) {
  std::vector<console::OfferedModel> offered;
  for (const llm::ModelEntry* entry : models.All()) {
    offered.push_back({entry->model.name, std::string(llm::ProviderName(entry->model.provider)), entry->model.model});
  }
  return offered;
}

constexpr const char* kDescription = "openapi.json";

// The description is made once all routes are there.
void AddDescription(net::Router& router, const std::unique_ptr<const net::StaticFiles>& description) {
  net::RouteInfo info;
  info.summary = "This description.";
  info.tag = "operations";
  info.operation = "getOpenApi";
  info.page = true;
  info.response_schema = json::Object{{"type", "object"}};
  router.Add(net::Method::kGet, "/openapi.json", std::move(info),
             [&description](const net::HttpRequest& request, net::HttpReply reply) {
               std::move(reply).Send(description->Answer(request, kDescription));
             });
}

// The account of who signed in; empty if nobody has.
AccountId AccountOf(const SignInDoor& door, const net::HttpRequest& request) {
  const std::optional<oauth::Person> person = door.PersonOf(request);
  return person ? AccountId(person->account) : AccountId();
}

std::function<bool(const TableId&)> ElsewhereIn(const ClusterDoor* cluster) {
  if (cluster == nullptr) return nullptr;
  return [cluster](const TableId& match) { return !cluster->node().PlaceOf(match).here; };
}

std::unique_ptr<ClusterDoor> MakeClusterDoor(ServerFiles& files, ServerRuntime& runtime, const ServerTables& tables) {
  if (!files.journal.node) return nullptr;
  // An invitation, or what else a match lets in, is no guess of the admin token.
  return std::make_unique<ClusterDoor>(
      *files.journal.node, runtime.http, runtime.shards.at(0),
      [&tables](const net::HttpRequest& request) { return net::IsLocal(request) || tables.games.IsOwner(request); });
}

std::unique_ptr<ClusterCalls> MakeClusterCalls(ServerFiles& files, ServerRuntime& runtime, mcp::Reads& reads) {
  if (!files.journal.node) return nullptr;
  return std::make_unique<ClusterCalls>(*files.journal.node, runtime.http, runtime.shards.at(0), reads);
}

std::function<bool(const net::HttpRequest&)> PassedOnBy(const ClusterDoor* door) {
  if (door == nullptr) return nullptr;
  return [door](const net::HttpRequest& request) { return door->PassedOn(request).has_value(); };
}

mcp::PlayWorld::AskOthers AskOthersBy(const ClusterCalls* calls) {
  if (calls == nullptr) return nullptr;
  return [calls](const mcp::CallPtr& call, std::function<void(std::vector<mcp::OthersAnswer>)> done) {
    calls->AskAll(call, std::move(done));
  };
}

mcp::Server::Elsewhere CallsElsewhere(ClusterCalls* calls) {
  if (calls == nullptr) return nullptr;
  return [calls](const mcp::CallPtr& call) { return calls->Take(call); };
}

// Other nodes ask whom a match that is here lets in.
void AnswerWhoIsAdmitted(ServerDoors& doors, ServerRuntime& runtime, ServerTables& tables) {
  const ClusterDoor& cluster = *doors.cluster;
  tables.games.SetElsewhere([&cluster](const net::HttpRequest& request, const std::string& token, const auto& done) {
    return cluster.AskElsewhere(request, token, done);
  });
  doors.router.Add(net::Method::kGet, std::string(ClusterDoor::kAdmitsPath), {},
                   [&cluster, &runtime, &tables](const net::HttpRequest& request, net::HttpReply reply) {
                     const std::string* token = request.Query("token");
                     if (!cluster.IsPassedOn(request) || token == nullptr) {
                       return std::move(reply).Send(net::OtherServers::NotForClients());
                     }
                     const auto waiting = std::make_shared<net::HttpReply>(std::move(reply));
                     tables.lobby.Admits(runtime.shards.at(0), *token, [waiting](bool admitted) {
                       std::move(*waiting).Send(net::HttpResponse::Json(admitted ? 200 : 403, json::Object()));
                     });
                   });
}

// A list of its seats that a node asks the others for, if they know the person.
std::function<void(std::function<void(json::Array)>)> SeatsElsewhere(const ClusterDoor* cluster,
                                                                     const net::HttpRequest& request) {
  if (cluster == nullptr || cluster->IsPassedOn(request)) return nullptr;
  return [cluster, asked = std::make_shared<const net::HttpRequest>(request)](const auto& done) {
    cluster->AskAll(*asked, kSeatsPath, [done](const std::vector<net::OtherServers::Answer>& answers) {
      json::Array seats;
      for (const net::OtherServers::Answer& answer : answers) {
        const Result<json::Value> listed = answer.body ? json::Parse(*answer.body) : Fail(ErrorCode::kTimeout, "none");
        if (!listed || !listed->is_array()) continue;
        seats.insert(seats.end(), listed->get_array().begin(), listed->get_array().end());
      }
      done(std::move(seats));
    });
  };
}

void AnswerWhoseSeats(ServerDoors& doors, ServerRuntime& runtime, ServerTables& tables) {
  doors.router.Add(net::Method::kGet, kSeatsPath, {},
                   [&doors, &runtime, &tables](const net::HttpRequest& request, net::HttpReply reply) {
                     const AccountId account = AccountOf(tables.sign_in, request);
                     if (!doors.cluster->IsPassedOn(request) || account.empty()) {
                       return std::move(reply).Send(net::OtherServers::NotForClients());
                     }
                     const auto waiting = std::make_shared<net::HttpReply>(std::move(reply));
                     chimera::Session::SeatsOf(tables.lobby, runtime.shards.at(0), account.str(),
                                               [waiting](const json::Array& own) {
                                                 std::move(*waiting).Send(net::HttpResponse::Json(200, own));
                                               });
                   });
}

void AddChimera(ServerDoors& doors, ServerFiles& files, ServerTables& tables) {
  const auto session = [&files, &tables, cluster = doors.cluster.get()](
                           const net::HttpRequest& request) -> Result<std::unique_ptr<net::WebSocketSession>> {
    const std::string account = AccountOf(tables.sign_in, request).str();
    std::unique_ptr<net::WebSocketSession> here = std::make_unique<chimera::Session>(
        tables.lobby,
        chimera::Caller{.local = net::IsLocal(request),
                        .owner = tables.games.IsOwner(request),
                        .from = net::ClientAddress(request),
                        .account = account,
                        .who = request.who,
                        .audit =
                            [&files, from = net::ClientAddress(request), who = request.who](std::string_view what) {
                              files.access.audit().Write(
                                  {.event = "player", .what = std::string(what), .from = from, .who = who});
                            },
                        .elsewhere = ElsewhereIn(cluster),
                        .seats_elsewhere = account.empty() ? nullptr : SeatsElsewhere(cluster, request)},
        &files.access.guesses(), request.payer);
    return cluster == nullptr ? std::move(here) : cluster->Chimera(request, std::move(here));
  };
  net::UpgradeOptions options;
  // A page that sends its token as a subprotocol needs another subprotocol to be chosen.
  options.subprotocols = {std::string(chimera::kSubprotocol)};
  options.admit = tables.games.ForChimera();
  if (const ClusterDoor* cluster = doors.cluster.get()) {
    options.admit = [cluster, admit = options.admit](const net::HttpRequest& request, const auto& done) {
      // The node that the client came to has admitted it.
      cluster->PassedOn(request) ? done({}) : admit(request, done);
    };
  }
  doors.router.AddWebSocket("/chimera", options, session);
  for (const char* path : {"/", "/chimera"}) doors.chimera_router.AddWebSocket(path, options, session);
}

constexpr const char* kOtherDataDir = ". Stop that one, or give this one another --data-dir";

Result<std::unique_ptr<ScriptShelf>> OpenShelf(const Config& config) {
  return ScriptShelf::Open(config.games, config.data_dir + "/games",
                           [](std::string_view id) { return FindGame(id) != nullptr; });
}

}  // namespace

std::vector<Scheduler*> SchedulersOf(net::Shards& shards) {
  std::vector<Scheduler*> schedulers;
  for (std::size_t i = 0; i < shards.size(); ++i) schedulers.push_back(&shards.at(i));
  return schedulers;
}

ServerFiles::ServerFiles(Config its_config, std::unique_ptr<ScriptShelf> its_scripts, std::unique_ptr<Metrics> counted,
                         OpenedJournal opened, Access its_access, std::string its_session_key)
    : config(std::move(its_config)),
      scripts(std::move(its_scripts)),
      counters(std::move(counted)),
      metrics(*counters),
      journal(std::move(opened)),
      live(*journal.journal, &metrics),
      access(std::move(its_access)),
      session_key(std::move(its_session_key)) {}

Result<std::unique_ptr<ServerFiles>> ServerFiles::Open(Config config) {
  if (config.data_dir.empty()) config.data_dir = DefaultDataDir();
  if (Result<void> made = OpenDataDir(config.data_dir); !made) return Fail(made.error());
  AccessOptions allowed = config.access;
  for (const net::ListenAddress& address : config.listen) allowed.hosts.push_back(net::HostOnly(address.host));
  auto metrics = std::make_unique<Metrics>();
  Result<Access> access = Access::Open(config.data_dir, std::move(allowed), metrics.get());
  if (!access) return Fail(access.error());
  Result<std::string> key = config.sign_in.issuer.empty() ? std::string() : SessionKey(config.data_dir);
  if (!key) return Fail(key.error());
  auto scripts = OpenShelf(config);
  if (!scripts) return Fail(scripts.error());
  Result<OpenedJournal> journal = OpenJournal(config, *metrics);
  if (!journal) {
    Error error = journal.error();
    if (error.code == ErrorCode::kConflict && error.path.ends_with(".lock")) error.message += kOtherDataDir;
    return Fail(std::move(error));
  }
  return std::make_unique<ServerFiles>(std::move(config), std::move(*scripts), std::move(metrics), std::move(*journal),
                                       std::move(*access), std::move(*key));
}

ServerRuntime::ServerRuntime(ServerFiles& files, OpenedRegistry opened)
    : budget(files.config.budget, &files.metrics),
      shards(files.config.shards, &files.metrics),
      settled(*files.journal.journal),
      registry(std::move(opened.registry)),
      registry_writable(std::move(opened.writable)),
      http(shards),
      models(files.config.models, http),
      directory(SchedulersOf(shards)) {}

ServerTables::ServerTables(ServerFiles& its_files, ServerRuntime& runtime)
    : files(its_files),
      webhook_metrics(files.metrics),
      webhooks{runtime.directory, *runtime.registry, runtime.http, {}, &webhook_metrics},
      thinkers(files.config.search_threads),
      kinds(AgentsWith({.models = &runtime.models, .webhooks = &webhooks, .thinkers = &thinkers})),
      neuro(files.config.neuro, runtime.directory, files.live,
            {.by_default = [this](const std::string& game) { return SeatAgent(game); },
             .make = JournalledFactoryOf(kinds)},
            &files.metrics),
      relay(MakeRelay(files, runtime, neuro)),
      voice(VoiceOf(files.config), runtime.shards.at(0)),
      lobby(files.config.test_games ? AllGames() : PublicGames(), RulesFor(files.config.match, kMatchLinger),
            files.config.match_linger, runtime.directory, files.live, JournalledFactoryOf(kinds)),
      sign_in(files.config.sign_in, files.session_key,
              files.journal.node ? IdPrefix(files.journal.node->name()) : std::string(), files.access,
              *runtime.registry, runtime.http, runtime.shards.at(0)),
      games(files.access, *runtime.registry, lobby, runtime.shards.at(0), &sign_in),
      intake(*runtime.registry, GamesWithDecks(), [this](std::string_view url, std::string_view key) {
        Result<void> usable = agent_api::CheckWebhookKey(key);
        return usable ? agent_api::CheckWebhookUrl(url, webhooks.rules.policy) : usable;
      }) {
  files.scripts->Serve(lobby.game_list());
  webhooks.rules.policy = files.config.webhooks;
  if (files.config.allow_fixtures) lobby.AllowSeeds();
  lobby.SetGate([this](const Game& game, const json::Value& options, const std::vector<PlannedSeat>& seats) {
    Result<void> accepted = files.config.allow_fixtures ? Result<void>() : RefuseFixtures(game, options);
    for (const PlannedSeat& seat : seats) {
      if (accepted) accepted = kinds.CheckGame(seat.agent, game.info().id);
    }
    return accepted;
  });
}

Result<void> ServerTables::CheckAgents() const {
  const Config& config = files.config;
  const auto check = [this](const AgentSpec& spec, std::string_view game, const std::string& whose) -> Result<void> {
    Result<void> usable = kinds.CheckGame(spec, game);
    if (usable) {
      const Result<std::unique_ptr<Agent>> agent = kinds.Make(spec);
      if (agent) return {};
      usable = Fail(agent.error());
    }
    return Fail(usable.error().code, whose + usable.error().message, usable.error().path);
  };
  if (Result<void> agent = check(config.agent, "", ""); !agent) return agent;
  if (Result<void> narrator = check(StoriesOf(config).narrator, "narrative", "the narrator: "); !narrator)
    return narrator;
  for (const auto& [game, spec] : config.agents) {
    if (Result<void> agent = check(spec, "", "agent of \"" + game + "\": "); !agent) return agent;
  }
  return {};
}

std::unique_ptr<Agent> ServerTables::SeatAgent(const std::string& game) const {
  if (relay) return relay::MakeUpstreamPlayer();
  Result<std::unique_ptr<Agent>> agent = kinds.Make(SpecFor(files.config, game));
  if (agent) return std::move(*agent);
  // It was checked at start; a script file may have disappeared or changed since.
  log::Error("{}: the seat stays empty: {}", game, agent.error().message);
  return nullptr;
}

ServerDoors::ServerDoors(ServerFiles& files, ServerRuntime& runtime, ServerTables& tables)
    : mcp_reads(runtime.shards.at(0)),
      cluster(MakeClusterDoor(files, runtime, tables)),
      cluster_calls(MakeClusterCalls(files, runtime, mcp_reads)),
      cluster_games(cluster ? std::make_unique<ClusterGames>(*cluster, tables.neuro, runtime.shards.at(0)) : nullptr),
      console(runtime.directory, files.live, tables.kinds, tables.lobby, tables.intake, neuro::AdviceOf),
      arena(files.config.data_dir, files.config.runs,
            [&tables](std::string_view game) { return tables.lobby.FindGame(game); }),
      analysis(files.live, [&tables](std::string_view game) { return tables.lobby.FindGame(game); },
               {.iterations = files.config.live_analysis, .plays_here = PlaysHere}),
      scripts(*files.scripts, tables.lobby, files.live, runtime.shards.at(0), ElsewhereIn(cluster.get())),
      agents_api(runtime.directory, *runtime.registry, runtime.clock, files.config.agent_rate, &files.access.guesses()),
      registry_api(*runtime.registry, runtime.shards.at(0), GamesWithDecks(),
                   [&files, &tables](const net::HttpRequest& request) {
                     const bool operates =
                         net::IsLocal(request) || files.access.BearsAdminToken(request, net::BearerToken(request));
                     return registry_api::Caller{AccountOf(tables.sign_in, request), !operates};
                   }),
      live_api(files.live, runtime.directory),
      mcp({.fixtures = files.config.mcp_fixtures,
           .authorization = files.config.mcp_authorization,
           .rate = files.config.agent_rate,
           .elsewhere = CallsElsewhere(cluster_calls.get()),
           .passed_on = PassedOnBy(cluster.get()),
           .prefix = cluster ? IdPrefix(cluster->node().name()) : std::string(),
           .ask_others = AskOthersBy(cluster_calls.get())},
          runtime.shards, mcp_reads, files.access, *runtime.registry, runtime.http, tables.lobby, runtime.directory,
          files.live, tables.kinds),
      stories(
          runtime.directory, files.live, tables.lobby, tables.kinds,
          [&tables](Scheduler& scheduler, AgentSpec named, const std::function<void(Result<AgentSpec>)>& done) {
            tables.intake.PrepareAgent(scheduler, std::move(named), done);
          },
          [&tables](Scheduler& scheduler, const AgentSpec& prepared) { tables.intake.Forget(scheduler, prepared); },
          StoriesOf(files.config)),
      environments(tables.lobby, tables.kinds, RulesFor(files.config.match, Duration(0)), SchedulersOf(runtime.shards),
                   files.live, JournalledFactoryOf(tables.kinds), JudgeOn(tables.thinkers)),
      openenv(environments, {.admit = tables.games.ForNeuro(), .namer = [&tables](const net::HttpRequest& request) {
                               return tables.games.NamerOf(request);
                             }}) {
  files.access.audit().CountIn(files.metrics);
  AddReadings(files.metrics, runtime.budget, runtime.models);
  if (const ClusterNode* node = files.journal.node.get()) {
    console.SetCluster(
        {.others = cluster.get(), .tables = [node](std::size_t limit, std::uint64_t before, const auto& wanted) {
           return node->TablesHere(limit, before, wanted);
         }});
    agents_api.SetOthers(cluster.get());
    stories.SetCluster({.others = cluster.get(),
                        // Its stories may be in any shard.
                        .maker = [node](const std::string& key) { return node->NodeOf(TableId("story key " + key)); }});
    live_api.SetWrap([this](const net::HttpRequest& request, std::unique_ptr<net::WebSocketSession> own) {
      return FollowTheCluster(*cluster, request, std::move(own));
    });
    files.metrics.AddReading("openseat_cluster_shards", "Shards of the cluster whose tables are here.", false,
                             [node] { return static_cast<double>(node->serves()); });
    files.metrics.AddReading("openseat_cluster_shards_found",
                             "Shards of the cluster whose tables are here, or at another node that is known.", false,
                             [node] { return static_cast<double>(node->found()); });
    files.metrics.AddReading("openseat_cluster_nodes", "Nodes of the cluster that live, this one included.", false,
                             [node] { return static_cast<double>(node->nodes()); });
  }
  files.metrics.AddReading("openseat_openenv_environments_open", "Episodes of OpenEnv environments open now.", false,
                           [this] { return static_cast<double>(environments.open()); });
  files.metrics.AddReading("openseat_game_checks_open", "Checks of uploaded games that wait or run now.", false,
                           [this] { return static_cast<double>(scripts.checks()); });
  net::AddOperations(router, files.metrics, [&files, &runtime]() -> Result<void> {
    if (runtime.budget.MemoryBeyond() == 0) {
      Result<void> journal = files.journal.writable();
      return journal ? runtime.registry_writable() : journal;
    }
    return Fail(ErrorCode::kBusy,
                "memory is beyond 15/16 of limits.max_memory; strangers' new connections and tables are refused");
  });
  tables.sign_in.AddRoutes(router);
  if (tables.relay) {
    tables.relay->AddRoutes(router, tables.games.ForNeuro());
  } else {
    const ClusterGames* const shared = cluster_games.get();
    tables.neuro.AddRoutes(router, shared == nullptr ? tables.games.ForNeuro() : shared->Admit(tables.games.ForNeuro()),
                           shared == nullptr ? net::SessionFactory() : shared->Factory(), tables.voice.Factory());
    if (shared != nullptr) shared->AddRoutes(router);
  }
  tables.voice.AddRoutes(router);
  AddChimera(*this, files, tables);
  if (cluster) {
    AnswerWhoIsAdmitted(*this, runtime, tables);
    AnswerWhoseSeats(*this, runtime, tables);
  }
  console.AddRoutes(router);
  arena.AddRoutes(router);
  analysis.AddRoutes(router);
  scripts.AddRoutes(router);
  console::AddAgentsRoute(router, tables.kinds);
  console::AddModelsRoute(router, OfferedModels(runtime.models));
  agents_api.AddRoutes(router);
  registry_api.AddRoutes(router);
  live_api.AddRoutes(router);
  stories.AddRoutes(router);
  openenv.AddRoutes(router);
  mcp.AddRoutes(router);
  AddDescription(router, description);
  web_ui::AddWebUi(router);
  if (cluster) {
    cluster->SetErrors(
        [this](std::string_view path, int status, const Error& error) { return router.ErrorAt(path, status, error); });
  }
  files.access.LookUpKeys(*runtime.registry, runtime.shards.at(0));
  for (net::Router* each : {&router, &chimera_router}) {
    each->SetGuard([&files, &tables](const net::HttpRequest& request) {
      return files.access.Check(request, IsOfPeople(request.path) && tables.sign_in.PersonOf(request));
    });
    net::Trust trust{.origins = files.config.access.origins, .proxies = files.config.proxies};
    if (cluster) {
      trust.passed_on = [this](const net::HttpRequest& request) { return cluster->PassedOn(request); };
      each->SetDetour(
          [this](const net::HttpRequest& request, net::HttpReply& reply) { return cluster->Detour(request, reply); });
    }
    each->SetTrust(std::move(trust));
  }
  description = std::make_unique<const net::StaticFiles>(std::vector<net::StaticFile>{
      net::CompressedFile(kDescription, json::Write(net::OpenApi(router, ApiDescription())))});
}

}  // namespace openseat::app
