#include "protocols/console/models_api.h"

#include <utility>

#include "base/json.h"
#include "net/schemas.h"

namespace openseat::console {

using net::schemas::ListOf;
using net::schemas::ObjectOf;
using net::schemas::OneOf;
using net::schemas::Ref;
using net::schemas::Text;

void AddModelsRoute(net::Router& router, const std::vector<OfferedModel>& models) {
  net::RouteInfo info;
  info.summary = "The language models that can be given a seat.";
  info.description = "Empty if none was configured (`--model`, or `[models.NAME]` in the config file).";
  info.tag = "console";
  info.operation = "listModels";
  router.AddSchema("Model", ObjectOf({{"name", Text("The name that agents of kind llm use.")},
                                      {"provider", OneOf({"openai", "responses", "gemini", "anthropic"})},
                                      {"model", Text("The provider's name for it.")}},
                                     {"name", "provider", "model"}));
  info.response_schema = ObjectOf({{"models", ListOf(Ref("Model"))}}, {"models"});
  info.response_example = json::Object{
      {"models", json::Array{json::Object{{"name", "local"}, {"provider", "openai"}, {"model", "llama3:8b"}}}}};

  json::Array list;
  for (const OfferedModel& each : models) {
    list.push_back(json::Object{{"name", each.name}, {"provider", each.provider}, {"model", each.model}});
  }
  router.Add(net::Method::kGet, "/api/v1/models", std::move(info),
             [answer = json::Object{{"models", std::move(list)}}](const net::HttpRequest&, net::HttpReply reply) {
               std::move(reply).Send(net::HttpResponse::Json(200, answer));
             });
}

}  // namespace openseat::console
