// McpService: this program's MCP service: what can be played, by whom, over /mcp and over standard input.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "agents/kinds.h"
#include "app/access.h"
#include "base/rate_limit.h"
#include "net/http_client.h"
#include "net/router.h"
#include "net/shard.h"
#include "oauth/token_verifier.h"
#include "protocols/mcp/play.h"
#include "protocols/mcp/reads.h"
#include "protocols/mcp/server.h"

namespace openseat {
class Lobby;
class Journal;
class Registry;
class TableDirectory;
}  // namespace openseat

namespace openseat::app {

struct McpOptions {
  bool fixtures = false;  // also offer what the conformance suite needs
  // Whose access tokens are accepted; nullopt: nobody's.
  std::optional<oauth::VerifierOptions> authorization;
  // Rate limit of one API key, or one bearer of access tokens.
  RateLimit rate{};
  // In a cluster: the calls that other nodes answer, and what the ids of sessions and tasks begin with.
  mcp::Server::Elsewhere elsewhere{};
  std::function<bool(const net::HttpRequest& request)> passed_on{};
  std::string prefix{};
  mcp::PlayWorld::AskOthers ask_others{};
};

class McpService {
 public:
  // All outlive it, and it outlives the connections. Lives on the first shard.
  McpService(McpOptions options, net::Shards& shards, mcp::Reads& reads, const Access& access, Registry& registry,
             net::HttpCaller& caller, Lobby& lobby, TableDirectory& directory, Journal& journal,
             const AgentKinds& kinds);
  ~McpService();

  void AddRoutes(net::Router& router);
  // For other transports, on the first shard.
  mcp::Server& server();

 private:
  struct Parts;
  const std::string url_;  // where hosts reach it, if the configuration says so
  std::unique_ptr<Parts> parts_;
};

}  // namespace openseat::app
