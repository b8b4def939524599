// The server's settings: flags override the environment (OPENSEAT_…), which overrides the config file, which overrides
// defaults. docs/configuration.md lists everything.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "agents/llm/model.h"
#include "app/access.h"
#include "base/budget.h"
#include "base/log.h"
#include "base/rate_limit.h"
#include "core/agent.h"
#include "match/match.h"
#include "net/client_address.h"
#include "net/server.h"
#include "oauth/sign_in.h"
#include "oauth/token_verifier.h"
#include "protocols/agent_api/webhook_url.h"
#include "protocols/narrative/options.h"
#include "protocols/neuro/options.h"
#include "relay/options.h"
#include "voice/options.h"

namespace openseat::app {

inline constexpr int kMaxShards = 256;
inline constexpr int kMaxLiveAnalysis = 20'000;  // iterations
inline constexpr int kMaxRate = 1'000'000;

// --match tictactoe:open,random
struct MatchRequest {
  std::string game;
  std::vector<PlannedSeat> seats;
};

// Where the journal is instead of in the data directory: on NATS JetStream (docs/cluster.md).
struct ClusterConfig {
  std::string servers;               // "nats://a,nats://b"; "": there is no cluster
  std::string name = "openseat";     // of the cluster: several can use the same servers
  std::string node = DefaultNode();  // of this process; no other one has it
  // Where the other nodes reach this one, "HOST:PORT"; "": at the first address to listen on, which names a host then.
  std::string advertise;
  // Files for the connection to NATS; "": none.
  std::string credentials;
  std::string ca;
  std::string certificate;
  std::string key;

  // The name of this machine.
  static std::string DefaultNode();
};

struct Config {
  std::vector<net::ListenAddress> listen{{.host = "127.0.0.1", .port = 8000, .certificate_file = {}, .key_file = {}}};
  // `hosts` does not include those of listen.
  AccessOptions access;
  // Chimera's own port; nullopt: none. If it was not requested explicitly and is taken, the server runs without it.
  std::optional<net::ListenAddress> chimera_listen =
      net::ListenAddress{.host = "127.0.0.1", .port = 14200, .certificate_file = {}, .key_file = {}};
  bool chimera_asked = false;
  std::vector<MatchRequest> matches;  // made at start
  bool test_games = false;            // also offer hidden games
  bool allow_fixtures = false;        // accept options that make a game unfair: puzzles, decks in a given order
  std::string games;                  // a folder of games written as scripts
  std::vector<std::string> runs;      // folders of runs for the arena, in addition to DATA_DIR/arena
  bool stdio = false;                 // served over standard input: an address to listen on is optional
  bool mcp_fixtures = false;          // offer over MCP what the published conformance suite needs
  std::optional<oauth::VerifierOptions> mcp_authorization;  // whose access tokens open /mcp
  oauth::SignInOptions sign_in;                             // where people sign in
  MatchRules match;
  Duration match_linger = std::chrono::minutes(5);  // how long a finished match can still be viewed
  bool insecure = false;                            // may listen beyond loopback without TLS
  net::Proxies proxies;                             // on other machines, trusted to say for whom they ask
  std::size_t shards = 0;                           // 0: one per core
  std::size_t search_threads = 0;                   // for agents that search; 0: one less than there are cores
  std::size_t live_analysis = 0;                    // iterations for each choice of a match that is watched; 0: none
  net::ServerLimits limits;
  BudgetLimits budget;
  std::string data_dir;                                           // "" : DefaultDataDir()
  std::optional<std::uint64_t> journal_max_bytes;                 // if the file names it: JournalMaxBytes
  std::uint64_t journal_reserve_bytes = std::uint64_t{64} << 20;  // part of that, and of the disk, for hosted matches
  Duration keep_recordings{0};  // closed recordings whose last event is older are forgotten; 0: kept forever
  ClusterConfig cluster;
  log::Level log_level = log::Level::kInfo;
  neuro::NeuroProfiles neuro;
  std::optional<relay::RelayOptions> relay;  // games are played by a server elsewhere, to which this one leads
  voice::VoiceOptions voice;                 // record_dir follows from record_voice
  bool record_voice = false;
  std::uint64_t max_voice_programs = 64;                       // 0: no limit
  std::uint64_t max_recorded_voice = std::uint64_t{16} << 30;  // bytes; 0: as much as the disk has
  agent_api::WebhookPolicy webhooks;
  // For one key at the Agent API, and at /mcp; 0 a second: no limit.
  RateLimit agent_rate{.per_second = 100, .burst = 400};
  // Narrator "": a model if there is one, else the storyteller.
  narrative::NarrativeOptions narrative{.narrator = {"", {}}};
  std::vector<llm::Model> models;           // by name
  AgentSpec agent{"random", {}};            // sits down at a table whose game is not in `agents` below
  std::map<std::string, AgentSpec> agents;  // by game name
};

// $OPENSEAT_DATA_DIR belongs to a flag; this is $XDG_DATA_HOME/openseat or ~/.local/share/openseat.
std::string DefaultDataDir();

// The process's environment.
std::optional<std::string> FromEnvironment(const std::string& name);

// 0: as much as the disk, or NATS's account, has. Unless the file says, 16 GiB; in a cluster, that then binds only
// recordings and strangers' matches, since it may have more already, and nothing is deleted there.
std::uint64_t JournalMaxBytes(const Config& config);

// max_connections of a process that may have this many files open: some are left for everything else.
std::uint64_t ConnectionsWithin(std::uint64_t files, std::uint64_t max_connections);

// Adds a model; it replaces one of the same name.
void AddModel(llm::Model model, std::vector<llm::Model>& models);

// Adds the models of --model, in this order. Errors: those of ParseModelFlag; a name that is given twice. A model that
// lacks its provider's key is a warning in the log.
Result<void> AddModelFlags(const std::vector<std::string>& flags, std::vector<llm::Model>& models);

// Reads a TOML file into `config`. Errors name the file, the line and what was expected; an unknown key is an error.
// `left_out` gets the known keys that the file does not set, "limits.max_tables"; null: nobody asks.
Result<void> ReadConfigFile(const std::string& path, Config& config, std::vector<std::string>* left_out = nullptr);

// "4w", "30d", "12h", "90m", "45s".
Result<Duration> ParseAge(std::string_view text);

// "127.0.0.1:8000", "[::1]:8000", ":8000" (all addresses), "8000" (loopback).
Result<net::ListenAddress> ParseListenAddress(std::string_view text);

// "random:seed=1,invalid=0.1,open": one text per agent. A piece that is name=value belongs to the options of the agent
// before it, if that one has a colon.
std::vector<std::string> SplitAgents(std::string_view text);

// "tictactoe", "tictactoe:open,random:seed=7,invalid=0.1", "connectm:script:moves.json,neuro:ws://127.0.0.1:8000".
Result<MatchRequest> ParseMatchRequest(std::string_view text);

// "nats://a:4222,tls://b": what NATS's client takes. An error does not repeat the text, which may have a password.
Result<std::string> ParseNatsServers(std::string_view text);
// 1 to 32 letters, digits, "-" and "_".
Result<std::string> ParseClusterWord(std::string_view text);

// Listening beyond loopback requires TLS or --insecure; checks other combinations, too.
Result<void> CheckConfig(const Config& config);

}  // namespace openseat::app
