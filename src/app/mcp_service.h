// McpService: MCP as this program offers it: what can be played, to whom, over /mcp and over standard input.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "agents/kinds.h"
#include "app/access.h"
#include "base/rate_limit.h"
#include "core/agent.h"
#include "net/http_client.h"
#include "net/router.h"
#include "net/shard.h"
#include "oauth/token_verifier.h"

namespace openseat {
class Lobby;
class Journal;
class Registry;
class TableDirectory;
namespace mcp {
class Server;
}
}  // namespace openseat

namespace openseat::app {

struct McpOptions {
  bool fixtures = false;  // offer what the conformance suite needs, too
  // Whose access tokens are taken; nothing: nobody's.
  std::optional<oauth::VerifierOptions> authorization;
  // How often one API key, or one bearer of access tokens, may come.
  RateLimit rate{};
  // Who sits down at a game from elsewhere when whoever plays it over MCP leaves.
  std::function<std::unique_ptr<Agent>(const std::string& game)> default_agent;
};

class McpService {
 public:
  // All outlive it, and it outlives the connections. Lives on the first shard.
  McpService(McpOptions options, net::Shards& shards, const Access& access, Registry& registry, net::HttpCaller& caller,
             Lobby& lobby, TableDirectory& directory, Journal& journal, const AgentKinds& kinds);
  ~McpService();

  void AddRoutes(net::Router& router);
  // For other transports, on the first shard.
  mcp::Server& server();

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace openseat::app
