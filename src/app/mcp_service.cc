#include "app/mcp_service.h"

#include <utility>

#include "app/games.h"
#include "app/mcp_audit.h"
#include "app/mcp_door.h"
#include "app/netrunner_tools.h"
#include "protocols/mcp/fixtures.h"
#include "protocols/mcp/http_endpoint.h"
#include "protocols/mcp/play.h"
#include "protocols/mcp/server.h"
#include "protocols/mcp/server_card.h"
#include "web_ui/web_files.h"

namespace openseat::app {
namespace {

mcp::ServerInfo Info() {
  return {"openseat", "Openseat", OPENSEAT_VERSION, mcp::PlayInstructions()};
}

mcp::BoardPage Board() {
  return {.html = web_ui::Unpack(web_ui::ChatBoard()), .cards = [](std::string_view game) -> json::Value {
            for (const DeckRules* rules : GamesWithDecks()) {
              if (rules->game() == game) return json::Object{{"cards", rules->Cards()}};
            }
            return nullptr;
          }};
}

}  // namespace

struct McpService::Parts {
  Parts(Scheduler& home, mcp::PlayWorld world, const Access& access, Registry& registry,
        std::optional<oauth::VerifierOptions> authorization, RateLimit rate, net::HttpCaller& caller,
        const std::string& prefix)
      : play(std::move(world)),
        server(Info()),
        door(access, registry, std::move(authorization), rate, caller, home),
        endpoint(server, door, home, prefix) {}

  mcp::Play play;
  mcp::Server server;
  McpDoor door;
  mcp::HttpEndpoint endpoint;
};

McpService::McpService(McpOptions options, net::Shards& shards, mcp::Reads& reads, const Access& access,
                       Registry& registry, net::HttpCaller& caller, Lobby& lobby, TableDirectory& directory,
                       Journal& journal, const AgentKinds& kinds)
    : url_(options.authorization ? options.authorization->rules.resource : ""),
      parts_(std::make_unique<Parts>(shards.at(0),
                                     mcp::PlayWorld{.home = shards.at(0),
                                                    .lobby = lobby,
                                                    .directory = directory,
                                                    .journal = journal,
                                                    .kinds = kinds,
                                                    .reads = reads,
                                                    .guesses = &access.guesses(),
                                                    .seat_tools = NetrunnerTools(),
                                                    .board = Board(),
                                                    .ask_others = std::move(options.ask_others)},
                                     access, registry, std::move(options.authorization), options.rate, caller,
                                     options.prefix)) {
  parts_->play.AddTo(parts_->server);
  parts_->server.OfferTasks(shards.at(0), options.prefix);
  parts_->server.SetElsewhere(std::move(options.elsewhere));
  parts_->server.SetWitness([&access](const mcp::Caller& who, const mcp::Tool& tool, const json::Object& arguments) {
    if (std::optional<AuditEntry> entry = McpEntry(who, tool, arguments)) access.audit().Write(std::move(*entry));
  });
  parts_->door.SetPassedOn(std::move(options.passed_on));
  if (options.fixtures) mcp::AddFixtures(parts_->server, shards.at(0));
}

McpService::~McpService() = default;

void McpService::AddRoutes(net::Router& router) {
  parts_->endpoint.AddRoutes(router);
  parts_->door.AddRoutes(router);
  mcp::AddServerCard(router, Info(), url_);
}

mcp::Server& McpService::server() {
  return parts_->server;
}

}  // namespace openseat::app
