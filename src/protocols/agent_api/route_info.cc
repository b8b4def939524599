#include "protocols/agent_api/route_info.h"

#include <map>
#include <string_view>
#include <utility>

#include "net/schemas.h"

namespace openseat::agent_api {
namespace {

using net::schemas::ListOf;
using net::schemas::Nullable;
using net::schemas::ObjectOf;
using net::schemas::Typed;

// An object that has all of these.
json::Object AllOf(json::Object properties) {
  json::Array required;
  for (const auto& [name, schema] : properties) required.emplace_back(name);
  return ObjectOf(std::move(properties), std::move(required));
}

json::Object Codes() {
  return AllOf({{"cards", ListOf(Typed("string"))}});
}

json::Object ScoreOf() {
  return AllOf({{"scored", ListOf(Typed("object"))}, {"agenda-points", Typed("integer")}});
}

json::Object AnswerOf(const std::string& name) {
  if (name == "state") {
    json::Object state = AllOf({{"gameid", Typed("string")},
                                {"turn", Typed("integer")},
                                {"active-player", Nullable("string")},
                                {"phase", Typed("string")},
                                {"agent-side", Typed("string")},
                                {"agent-state", Typed("object")},
                                {"opponent-state", Typed("object")},
                                {"run", Nullable("object")},
                                {"available-actions", Typed("object")},
                                {"log", ListOf(Typed("object"))},
                                {"version", Typed("integer")}});
    state["properties"].get_object()["winner"] = Nullable("string");
    state["properties"].get_object()["reason"] = Typed("string");
    return state;
  }
  if (name == "prompt") return AllOf({{"prompt", Nullable("object")}, {"side", Typed("string")}});
  if (name == "actions") return AllOf({{"actions", Typed("object")}, {"side", Typed("string")}});
  if (name == "board") {
    return AllOf({{"servers", Typed("object")}, {"rig", Typed("object")}, {"side", Typed("string")}});
  }
  if (name == "scored") return AllOf({{"corp", ScoreOf()}, {"runner", ScoreOf()}});
  if (name == "run") return AllOf({{"run", Nullable("object")}, {"encounters", Nullable("object")}});
  if (name == "decklist") {
    return AllOf({{"name", Typed("string")}, {"cards", ListOf(Typed("object"))}, {"identity", Typed("object")}});
  }
  if (name == "log") {
    return AllOf({{"messages", ListOf(AllOf({{"user", Typed("string")}, {"text", Typed("string")}}))}});
  }
  return Codes();
}

constexpr std::string_view kTag = "agent";

json::Object MessageSchema() {
  return AllOf({{"message", Typed("string")}});
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
                      .schema = Typed("string"),
                      .required = true},
                     {.in = net::RouteParameter::In::kQuery,
                      .name = "gameid",
                      .description = "Which game, if an account's key plays several",
                      .schema = Typed("string")}};
  info.answers = {{.status = 400, .description = "The request is wrong, or has no key"},
                  {.status = 403, .description = "The key is in no game, or not for this seat"},
                  {.status = 404, .description = "Unknown key; the game has not started; not for this game"},
                  {.status = 429, .description = "Too many requests; Retry-After says when to retry"},
                  {.status = 503, .description = "The game goes on at another server; Retry-After says when to retry"}};
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
    const json::Value number = net::schemas::Whole();
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
  if (name == "action") answer["command"] = Typed("string");
  answer["side"] = Typed("string");
  json::Object request;
  json::Object example;
  std::string summary;
  const json::Value eid = Typed(json::Array{"integer", "object", "null"});
  if (name == "action") {
    request = ObjectOf({{"command", Typed("string")}, {"args", Nullable("object")}, {"eid", eid}}, {"command"});
    example = {{"command", "run"}, {"args", json::Object{{"server", "HQ"}}}};
    summary = "Does something";
  } else if (name == "choice") {
    request = ObjectOf({{"choice", Typed(json::Array{"string", "integer", "object"})}, {"eid", eid}}, {"choice"});
    example = {{"choice", "Keep"}};
    summary = "Answers the prompt with an option's text, uuid or number (Netrunner)";
  } else {
    const json::Value card = Typed(json::Array{"object", "string"});
    request = ObjectOf({{"card", card}, {"eid", eid}}, {"card"});
    example = {{"card", json::Object{{"cid", "c12"}}}};
    summary = "Chooses a card for the prompt, one at a time (Netrunner)";
  }
  net::RouteInfo info = ForAgents(std::move(summary), "act_" + name, std::move(request), AllOf(std::move(answer)));
  info.request_example = std::move(example);
  info.parameters.push_back({.in = net::RouteParameter::In::kHeader,
                             .name = "Idempotency-Key",
                             .description = "A text of your choice: a request that is repeated with it acts once",
                             .schema = Typed("string")});
  info.answers.push_back({.status = 500,
                          .description = "The rules refuse it now",
                          .schema = AllOf({{"message", Typed("string")}, {"command", Typed("string")}})});
  return info;
}

net::RouteInfo DeliveriesInfo() {
  net::RouteInfo info{
      "What a seat's agent was told by webhooks, and what waits: the latest 100", "console", nullptr,
      AllOf({{"state", Typed("string")}, {"waiting", Typed("integer")}, {"deliveries", ListOf(Typed("object"))}})};
  info.operation = "listDeliveries";
  info.answers = {{.status = 404, .description = "No such table, or no agent there is told by webhooks"}};
  return info;
}

}  // namespace openseat::agent_api
