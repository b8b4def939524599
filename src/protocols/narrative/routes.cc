// NarrativeApi's routes and their descriptions.
#include <utility>

#include "games/narrative/result_schema.h"
#include "net/paging.h"
#include "net/schemas.h"
#include "protocols/narrative/narrative_impl.h"

namespace openseat::narrative {
namespace {

using games::narrative::kResultVersions;
using games::narrative::ResultName;
using games::narrative::ResultSchema;
using net::HttpReply;
using net::HttpRequest;
using net::Method;
using net::RouteAnswer;
using net::RouteInfo;
using net::RouteParameter;
using net::schemas::ListOf;
using net::schemas::Moment;
using net::schemas::ObjectOf;
using net::schemas::Ref;
using net::schemas::Typed;

json::Object Meta() {
  return ObjectOf({{"traceId", json::Object{{"type", "string"}, {"format", "uuid"}}}}, {"traceId"});
}

// An object from names to such values.
json::Object ByName(json::Value values, const char* description) {
  return {{"type", "object"}, {"description", description}, {"additionalProperties", std::move(values)}};
}

// {"ok", "data", "meta"} around it.
json::Object Envelope(json::Value data) {
  return ObjectOf({{"ok", json::Object{{"const", true}}}, {"data", std::move(data)}, {"meta", Meta()}},
                  {"ok", "data", "meta"});
}

json::Object TurnMembers() {
  return {{"turnNumber", Typed("integer", "From 1, the opening")},
          {"input", ObjectOf({{"by", Typed("string")}, {"choiceId", Typed("string")}, {"text", Typed("string")}},
                             {"by", "text"})},
          {"turn", json::Object{{"description", "In the requested schema version"},
                                {"anyOf", json::Array{Ref("LlmResultV1"), Ref("LlmResultV2")}}}},
          {"state", Ref("NarrativeState")}};
}

json::Object GameMembers() {
  return {{"id", Typed("string")},
          {"scenario", Typed("string")},
          {"title", Typed("string")},
          {"invite", Typed("string", "For a private story: others name it by its id, a period and this")},
          {"player", Typed("string")},
          {"players", ListOf(Typed("string", "If there are several, all of them"))},
          {"narrator", ObjectOf({{"kind", Typed("string")},
                                 {"token", Typed("string", "If the narrator plays from outside; shown once")}},
                                {"kind"})},
          {"schemaVersion", Typed("integer")},
          {"status", json::Object{{"enum", json::Array{"narrating", "waiting", "over"}}}},
          {"turnNumber", Typed("integer", "The number of its turns")},
          {"opened", Moment()},
          {"reason", Typed("string", "Why it is over")}};
}

json::Object Joined(json::Object a, const json::Object& b) {
  for (const auto& member : b) a[member.key()] = member.value();
  return a;
}

void AddSchemas(net::Router& router) {
  for (int version = 1; version <= kResultVersions; ++version) {
    json::Object schema = ResultSchema(version).source().as_object();
    schema.erase("$schema");
    router.AddSchema(ResultName(version), std::move(schema));
  }
  router.AddSchema("NarrativeState",
                   ObjectOf({{"turnNumber", Typed("integer")},
                             {"maxTurns", Typed("integer")},
                             {"relationships", ByName(Typed("integer"), "By character, -100 to 100")},
                             {"factions", ByName(Typed("integer"), "By faction, -100 to 100")},
                             {"worldState", Typed("object", "Facts by name, any JSON")},
                             {"over", Typed("boolean")},
                             {"ending", Typed("string")}},
                            {"turnNumber", "maxTurns", "relationships", "factions", "worldState", "over"}));
  router.AddSchema("NarrativeTurn", ObjectOf(TurnMembers(), {"turnNumber", "turn", "state"}));
  router.AddSchema("NarrativeGame", ObjectOf(Joined(GameMembers(), TurnMembers()),
                                             {"id", "scenario", "title", "player", "narrator", "schemaVersion",
                                              "status", "turnNumber", "opened", "state"}));
  router.AddSchema(
      "NarrativeError",
      ObjectOf({{"ok", json::Object{{"const", false}}},
                {"error",
                 ObjectOf({{"code", json::Object{{"enum", json::Array(kFailureCodes.begin(), kFailureCodes.end())}}},
                           {"message", Typed("string")},
                           {"details", Typed("object")}},
                          {"code", "message", "details"})},
                {"meta", Meta()}},
               {"ok", "error", "meta"}));
}

const RouteAnswer kNotFound{.status = 404, .description = "There is no such story."};
const RouteAnswer kNotAcceptable{
    .status = 406, .description = "No requested version is supported; `details.supported` lists those that are."};

// The possible failures of narrating a turn.
std::vector<RouteAnswer> Narrated() {
  json::Object example{
      {"ok", false},
      {"error",
       json::Object{
           {"code", "VALIDATION_FAILED"},
           {"message", "Response failed schema validation"},
           {"details", json::Object{{"issues", json::Array{json::Object{
                                                   {"path", json::Array{"narrative"}},
                                                   {"message", "String must contain at least 1 character(s)"}}}}}}}},
      {"meta", json::Object{{"traceId", "5b8f6c7e-58f3-4a4e-9d54-0f4a3c1d2e6b"}}}};
  return {
      {.status = 400, .description = "The request is wrong: `details.issues`."},
      kNotAcceptable,
      {.status = 422,
       .description = "The narrator's answer was invalid, even after repair; or the Idempotency-Key was used for "
                      "another request. Nothing has changed.",
       .example = std::move(example)},
      {.status = 429, .description = "Too many turns, or the model's provider or budget allows no more for now."},
      {.status = 502, .description = "The narrator's provider failed. Nothing has changed."},
      {.status = 504, .description = "The narrator's provider, or the narrator, took too long. Nothing has changed."}};
}

RouteParameter Key() {
  return {.in = RouteParameter::In::kHeader,
          .name = "Idempotency-Key",
          .description = "A retry with the same key gets the same answer, and changes nothing.",
          .schema = json::Object{{"type", "string"}, {"minLength", 1}, {"maxLength", 150}}};
}
RouteParameter Version() {
  return {.in = RouteParameter::In::kQuery,
          .name = "schemaVersion",
          .description = "The version of the turns' schema; also a parameter of Accept.",
          .schema = json::Object{{"enum", json::Array{1, 2}}}};
}
RouteParameter Debug() {
  return {.in = RouteParameter::In::kQuery,
          .name = "debug",
          .description =
              "Whether turns include their `debug`: prompt, raw answer, time, tokens. It reveals the story's secrets.",
          .schema = json::Object{{"type", "boolean"}}};
}

RouteInfo Info(std::string summary, std::string operation, json::Value data) {
  RouteInfo info;
  info.summary = std::move(summary);
  info.tag = "narrative";
  info.operation = std::move(operation);
  if (!data.is_null()) info.response_schema = Envelope(std::move(data));
  info.error_schema = Ref("NarrativeError");
  return info;
}

}  // namespace

void NarrativeApi::AddRoutes(net::Router& router) {
  AddSchemas(router);

  RouteInfo list = Info(
      "The scenarios that can be played, and the stories that are live, newest first, in pages.", "listStories",
      ObjectOf({{"scenarios",
                 ListOf(ObjectOf(
                     {{"id", NewGameSchema().at("properties").at("scenario")},
                      {"title", Typed("string")},
                      {"summary", Typed("string")},
                      {"turns", Typed("integer")},
                      {"characters",
                       ListOf(ObjectOf({{"id", Typed("string")}, {"name", Typed("string")}, {"about", Typed("string")}},
                                       {"id", "name", "about"}))}},
                     {"id", "title", "summary", "turns", "characters"}))},
                {"games", ListOf(ObjectOf(GameMembers(), {"id", "scenario", "title", "player", "narrator",
                                                          "schemaVersion", "status", "turnNumber", "opened"}))},
                {"schemaVersions", ListOf(Typed("integer"))},
                {"next", Typed("string", "The cursor of the next page, if there is one")}},
               {"scenarios", "games", "schemaVersions"}));
  net::AddPageTo(list);
  router.SetErrors("/api/games", Unhandled);
  router.SetErrors("/api/schemas/", Unhandled);
  router.Add(Method::kGet, "/api/games", std::move(list),
             [this](const HttpRequest& request, HttpReply reply) { ListGames(request, std::move(reply)); });

  RouteInfo create = Info("A new story, with its opening turn.", "createStory", Ref("NarrativeGame"));
  create.request_schema = NewGameSchema();
  create.request_example = json::Object{{"scenario", "whispering-woods"}, {"player", "Ana"}};
  create.status = 201;
  create.parameters = {Key(), Version(), Debug()};
  create.answers = Narrated();
  router.Add(Method::kPost, "/api/games", std::move(create),
             [this](const HttpRequest& request, HttpReply reply) { CreateGame(request, std::move(reply)); });

  router.Add(Method::kGet, kKeyPath, {},
             [this](const HttpRequest& request, HttpReply reply) { TellKey(request, std::move(reply)); });

  RouteInfo get = Info("One story, live or over, with its latest turn.", "getStory", Ref("NarrativeGame"));
  get.parameters = {Version(), Debug()};
  get.answers = {kNotFound, kNotAcceptable};
  router.Add(Method::kGet, "/api/games/:id", std::move(get),
             [this](const HttpRequest& request, HttpReply reply) { GetGame(request, std::move(reply)); });

  RouteInfo play =
      Info("Plays a turn: takes a choice on offer, or does something else, in the player's own words.", "playTurn",
           ObjectOf(Joined(TurnMembers(), {{"id", Typed("string")}, {"schemaVersion", Typed("integer")}}),
                    {"id", "schemaVersion", "turnNumber", "input", "turn", "state"}));
  play.request_schema = TurnSchema();
  play.request_example = json::Object{{"text", "I sit down and listen to the trees."}};
  play.parameters = {Key(), Version(), Debug()};
  play.answers = Narrated();
  play.answers.push_back(kNotFound);
  play.answers.push_back({.status = 403, .description = "The story's player is an agent, or plays elsewhere."});
  play.answers.push_back({.status = 409,
                          .description =
                              "A turn is being narrated (TURN_IN_PROGRESS), the story is over (GAME_OVER), or "
                              "the choice is not on offer (CHOICE_NOT_ON_OFFER)."});
  router.Add(Method::kPost, "/api/games/:id/turns", std::move(play),
             [this](const HttpRequest& request, HttpReply reply) { PlayTurn(request, std::move(reply)); });

  RouteInfo turns = Info(
      "The turns of a story, live or over.", "listTurns",
      ObjectOf({{"id", Typed("string")}, {"schemaVersion", Typed("integer")}, {"turns", ListOf(Ref("NarrativeTurn"))}},
               {"id", "schemaVersion", "turns"}));
  turns.parameters = {{.in = RouteParameter::In::kQuery,
                       .name = "after",
                       .description = "Only those after this one.",
                       .schema = json::Object{{"type", "integer"}, {"minimum", 0}}},
                      Version(),
                      Debug()};
  turns.answers = {kNotFound, kNotAcceptable};
  router.Add(Method::kGet, "/api/games/:id/turns", std::move(turns),
             [this](const HttpRequest& request, HttpReply reply) { ListTurns(request, std::move(reply)); });

  RouteInfo events = Info("The progress of a story as it happens.", "streamStory", nullptr);
  events.description =
      "Server-Sent Events: `status`, `turn-started`, `turn` (its number is the event's id), `turn-failed`, `over`.";
  events.content_type = "text/event-stream";
  events.parameters = {
      {.in = RouteParameter::In::kHeader,
       .name = "Last-Event-ID",
       .description = "The number of the last turn that the listener knows; the later ones come first.",
       .schema = json::Object{{"type", "integer"}, {"minimum", 0}}}};
  events.answers = {kNotFound, {.status = 410, .description = "The story has been over for some time."}};
  router.Add(Method::kGet, "/api/games/:id/events", std::move(events),
             [this](const HttpRequest& request, HttpReply reply) { StreamEvents(request, std::move(reply)); });

  RouteInfo schema = Info("The JSON Schema of what a narrator answers.", "getResultSchema", nullptr);
  schema.response_schema = Typed("object");
  schema.parameters = {{.in = RouteParameter::In::kPath,
                        .name = "name",
                        .description = "Its name.",
                        .schema = json::Object{{"enum", json::Array{ResultName(1), ResultName(2)}}},
                        .required = true}};
  schema.answers = {kNotFound};
  router.Add(Method::kGet, "/api/schemas/:name", std::move(schema), [](const HttpRequest& request, HttpReply reply) {
    for (int version = 1; version <= kResultVersions; ++version) {
      if (request.Param("name") != ResultName(version)) continue;
      return std::move(reply).Send(net::HttpResponse::Json(200, ResultSchema(version).source()));
    }
    Answer(std::move(reply)).Fail({404, "NOT_FOUND", "The schemas are LlmResultV1 and LlmResultV2"});
  });
}

}  // namespace openseat::narrative
