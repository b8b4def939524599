#include "protocols/console/models_api.h"

#include <utility>

#include "base/json.h"

namespace openseat::console {

void AddModelsRoute(net::Router& router, const std::vector<OfferedModel>& models) {
  net::RouteInfo info;
  info.summary = "The language models that can be given a seat.";
  info.description = "Empty if none was configured (`--model`, or `[models.NAME]` in the config file).";
  info.tag = "console";
  info.operation = "listModels";
  router.AddSchema(
      "Model",
      json::Object{
          {"type", "object"},
          {"properties",
           json::Object{
               {"name", json::Object{{"type", "string"}, {"description", "The name that agents of kind llm use."}}},
               {"provider", json::Object{{"enum", json::Array{"openai", "responses", "gemini", "anthropic"}}}},
               {"model", json::Object{{"type", "string"}, {"description", "The provider's name for it."}}}}},
          {"required", json::Array{"name", "provider", "model"}}});
  info.response_schema = json::Object{
      {"type", "object"},
      {"properties",
       json::Object{{"models", json::Object{{"type", "array"},
                                            {"items", json::Object{{"$ref", "#/components/schemas/Model"}}}}}}},
      {"required", json::Array{"models"}}};
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
