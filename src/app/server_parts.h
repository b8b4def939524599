// The groups of objects that `openseat serve` is made of. Each group takes those that it uses as arguments of its
// constructor, so it cannot be made before them.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "agents/kinds.h"
#include "agents/llm/models.h"
#include "app/access.h"
#include "app/cluster_calls.h"
#include "app/cluster_door.h"
#include "app/cluster_games.h"
#include "app/config.h"
#include "app/game_door.h"
#include "app/mcp_service.h"
#include "app/open_journal.h"
#include "app/script_api.h"
#include "app/script_shelf.h"
#include "app/sign_in_door.h"
#include "base/budget.h"
#include "base/clock.h"
#include "base/metrics.h"
#include "base/result.h"
#include "base/worker_pool.h"
#include "core/registry.h"
#include "core/table.h"
#include "match/lobby.h"
#include "net/http_client.h"
#include "net/router.h"
#include "net/shard.h"
#include "net/static_files.h"
#include "protocols/agent_api/agent_api.h"
#include "protocols/agent_api/webhook_agent.h"
#include "protocols/console/analysis_api.h"
#include "protocols/console/arena_api.h"
#include "protocols/console/console_api.h"
#include "protocols/console/intake.h"
#include "protocols/console/live_api.h"
#include "protocols/console/live_feed.h"
#include "protocols/mcp/reads.h"
#include "protocols/narrative/narrative_api.h"
#include "protocols/neuro/neuro_server.h"
#include "protocols/openenv/environments.h"
#include "protocols/openenv/openenv_api.h"
#include "protocols/registry_api/registry_api.h"
#include "relay/relay.h"
#include "voice/voice_server.h"

namespace openseat::app {

// The settings, what is counted, and what lies in the data directory.
struct ServerFiles {
  // Creates the data directory if it is missing.
  static Result<std::unique_ptr<ServerFiles>> Open(Config config);
  ServerFiles(Config its_config, std::unique_ptr<ScriptShelf> its_scripts, std::unique_ptr<Metrics> counted,
              OpenedJournal opened, Access its_access, std::string its_session_key);

  const Config config;
  const std::unique_ptr<ScriptShelf> scripts;
  const std::unique_ptr<Metrics> counters;
  Metrics& metrics;  // outlives everything that counts
  const OpenedJournal journal;
  console::LiveFeed live;  // what everything writes to: the journal and the watchers
  Access access;
  const std::string session_key;  // "" where nobody can sign in
};

// When it is destroyed, the journal has answered all appends: the tables that made them are gone, and the threads that
// get the answers are still there.
struct JournalSettled {
  explicit JournalSettled(Journal& its_journal) : journal(its_journal) {}
  JournalSettled(const JournalSettled&) = delete;
  JournalSettled& operator=(const JournalSettled&) = delete;
  ~JournalSettled() { static_cast<void>(journal.Flush().has_value()); }

  Journal& journal;
};

// One for each thread.
std::vector<Scheduler*> SchedulersOf(net::Shards& shards);

// The threads, and what all of them use.
struct ServerRuntime {
  ServerRuntime(ServerFiles& files, OpenedRegistry opened);

  Budget budget;
  net::Shards shards;
  const JournalSettled settled;
  const std::unique_ptr<Registry> registry;  // answers on the shards as long as it lives
  const std::function<Result<void>()> registry_writable;
  net::HttpClients http;
  const llm::Models models;
  TableDirectory directory;
  const SystemClock clock;
};

// Tables and matches, and the agents that may sit there.
struct ServerTables {
  ServerTables(ServerFiles& its_files, ServerRuntime& runtime);

  // Whether every agent that the settings name can be made.
  Result<void> CheckAgents() const;
  // The agent that the settings name for a game; nullptr, with an error in the log, if it cannot be made.
  std::unique_ptr<Agent> SeatAgent(const std::string& game) const;

  ServerFiles& files;
  agent_api::WebhookMetrics webhook_metrics;
  agent_api::WebhookWorld webhooks;
  WorkerPool thinkers;
  const AgentKinds kinds;
  neuro::NeuroServer neuro;
  const std::unique_ptr<relay::Relay> relay;  // null: games are played here
  voice::VoiceServer voice;
  Lobby lobby;
  SignInDoor sign_in;
  GameDoor games;
  console::Intake intake;
};

// Everything that a client can reach, by its path.
struct ServerDoors {
  mcp::Reads mcp_reads;
  std::unique_ptr<ClusterDoor> cluster;         // null without a cluster
  std::unique_ptr<ClusterCalls> cluster_calls;  // likewise
  std::unique_ptr<ClusterGames> cluster_games;  // likewise
  ServerDoors(ServerFiles& files, ServerRuntime& runtime, ServerTables& tables);

  net::Router router;
  net::Router chimera_router;
  console::ConsoleApi console;
  console::ArenaApi arena;
  console::AnalysisApi analysis;
  ScriptApi scripts;
  agent_api::AgentApi agents_api;
  registry_api::RegistryApi registry_api;
  console::LiveApi live_api;
  McpService mcp;
  narrative::NarrativeApi stories;
  openenv::Environments environments;
  openenv::OpenEnvApi openenv;
  std::unique_ptr<const net::StaticFiles> description;  // of all routes: the OpenAPI document
};

}  // namespace openseat::app
