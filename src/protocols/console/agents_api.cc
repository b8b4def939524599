#include "protocols/console/agents_api.h"

#include <utility>

#include "base/json.h"
#include "net/schemas.h"

namespace openseat::console {
namespace {

json::Object KindSchema() {
  return {
      {"type", "object"},
      {"properties",
       json::Object{
           {"kind", net::schemas::Text("How to name it: {\"kind\": …, and its options}.")},
           {"title", net::schemas::Text("For people.")},
           {"description", net::schemas::Text("A sentence.")},
           {"game", net::schemas::Text("The id of the only game that it plays; absent: any.")},
           {"plays_from", json::Object{{"enum", json::Array{"here", "elsewhere", "outside"}},
                                       {"description",
                                        "Where its choices are made: in the server; where the server connects to; or "
                                        "by the holder of the seat's token, which is then in the answer."}}},
           {"named_by",
            json::Object{{"enum", json::Array{"player", "admin"}},
                         {"description", "Who may name it: players over MCP, too, or callers of this API only."}}},
           {"takes_seed", json::Object{{"type", "boolean"}, {"description", "Whether a seed makes it repeatable."}}},
           {"bare", net::schemas::Text("The option that needs no name on the command line, as in llm:NAME.")},
           {"options_schema", json::Object{{"type", "object"}, {"description", "JSON Schema of its options."}}}}},
      {"required",
       json::Array{"kind", "title", "description", "plays_from", "named_by", "takes_seed", "options_schema"}}};
}

}  // namespace

void AddAgentsRoute(net::Router& router, const AgentKinds& kinds) {
  router.AddSchema("AgentSpec", kinds.SpecSchema(Namer::kAdmin));
  router.AddSchema("AgentKind", KindSchema());
  net::RouteInfo info;
  info.summary = "The kinds of agents that can be given a seat, with their options.";
  info.tag = "console";
  info.operation = "listAgents";
  info.response_schema = json::Object{
      {"type", "object"},
      {"properties",
       json::Object{{"agents", json::Object{{"type", "array"},
                                            {"items", json::Object{{"$ref", "#/components/schemas/AgentKind"}}}}}}},
      {"required", json::Array{"agents"}}};
  json::Array list;
  for (const AgentKind& kind : kinds.all()) {
    if (kind.named_by <= Namer::kAdmin) list.push_back(kinds.Describe(kind, Namer::kAdmin));
  }
  if (!list.empty()) info.response_example = json::Object{{"agents", json::Array{list.front()}}};
  router.Add(net::Method::kGet, "/api/v1/agents", std::move(info),
             [answer = json::Object{{"agents", std::move(list)}}](const net::HttpRequest&, net::HttpReply reply) {
               std::move(reply).Send(net::HttpResponse::Json(200, answer));
             });
}

}  // namespace openseat::console
