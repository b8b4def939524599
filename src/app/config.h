// What the server is told: flags over environment (OPENSEAT_…) over the config file over defaults.
// docs/configuration.md lists everything.
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
#include "oauth/token_verifier.h"
#include "protocols/agent_api/webhook_url.h"
#include "protocols/narrative/options.h"
#include "protocols/neuro/options.h"

namespace openseat::app {

inline constexpr int kMaxShards = 256;
inline constexpr int kMaxRate = 1'000'000;

// --match tictactoe:open,random
struct MatchRequest {
  std::string game;
  std::vector<PlannedSeat> seats;
};

struct Config {
  std::vector<net::ListenAddress> listen{{.host = "127.0.0.1", .port = 8000, .certificate_file = {}, .key_file = {}}};
  // `hosts` without those of listen.
  AccessOptions access;
  // Chimera's own port; nullopt: none. Where it was not asked for and is taken, the server does without.
  std::optional<net::ListenAddress> chimera_listen =
      net::ListenAddress{.host = "127.0.0.1", .port = 14200, .certificate_file = {}, .key_file = {}};
  bool chimera_asked = false;
  std::vector<MatchRequest> matches;  // made at start
  bool test_games = false;            // offer hidden games, too
  bool allow_fixtures = false;        // take options that make no fair game: puzzles, decks in a given order
  bool stdio = false;                 // served over standard input: there need not be an address to listen on
  bool mcp_fixtures = false;          // offer over MCP what the published conformance suite needs
  std::optional<oauth::VerifierOptions> mcp_authorization;  // whose access tokens open /mcp
  MatchRules match;
  Duration match_linger = std::chrono::minutes(5);  // how long a match that is over can still be looked at
  bool insecure = false;                            // may listen beyond loopback without TLS
  net::Proxies proxies;                             // on other machines, whose word on whom they ask for counts
  std::size_t shards = 0;                           // 0: one a core
  net::ServerLimits limits;
  BudgetLimits budget;
  std::string data_dir;                                           // "" : DefaultDataDir()
  std::uint64_t journal_max_bytes = std::uint64_t{16} << 30;      // 0: as much as the disk has
  std::uint64_t journal_reserve_bytes = std::uint64_t{64} << 20;  // of that, and of the disk, for hosted matches alone
  Duration keep_recordings{0};  // closed recordings whose last event is older are forgotten; 0: kept for ever
  log::Level log_level = log::Level::kInfo;
  neuro::NeuroOptions neuro;
  agent_api::WebhookPolicy webhooks;
  // Of one key at the Agent API, and at /mcp; 0 a second: no limit.
  RateLimit agent_rate{.per_second = 100, .burst = 400};
  // Narrator "": a model, where there is one, else the storyteller.
  narrative::NarrativeOptions narrative{.narrator = {"", {}}};
  std::vector<llm::Model> models;           // by name
  AgentSpec agent{"random", {}};            // who sits down at a table whose game has none of its own below
  std::map<std::string, AgentSpec> agents;  // by game name
};

// $OPENSEAT_DATA_DIR is a flag's matter; this is $XDG_DATA_HOME/openseat or ~/.local/share/openseat.
std::string DefaultDataDir();

// The process's environment.
std::optional<std::string> FromEnvironment(const std::string& name);

// Puts a model beside the others, in the place of one of the same name.
void AddModel(llm::Model model, std::vector<llm::Model>& models);

// Reads a TOML file into `config`. Errors name the file, the line and what was expected; an unknown key is one.
Result<void> ReadConfigFile(const std::string& path, Config& config);

// "30d", "12h", "90m", "45s".
Result<Duration> ParseAge(std::string_view text);

// "127.0.0.1:8000", "[::1]:8000", ":8000" (all addresses), "8000" (loopback).
Result<net::ListenAddress> ParseListenAddress(std::string_view text);

// "tictactoe", "tictactoe:open,random:seed=7,invalid=0.1", "connectm:script:moves.json,neuro:ws://127.0.0.1:8000".
Result<MatchRequest> ParseMatchRequest(std::string_view text);

// Beyond loopback there must be TLS or --insecure; and more that can be wrong in combination.
Result<void> CheckConfig(const Config& config);

}  // namespace openseat::app
