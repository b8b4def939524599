#include "protocols/agent_api/route_info.h"

#include <map>
#include <string_view>
#include <utility>

namespace openseat::agent_api {
namespace {

json::Value Type(std::string_view type) {
  return json::Object{{"type", type}};
}

json::Value Nullable(std::string_view type) {
  return json::Object{{"type", json::Array{type, "null"}}};
}

json::Value ArrayOf(json::Value items) {
  return json::Object{{"type", "array"}, {"items", std::move(items)}};
}

json::Object ObjectOf(json::Object properties, bool all_required = true) {
  json::Array required;
  for (const auto& [name, schema] : properties) required.emplace_back(name);
  json::Object out{{"type", "object"}, {"properties", std::move(properties)}};
  if (all_required) out["required"] = std::move(required);
  return out;
}

json::Value Codes() {
  return ObjectOf({{"cards", ArrayOf(Type("string"))}});
}

json::Value ScoreOf() {
  return ObjectOf({{"scored", ArrayOf(Type("object"))}, {"agenda-points", Type("integer")}});
}

json::Value AnswerOf(const std::string& name) {
  if (name == "state") {
    json::Object state = ObjectOf({{"gameid", Type("string")},
                                   {"turn", Type("integer")},
                                   {"active-player", Nullable("string")},
                                   {"phase", Type("string")},
                                   {"agent-side", Type("string")},
                                   {"agent-state", Type("object")},
                                   {"opponent-state", Type("object")},
                                   {"run", Nullable("object")},
                                   {"available-actions", Type("object")},
                                   {"log", ArrayOf(Type("object"))},
                                   {"version", Type("integer")}});
    state["properties"].get_object()["winner"] = Nullable("string");
    state["properties"].get_object()["reason"] = Type("string");
    return state;
  }
  if (name == "prompt") return ObjectOf({{"prompt", Nullable("object")}, {"side", Type("string")}});
  if (name == "actions") return ObjectOf({{"actions", Type("object")}, {"side", Type("string")}});
  if (name == "board") {
    return ObjectOf({{"servers", Type("object")}, {"rig", Type("object")}, {"side", Type("string")}});
  }
  if (name == "scored") return ObjectOf({{"corp", ScoreOf()}, {"runner", ScoreOf()}});
  if (name == "run") return ObjectOf({{"run", Nullable("object")}, {"encounters", Nullable("object")}});
  if (name == "decklist") {
    return ObjectOf({{"name", Type("string")}, {"cards", ArrayOf(Type("object"))}, {"identity", Type("object")}});
  }
  if (name == "log") {
    return ObjectOf({{"messages", ArrayOf(ObjectOf({{"user", Type("string")}, {"text", Type("string")}}))}});
  }
  return Codes();
}

constexpr std::string_view kTag = "agent";

json::Value MessageSchema() {
  return ObjectOf({{"message", Type("string")}});
}

// What all agents' routes have in common.
net::RouteInfo ForAgents(std::string summary, std::string operation, json::Value request, json::Value response) {
  net::RouteInfo info{std::move(summary), std::string(kTag), std::move(request), std::move(response)};
  info.operation = std::move(operation);
  info.error_schema = MessageSchema();
  info.security = {"agentKey"};
  info.parameters = {{.in = net::RouteParameter::In::kHeader,
                      .name = "X-JNet-API",
                      .description = "The seat's api-key or token, or an account's key",
                      .schema = Type("string"),
                      .required = true},
                     {.in = net::RouteParameter::In::kQuery,
                      .name = "gameid",
                      .description = "Which game, if an account's key plays several",
                      .schema = Type("string")}};
  info.answers = {{.status = 400, .description = "The request is wrong, or has no key"},
                  {.status = 403, .description = "The key is in no game, or not for this seat"},
                  {.status = 404, .description = "Unknown key; the game has not started; not for this game"},
                  {.status = 429, .description = "Too many requests; Retry-After says when to retry"}};
  return info;
}

}  // namespace

net::RouteInfo ReadInfo(const std::string& name) {
  static const std::map<std::string, std::string, std::less<>> kSummaries = {
      {"state", "Everything that the seat sees"},
      {"prompt", "The question to the seat, or null"},
      {"actions", "What the seat may do now"},
      {"board", "Servers and rig (Netrunner)"},
      {"scored", "The agendas of both sides (Netrunner)"},
      {"run", "The current run, or null (Netrunner)"},
      {"hand", "The codes of the cards in hand (Netrunner)"},
      {"deck", "The codes of the cards in the deck, sorted (Netrunner)"},
      {"discard", "The codes of the discarded cards (Netrunner)"},
      {"decklist", "The contents of the deck at the start (Netrunner)"},
      {"log", "What happened, as the seat may read it"}};
  net::RouteInfo info = ForAgents(kSummaries.find(name)->second, "readGame_" + name, nullptr, AnswerOf(name));
  if (name == "state") {
    info.description =
        "With `wait` the answer comes when it is the seat's turn to act or, with `since`, once the state's version is "
        "greater.";
    const json::Value number = json::Object{{"type", "integer"}, {"minimum", 0}};
    info.parameters.push_back({.in = net::RouteParameter::In::kQuery,
                               .name = "wait",
                               .description = "Seconds to wait for news, 60 at most",
                               .schema = number,
                               .example = 25});
    info.parameters.push_back({.in = net::RouteParameter::In::kQuery,
                               .name = "since",
                               .description = "The version that the agent knows",
                               .schema = number});
  }
  return info;
}

net::RouteInfo ActInfo(const std::string& name) {
  json::Object answer{{"success", json::Object{{"const", true}}}};
  if (name == "action") answer["command"] = Type("string");
  answer["side"] = Type("string");
  json::Object request;
  json::Object example;
  std::string summary;
  const json::Value eid = json::Object{{"type", json::Array{"integer", "object", "null"}}};
  if (name == "action") {
    request = ObjectOf({{"command", Type("string")}, {"args", Nullable("object")}, {"eid", eid}}, false);
    request["required"] = json::Array{"command"};
    example = {{"command", "run"}, {"args", json::Object{{"server", "HQ"}}}};
    summary = "Does something";
  } else if (name == "choice") {
    request =
        ObjectOf({{"choice", json::Object{{"type", json::Array{"string", "integer", "object"}}}}, {"eid", eid}}, false);
    request["required"] = json::Array{"choice"};
    example = {{"choice", "Keep"}};
    summary = "Answers the prompt with an option's text, uuid or number (Netrunner)";
  } else {
    const json::Value card = json::Object{{"type", json::Array{"object", "string"}}};
    request = ObjectOf({{"card", card}, {"eid", eid}}, false);
    request["required"] = json::Array{"card"};
    example = {{"card", json::Object{{"cid", "c12"}}}};
    summary = "Chooses a card for the prompt, one at a time (Netrunner)";
  }
  net::RouteInfo info = ForAgents(std::move(summary), "act_" + name, std::move(request), ObjectOf(std::move(answer)));
  info.request_example = std::move(example);
  info.parameters.push_back({.in = net::RouteParameter::In::kHeader,
                             .name = "Idempotency-Key",
                             .description = "A text of your choice: a request that is repeated with it acts once",
                             .schema = Type("string")});
  info.answers.push_back({.status = 500,
                          .description = "The rules refuse it now",
                          .schema = ObjectOf({{"message", Type("string")}, {"command", Type("string")}})});
  return info;
}

net::RouteInfo DeliveriesInfo() {
  net::RouteInfo info{
      "What a seat's agent was told by webhooks, and what waits: the latest 100", "console", nullptr,
      ObjectOf({{"state", Type("string")}, {"waiting", Type("integer")}, {"deliveries", ArrayOf(Type("object"))}})};
  info.operation = "listDeliveries";
  info.answers = {{.status = 404, .description = "No such table, or no agent there is told by webhooks"}};
  return info;
}

}  // namespace openseat::agent_api
