#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include "app/agents.h"
#include "app/commands.h"
#include "app/run_server.h"
#include "app/server_flags.h"
#include "net/url.h"

namespace openseat::app {
namespace {

struct ServeFlags : ServerFlags {
  std::string agent;
  std::size_t shards = 0;
  std::string chimera_listen;
  std::vector<std::string> matches;
  std::vector<std::string> models;
  std::vector<std::string> runs;
  bool no_startup_ack = false;
  std::string profile;
  std::optional<int> profile_seed;
  std::string character;
  std::string voice;
  bool record_voice = false;
  std::string games;
  bool new_token = false;
  bool test_games = false;
  bool allow_fixtures = false;
  bool allow_http_webhooks = false;
  bool allow_private_webhooks = false;
  bool mcp_fixtures = false;
  std::optional<int> agent_rate;
  ClusterConfig cluster{.servers = {},
                        .name = {},
                        .node = {},
                        .advertise = {},
                        .credentials = {},
                        .ca = {},
                        .certificate = {},
                        .key = {}};
};

Result<void> UseCluster(const ClusterConfig& flags, ClusterConfig& config) {
  const auto use = [](const char* flag, const std::string& text, std::string& out, auto parse) -> Result<void> {
    if (text.empty()) return {};
    Result<std::string> parsed = parse(text);
    if (!parsed) return Fail(parsed.error().code, std::string(flag) + ": " + parsed.error().message);
    out = std::move(*parsed);
    return {};
  };
  Result<void> done = use("--cluster", flags.servers, config.servers, ParseNatsServers);
  if (done) done = use("--cluster-name", flags.name, config.name, ParseClusterWord);
  if (done) done = use("--node", flags.node, config.node, ParseClusterWord);
  using Text = std::string ClusterConfig::*;
  for (const Text text : {&ClusterConfig::advertise, &ClusterConfig::credentials, &ClusterConfig::ca,
                          &ClusterConfig::certificate, &ClusterConfig::key}) {
    if (!(flags.*text).empty()) config.*text = flags.*text;
  }
  return done;
}

bool IsFolder(const std::string& path) {
  std::error_code error;
  return std::filesystem::is_directory(path, error);
}

// Flags and the environment override the file, which overrides the defaults.
Result<Config> MakeConfig(const ServeFlags& flags) {
  Config config;
  if (Result<void> used = UseServerFlags(flags, config); !used) return Fail(used.error());
  if (!flags.agent.empty()) {
    Result<AgentSpec> spec = DescribedAgents().Parse(flags.agent);
    if (!spec) return Fail(spec.error());
    config.agent = std::move(*spec);
  }
  if (!flags.chimera_listen.empty()) {
    config.chimera_asked = true;
    config.chimera_listen.reset();
    if (flags.chimera_listen != "none") {
      Result<net::ListenAddress> address = ParseListenAddress(flags.chimera_listen);
      if (!address) return Fail(address.error());
      config.chimera_listen = std::move(*address);
    }
  }
  if (Result<void> added = AddModelFlags(flags.models, config.models); !added) return Fail(added.error());
  for (const std::string& text : flags.matches) {
    Result<MatchRequest> match = ParseMatchRequest(text);
    if (!match) return Fail(match.error());
    config.matches.push_back(std::move(*match));
  }
  for (const std::string& folder : flags.runs) {
    if (!IsFolder(folder)) {
      return Fail(ErrorCode::kInvalid,
                  "--runs must name a folder of runs, or that of one run; there is no folder " + folder);
    }
    config.runs.push_back(folder);
  }
  if (!flags.games.empty()) config.games = flags.games;
  config.access.new_token = flags.new_token;
  if (flags.test_games) config.test_games = true;
  if (flags.allow_fixtures) config.allow_fixtures = true;
  if (flags.allow_http_webhooks) config.webhooks.allow_http = true;
  if (flags.allow_private_webhooks) config.webhooks.allow_private = true;
  if (flags.agent_rate) config.agent_rate.per_second = *flags.agent_rate;
  if (flags.mcp_fixtures) config.mcp_fixtures = true;
  if (flags.shards != 0) config.shards = flags.shards;
  if (!flags.profile.empty()) {
    const Result<neuro::Profile> profile = neuro::ParseProfile(flags.profile);
    if (!profile) return Fail(profile.error());
    config.neuro.start = *profile;
  }
  if (flags.profile_seed) config.neuro.seed = static_cast<std::uint64_t>(*flags.profile_seed);
  for (neuro::NeuroOptions& options : config.neuro.all) {
    if (flags.no_startup_ack) options.startup_ack = false;
    if (flags.character.empty()) continue;
    if (Result<void> set = neuro::SetCharacter(flags.character, options); !set) return Fail(set.error());
  }
  if (!flags.voice.empty()) {
    Result<voice::VoiceOptions> voice = voice::ParseVoice(flags.voice);
    if (!voice) return Fail(voice.error().code, "--voice: " + voice.error().message);
    config.voice = std::move(*voice);
  }
  if (flags.record_voice) config.record_voice = true;
  if (Result<void> cluster = UseCluster(flags.cluster, config.cluster); !cluster) return Fail(cluster.error());
  return config;
}

int Serve(const ServeFlags& flags) {
  return RunServer(
      [&flags] { return MakeConfig(flags); },
      [](const ServerApp& app, const ServedAt& at) {
        const char* const http = at.tls ? "https" : "http";
        std::printf("Openseat %s listens on %s://%s\n", OPENSEAT_VERSION, http, at.authority.c_str());
        std::printf("  games that speak the Neuro API connect to  %s://%s\n", at.tls ? "wss" : "ws",
                    at.authority.c_str());
        std::printf("  what goes on there                          curl %s://%s/api/v1/tables\n", http,
                    at.authority.c_str());
        std::printf("  MCP hosts connect to                        %s://%s/mcp\n", http, at.authority.c_str());
        if (app.chimera_port() != 0) {
          std::printf("  Chimera clients connect to                  ws://%s:%u\n", at.host.c_str(),
                      app.chimera_port());
        }
        if (at.games_need_token) {
          std::printf(
              "  games on other machines need a token        openseat key create, then ?token=… (or --open-games)\n");
        }
      });
}

}  // namespace

void AddServe(cli::Command program) {
  auto flags = std::make_shared<ServeFlags>();
  cli::Command serve = program.AddCommand("serve", "Serves games and agents");
  serve.AddOption("--config", &flags->config_file, "TOML file (docs/configuration.md)",
                  {.type = "FILE", .env = "OPENSEAT_CONFIG"});
  serve.AddOption("--listen", &flags->listen, "Address to listen on, may be repeated (default 127.0.0.1:8000)",
                  {.type = "HOST:PORT", .env = "OPENSEAT_LISTEN"});
  serve.AddOption("--agent", &flags->agent,
                  "The agent of each connected game: one of those below that play any game, with options as in "
                  "random:seed=1,invalid=0.1 (default random)",
                  {.type = "AGENT", .env = "OPENSEAT_AGENT"});
  serve.AddOption("--data-dir", &flags->data_dir, "Where the journal is kept (default ~/.local/share/openseat)",
                  {.type = "DIR", .env = "OPENSEAT_DATA_DIR"});
  serve.AddOption("--cluster", &flags->cluster.servers,
                  "Keep the journal on these NATS servers (JetStream) instead of in the data directory: "
                  "nats://a:4222,nats://b:4222",
                  {.type = "URLS", .env = "OPENSEAT_CLUSTER"});
  serve.AddOption("--node", &flags->cluster.node, "This server's name in the cluster (default: the machine's)",
                  {.type = "NAME", .env = "OPENSEAT_NODE"});
  serve.AddOption(
      "--advertise", &flags->cluster.advertise,
      "Where the cluster's other servers reach this one (default: the first --listen, which must name a host then)",
      {.type = "HOST:PORT", .env = "OPENSEAT_ADVERTISE"});
  serve.AddOption("--cluster-name", &flags->cluster.name,
                  "Tells clusters on the same NATS servers apart (default openseat)",
                  {.type = "NAME", .env = "OPENSEAT_CLUSTER_NAME"});
  serve.AddOption("--cluster-credentials", &flags->cluster.credentials, "Credentials for NATS, as nsc writes them",
                  {.type = "FILE", .env = "OPENSEAT_CLUSTER_CREDENTIALS"});
  serve.AddOption("--cluster-ca", &flags->cluster.ca, "Whose certificates NATS may have, PEM",
                  {.type = "FILE", .env = "OPENSEAT_CLUSTER_CA"});
  serve.AddOption("--cluster-certificate", &flags->cluster.certificate, "TLS certificate chain shown to NATS, PEM",
                  {.type = "FILE", .env = "OPENSEAT_CLUSTER_CERTIFICATE"});
  serve.AddOption("--cluster-key", &flags->cluster.key, "Its private key, PEM",
                  {.type = "FILE", .env = "OPENSEAT_CLUSTER_KEY"});
  serve.AddOption("--log-level", &flags->log_level, "debug, info, warn, error or off",
                  {.type = "LEVEL", .env = "OPENSEAT_LOG_LEVEL"});
  serve.AddOption("--certificate", &flags->certificate, "TLS certificate chain, PEM",
                  {.type = "FILE", .env = "OPENSEAT_CERTIFICATE"});
  serve.AddOption("--key", &flags->key, "TLS private key, PEM", {.type = "FILE", .env = "OPENSEAT_KEY"});
  serve.AddOption("--shards", &flags->shards, "Threads that serve (default: one per core)",
                  {.type = "N", .env = "OPENSEAT_SHARDS", .range = cli::Range(0, kMaxShards)});
  serve.AddOption("--chimera-listen", &flags->chimera_listen,
                  "Chimera's own address, or none (default 127.0.0.1:14200, if it is free)",
                  {.type = "HOST:PORT", .env = "OPENSEAT_CHIMERA_LISTEN"});
  serve.AddOption("--model", &flags->models,
                  "A language model by a name of your choice, may be repeated; an agent is then llm:NAME",
                  {.type = "NAME=PROVIDER:MODEL@URL,OPTION=VALUE", .env = "OPENSEAT_MODEL"});
  serve.AddOption("--match", &flags->matches, "Make a match at start, may be repeated: tictactoe:open,random",
                  {.type = "GAME:SEATS", .env = "OPENSEAT_MATCH"});
  serve.AddOption("--runs", &flags->runs,
                  "Also show the runs in this folder on the Arena page, or the run that it is; may be repeated "
                  "(always: DATA_DIR/arena)",
                  {.type = "DIR", .env = "OPENSEAT_RUNS"});
  serve.AddOption("--games", &flags->games, "Also offer the games in this folder, written as scripts",
                  {.type = "DIR", .env = "OPENSEAT_GAMES"});
  serve.AddOption("--test-games", &flags->test_games, "Also offer the games that are only for tests",
                  {.env = "OPENSEAT_TEST_GAMES"});
  serve.AddOption("--allow-fixtures", &flags->allow_fixtures,
                  "Accept what makes a game unfair: prepared decks, other point totals, a given seed",
                  {.env = "OPENSEAT_ALLOW_FIXTURES"});
  serve.AddOption("--allow-http-webhooks", &flags->allow_http_webhooks,
                  "Also send webhooks to http:// addresses beyond this machine",
                  {.env = "OPENSEAT_ALLOW_HTTP_WEBHOOKS"});
  serve.AddOption("--allow-private-webhooks", &flags->allow_private_webhooks,
                  "Also send webhooks to private and link-local addresses", {.env = "OPENSEAT_ALLOW_PRIVATE_WEBHOOKS"});
  serve.AddOption("--new-token", &flags->new_token,
                  "Make a new admin token, print it, and forget the old one, also that of a cluster");
  serve.AddOption(
      "--agent-rate", &flags->agent_rate,
      "Requests a second from other machines for one key of the Agent API, on average; 0: no limit (default 100)",
      {.type = "N", .env = "OPENSEAT_AGENT_RATE", .range = cli::Range(0, kMaxRate)});
  serve.AddOption(
      "--allow-origin", &flags->origins,
      "A page's origin that may use the server, as http://localhost:5173, may be repeated (default: its own pages)",
      {.type = "ORIGIN", .env = "OPENSEAT_ALLOW_ORIGIN"});
  serve.AddOption(
      "--open-games", &flags->open_games,
      "Let anyone play over the Neuro API, Chimera and OpenEnv, not only clients on this machine or with a token",
      {.env = "OPENSEAT_OPEN_GAMES"});
  // For the tests.
  serve.AddOption("--mcp-fixtures", &flags->mcp_fixtures, "Offer what MCP's conformance suite needs", {.hidden = true});
  serve.AddOption("--insecure", &flags->insecure, "Allow addresses other than loopback without TLS",
                  {.env = "OPENSEAT_INSECURE"});
  serve.AddOption("--no-startup-ack", &flags->no_startup_ack, "Do not acknowledge the Neuro API's startup message",
                  {.env = "OPENSEAT_NO_STARTUP_ACK"});
  serve.AddOption("--profile", &flags->profile,
                  "How the Neuro API is served: as its document says (the default), as the real server does, or in the "
                  "worst way that is allowed",
                  {.type = "NAME", .env = "OPENSEAT_PROFILE", .one_of = {"document", "production", "chaos"}});
  serve.AddOption(
      "--profile-seed", &flags->profile_seed,
      "Makes what a profile leaves to chance repeatable (default: a fresh seed for each game)",
      {.type = "N", .env = "OPENSEAT_PROFILE_SEED", .range = cli::Range(0, std::numeric_limits<int>::max())});
  serve.AddOption("--character", &flags->character,
                  "Whose names the startup acknowledgment has (default: the profile's)",
                  {.type = "NAME", .env = "OPENSEAT_CHARACTER", .one_of = {"neuro", "evil", "openseat"}});
  serve.AddOption("--voice", &flags->voice,
                  "What answers on games' voice sockets: off (default), listen, tone, tone:HZ, file:PATH (a WAV file), "
                  "loop (says what it hears), program:COMMAND",
                  {.type = "WHAT", .env = "OPENSEAT_VOICE"});
  serve.AddOption("--record-voice", &flags->record_voice,
                  "Keep a WAV file of each speaker, and of what is answered, in the data directory",
                  {.env = "OPENSEAT_RECORD_VOICE"});
  serve.SetFooter(AgentHelp() +
                  "\n\nExamples:\n"
                  "  openseat serve\n"
                  "  openseat serve --agent random:seed=7,delay_ms=500\n"
                  "  openseat serve --profile chaos --profile-seed 7\n"
                  "  openseat serve --agent script:moves.json --listen 127.0.0.1:9000\n"
                  "  openseat serve --match tictactoe:open,random\n"
                  "  openseat serve --games my-games\n"
                  "  openseat serve --model local=openai:llama3@http://127.0.0.1:11434/v1 --agent llm:local\n"
                  "  openseat serve --match connectm:open,neuro:ws://127.0.0.1:9000\n"
                  "  openseat serve --config openseat.toml");
  serve.SetRun([flags] { return Serve(*flags); });
}

}  // namespace openseat::app
