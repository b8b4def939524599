#include "protocols/console/agents_api.h"

#include <utility>

#include "base/json.h"
#include "net/schemas.h"

namespace openseat::console {
namespace {

using net::schemas::ListOf;
using net::schemas::ObjectOf;
using net::schemas::OneOf;
using net::schemas::Ref;
using net::schemas::Text;
using net::schemas::Typed;

json::Object KindSchema() {
  return ObjectOf(
      {{"kind", Text("How to name it: {\"kind\": …, and its options}.")},
       {"title", Text("For people.")},
       {"description", Text("A sentence.")},
       {"game", Text("The id of the only game that it plays; absent: any.")},
       {"plays_from", OneOf({"here", "elsewhere", "outside"},
                            "Where its choices are made: in the server; where the server connects to; or by the holder "
                            "of the seat's token, which is then in the answer.")},
       {"named_by", OneOf({"player", "admin"}, "Who may name it: players over MCP, too, or callers of this API only.")},
       {"takes_seed", Typed("boolean", "Whether a seed makes it repeatable.")},
       {"bare", Text("The option that needs no name on the command line, as in llm:NAME.")},
       {"options_schema", Typed("object", "JSON Schema of its options.")}},
      {"kind", "title", "description", "plays_from", "named_by", "takes_seed", "options_schema"});
}

}  // namespace

void AddAgentsRoute(net::Router& router, const AgentKinds& kinds) {
  router.AddSchema("AgentSpec", kinds.SpecSchema(Namer::kAdmin));
  router.AddSchema("AgentKind", KindSchema());
  net::RouteInfo info;
  info.summary = "The kinds of agents that can be given a seat, with their options.";
  info.tag = "console";
  info.operation = "listAgents";
  info.response_schema = ObjectOf({{"agents", ListOf(Ref("AgentKind"))}}, {"agents"});
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
