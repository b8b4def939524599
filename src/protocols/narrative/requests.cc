#include "protocols/narrative/requests.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "base/check.h"
#include "base/digest.h"
#include "base/json_members.h"
#include "games/narrative/narrative.h"
#include "games/narrative/scenario.h"
#include "match/player_name.h"
#include "net/json_request.h"
#include "protocols/narrative/zod_issues.h"
#include "schema/repair/repair.h"
#include "schema/schema.h"

namespace openseat::narrative {
namespace {

constexpr std::size_t kMaxKey = 150;
constexpr std::size_t kMaxName = 100;

std::shared_ptr<const schema::Schema> Compiled(const json::Value& source) {
  auto compiled = schema::Schema::Compile(source);
  OPENSEAT_CHECK(compiled.has_value(), "the requests' schemas are schemas");
  return *compiled;
}

Read<json::Object> ReadBody(const net::HttpRequest& request, const schema::Schema& schema) {
  const Result<json::Value> body = schema::ParseStrict(request.body, net::kBodyLimits);
  if (!body) {
    return tl::unexpected(InvalidRequest({}, "The body must be one JSON object: " + body.error().message));
  }
  if (json::Array issues = ZodIssues(schema, *body); !issues.empty()) {
    return tl::unexpected(InvalidRequest(std::move(issues)));
  }
  return body->get_object();
}

std::optional<std::int64_t> NumberOf(const json::Object& body, std::string_view name) {
  const json::Value* value = json::Find(body, name);
  if (value == nullptr) return std::nullopt;
  if (value->is_int64()) return value->get_int64();
  // Whole by the schema, and beyond the range of any number here.
  return value->is_double() && std::abs(value->get_double()) < 1e15 ? static_cast<std::int64_t>(value->get_double())
                                                                    : std::int64_t{-1};
}

Read<std::string> ReadKey(const net::HttpRequest& request) {
  std::string key(request.headers.Get("Idempotency-Key"));
  const bool printable = std::ranges::all_of(key, [](char c) { return c >= ' ' && c <= '~'; });
  if (key.size() > kMaxKey || !printable || (key.empty() && request.headers.Has("Idempotency-Key"))) {
    return tl::unexpected(InvalidRequest(
        {"Idempotency-Key"}, "The header must be 1 to " + std::to_string(kMaxKey) + " printable ASCII character(s)"));
  }
  return key;
}

json::Value Text(std::size_t max, std::string_view description) {
  return json::Object{{"type", "string"}, {"minLength", 1}, {"maxLength", max}, {"description", description}};
}

json::Object Common() {
  return {
      {"schemaVersion", json::Object{{"type", "integer"}, {"description", "The schema version of the turns: 1 or 2"}}},
      {"debug", json::Object{{"type", "boolean"}, {"description", "Whether the turn comes with its debug"}}}};
}

json::Value Closed(json::Object properties, json::Array required) {
  return json::Object{{"type", "object"},
                      {"properties", std::move(properties)},
                      {"required", std::move(required)},
                      {"additionalProperties", false}};
}

}  // namespace

const json::Value& NewGameSchema() {
  static const json::Value schema = [] {
    json::Array scenarios;
    for (const auto& scenario : games::narrative::Scenarios()) scenarios.emplace_back(scenario.id);
    json::Object properties{
        {"scenario", json::Object{{"type", "string"}, {"enum", std::move(scenarios)}}},
        {"player", Text(kMaxName, "The name of the player's character")},
        {"narrator",
         json::Object{{"type", "object"},
                      {"description", "The agent that narrates: {\"kind\", …options}"},
                      {"properties", json::Object{{"kind", json::Object{{"type", "string"}, {"minLength", 1}}}}},
                      {"required", json::Array{"kind"}},
                      {"additionalProperties", json::Object{{"description", "An option of the kind"}}}}},
        {"turns", json::Object{{"type", "integer"}, {"minimum", 1}, {"maximum", games::narrative::kMaxTurns}}},
        {"from",
         json::Object{
             {"type", "object"},
             {"description", "Instead of a scenario: the new story has the turns of this one, up to `turn`"},
             {"properties",
              json::Object{
                  {"id", Text(kMaxName, "A story, live or over")},
                  {"turn", json::Object{{"type", "integer"}, {"minimum", 1}, {"maximum", games::narrative::kMaxTurns}}},
                  {"differently",
                   json::Object{{"type", "boolean"},
                                {"description", "Whether the turn after that is to be told differently"}}}}},
             {"required", json::Array{"id", "turn"}},
             {"additionalProperties", false}}},
        {"private", json::Object{{"type", "boolean"},
                                 {"description",
                                  "Whether it can be watched only by its invitation; true by default for a story that "
                                  "is made from another machine"}}}};
    for (const auto& member : Common()) properties[member.key()] = member.value();
    return Closed(std::move(properties), {});
  }();
  return schema;
}

const json::Value& TurnSchema() {
  static const json::Value schema = [] {
    json::Object properties{{"choiceId", Text(100, "A choice on offer")},
                            {"text", Text(games::narrative::kMaxText, "Instead: what the player does or says")}};
    for (const auto& member : Common()) properties[member.key()] = member.value();
    return Closed(std::move(properties), {});
  }();
  return schema;
}

bool WantsDebug(const net::HttpRequest& request) {
  const std::string* debug = request.Query("debug");
  return debug != nullptr && (*debug == "true" || *debug == "1");
}

Read<NewGameRequest> ReadNewGame(const net::HttpRequest& request, const AgentKinds& kinds) {
  static const std::shared_ptr<const schema::Schema> schema = Compiled(NewGameSchema());
  Read<json::Object> body = ReadBody(request, *schema);
  if (!body) return tl::unexpected(std::move(body).error());
  Read<std::string> key = ReadKey(request);
  if (!key) return tl::unexpected(std::move(key).error());
  NewGameRequest out{.scenario = std::string(json::TextOf(*body, "scenario")),
                     .from = std::nullopt,
                     .player = std::string(json::TextOf(*body, "player")),
                     .narrator = std::nullopt,
                     .turns = std::nullopt,
                     .version = NumberOf(*body, "schemaVersion"),
                     .is_private = std::nullopt,
                     .debug = json::BoolOf(*body, "debug", false) || WantsDebug(request),
                     .key = std::move(*key),
                     .digest = Sha256Hex(request.body).substr(0, 32)};
  if (const json::Object* from = json::FindObject(*body, "from")) {
    out.from = BranchPoint{std::string(json::TextOf(*from, "id")),
                           static_cast<std::size_t>(NumberOf(*from, "turn").value_or(0)),
                           json::BoolOf(*from, "differently", false)};
  }
  if (!out.from && out.scenario.empty()) return tl::unexpected(InvalidRequest({"scenario"}, "Required"));
  if (out.from && !out.scenario.empty()) {
    return tl::unexpected(InvalidRequest({"scenario"}, "Give either scenario or from"));
  }
  if (out.from && out.version) {
    return tl::unexpected(InvalidRequest({"schemaVersion"}, "A branch keeps the version of its story"));
  }
  if (const Result<void> fits = CheckPlayerName(out.player); !fits) {
    return tl::unexpected(InvalidRequest({"player"}, fits.error().message));
  }
  if (out.player.empty() && !out.from) out.player = "Player";
  if (const json::Value* flag = json::Find(*body, "private")) out.is_private = flag->get_bool();
  if (const auto turns = NumberOf(*body, "turns")) out.turns = static_cast<int>(*turns);
  if (const json::Value* narrator = json::Find(*body, "narrator")) {
    out.narrator = AgentSpec{std::string(json::TextOf(narrator->get_object(), "kind")), narrator->get_object()};
    out.narrator->options.erase("kind");
    if (const Result<void> fits = kinds.Check(*out.narrator, Namer::kAdmin); !fits) {
      return tl::unexpected(InvalidRequest({"narrator", fits.error().path}, fits.error().message));
    }
  }
  return out;
}

Read<TurnRequest> ReadTurn(const net::HttpRequest& request) {
  static const std::shared_ptr<const schema::Schema> schema = Compiled(TurnSchema());
  Read<json::Object> body = ReadBody(request, *schema);
  if (!body) return tl::unexpected(std::move(body).error());
  Read<std::string> key = ReadKey(request);
  if (!key) return tl::unexpected(std::move(key).error());
  TurnRequest out{.choice_id = std::string(json::TextOf(*body, "choiceId")),
                  .text = std::string(json::TextOf(*body, "text")),
                  .version = NumberOf(*body, "schemaVersion"),
                  .debug = json::BoolOf(*body, "debug", false) || WantsDebug(request),
                  .key = std::move(*key)};
  if (out.choice_id.empty() == out.text.empty()) {
    return tl::unexpected(InvalidRequest({}, "Give either choiceId or text"));
  }
  return out;
}

}  // namespace openseat::narrative
