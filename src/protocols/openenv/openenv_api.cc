#include "protocols/openenv/openenv_api.h"

#include <memory>
#include <utility>

#include "base/json_members.h"
#include "base/text.h"
#include "net/json_request.h"
#include "protocols/openenv/codec.h"
#include "protocols/openenv/observation.h"
#include "protocols/openenv/session.h"

namespace openseat::openenv {
namespace {

constexpr int kRpcParseError = -32700;

net::RouteInfo About(std::string operation, std::string summary, json::Value response) {
  net::RouteInfo info;
  info.summary = std::move(summary);
  info.tag = "openenv";
  info.operation = std::move(operation);
  info.response_schema = std::move(response);
  info.parameters = {{.in = net::RouteParameter::In::kPath,
                      .name = "game",
                      .description = "A game's id.",
                      .schema = json::Object{{"type", "string"}},
                      .example = "tictactoe"}};
  info.answers = {{.status = 404, .description = "There is no such game."}};
  return info;
}

json::Value Object() {
  return json::Object{{"type", "object"}};
}

json::Value Answered() {
  return json::Object{{"type", "object"},
                      {"properties", json::Object{{"observation", Object()},
                                                  {"reward", json::Object{{"type", json::Array{"number", "null"}}}},
                                                  {"done", json::Object{{"type", "boolean"}}}}},
                      {"required", json::Array{"observation", "reward", "done"}}};
}

// FastAPI's form of a request that has not the right shape.
net::HttpResponse Unprocessable(const Failure& failure) {
  json::Array where{"body"};
  if (!failure.path.empty()) where.emplace_back(failure.path);
  return net::HttpResponse::Json(
      422,
      json::Object{{"detail", json::Array{json::Object{
                                  {"type", "value_error"}, {"loc", std::move(where)}, {"msg", failure.message}}}}});
}

net::HttpResponse FromFailure(const Error& error) {
  if (const Failure failure = ToFailure(error); failure.code == Code::kValidation) return Unprocessable(failure);
  return net::HttpResponse::FromError(error);
}

// What a step needs: checked before anything is made.
struct Body {
  ResetOptions options;
  std::optional<StepAction> action;
};

Result<Body> ReadBody(const net::HttpRequest& request, const Game& game, const AgentKinds& kinds, Namer namer,
                      bool step) {
  Result<json::Object> body = net::ObjectBody(request);
  if (!body) return Fail(ErrorCode::kInvalid, body.error().message, body.error().path);
  Body read;
  if (!step) {
    Result<ResetOptions> options = ReadReset(*body, game, kinds, namer);
    if (!options) return Fail(options.error());
    read.options = std::move(*options);
  } else {
    const json::Value* action = json::Find(*body, "action");
    if (action == nullptr) return Fail(ErrorCode::kInvalid, "a step has the member action", "action");
    Result<StepAction> parsed = ReadAction(*action);
    if (!parsed) return Fail(parsed.error());
    read.action = std::move(*parsed);
    Result<ResetOptions> options = ReadReset({}, game, kinds, namer);
    if (!options) return Fail(options.error());
    read.options = std::move(*options);
  }
  if (read.options.open || read.options.record) {
    return Fail(ErrorCode::kInvalid, "a request without a socket has an episode of its own, which ends with the answer",
                read.options.open ? "opponents" : "record");
  }
  read.options.episode_id.clear();
  return read;
}

// One request's environment.
struct Visit {
  explicit Visit(net::HttpReply its_reply) : reply(std::move(its_reply)) {}
  net::OneReply reply;
  PlayerRef player;
};

void Answer(Environments& environments, const std::shared_ptr<Visit>& visit, const Result<std::string>& text) {
  environments.Leave(visit->player);
  if (!text) return visit->reply.Send(FromFailure(text.error()));
  visit->reply.Send(net::HttpResponse::Text(200, *text, "application/json"));
}

}  // namespace

void OpenEnvApi::AddAbout(net::Router& router) {
  const auto add = [&](const char* path, net::RouteInfo info, std::function<json::Object(const GameInfo&)> answer) {
    router.Add(net::Method::kGet, std::string("/openenv/:game") + path, std::move(info),
               [this, answer = std::move(answer)](const net::HttpRequest& request, net::HttpReply reply) {
                 const Game* game = environments_.FindGame(request.Param("game"));
                 std::move(reply).Send(game != nullptr ? net::HttpResponse::Json(200, answer(game->info()))
                                                       : net::HttpResponse::FromError(
                                                             {ErrorCode::kNotFound, "there is no such game", "game"}));
               });
  };
  add("/health", About("getOpenEnvHealth", "Whether the environment can be used.", Object()),
      [](const GameInfo&) { return json::Object{{"status", "healthy"}}; });
  add("/metadata", About("getOpenEnvMetadata", "What the environment is.", Object()), MetadataOf);
  add("/schema", About("getOpenEnvSchema", "JSON Schemas of action, observation and state.", Object()), SchemasOf);
  add("/openapi.json", About("getOpenEnvDescription", "The environment's own description.", Object()), OpenApiOf);
  add("/state", About("getOpenEnvState", "The state of an environment of the request's own.", Object()),
      [](const GameInfo&) { return json::Object{{"episode_id", nullptr}, {"step_count", 0}}; });
}

void OpenEnvApi::AddPlay(net::Router& router) {
  for (const bool step : {false, true}) {
    net::RouteInfo info =
        step ? About("stepOpenEnv", "One step in an environment of the request's own.", Answered())
             : About("resetOpenEnv", "The first observation of an environment of the request's own.", Answered());
    info.request_schema = Object();
    info.body_optional = !step;
    info.answers.push_back({.status = 422, .description = "An argument has the wrong form.", .schema = Object()});
    info.answers.push_back({.status = 401, .description = "From another machine, playing needs a token."});
    router.Add(
        net::Method::kPost, step ? "/openenv/:game/step" : "/openenv/:game/reset", std::move(info),
        [this, step](const net::HttpRequest& request, net::HttpReply reply) { Play(request, std::move(reply), step); });
  }
  net::RouteInfo info = About("callOpenEnvMcp", "JSON-RPC: this is not an MCP environment.", Object());
  info.request_schema = Object();
  router.Add(net::Method::kPost, "/openenv/:game/mcp", std::move(info),
             [](const net::HttpRequest& request, net::HttpReply reply) {
               const Result<json::Value> body = json::Parse(request.body, net::kBodyLimits);
               std::move(reply).Send(net::HttpResponse::Json(
                   200, body ? AnswerRpc(*body) : RpcError(nullptr, kRpcParseError, "Parse error")));
             });
}

void OpenEnvApi::Play(const net::HttpRequest& request, net::HttpReply reply, bool step) {
  auto visit = std::make_shared<Visit>(std::move(reply));
  const Game* game = environments_.FindGame(request.Param("game"));
  if (game == nullptr) {
    return visit->reply.Send(net::HttpResponse::FromError({ErrorCode::kNotFound, "there is no such game", "game"}));
  }
  const auto asked = std::make_shared<const net::HttpRequest>(request);
  door_.admit(*asked, [this, asked, visit, game, step](const Result<std::string>& admitted) {
    if (!admitted) return visit->reply.Send(net::HttpResponse::FromError(admitted.error()));
    Result<Body> body = ReadBody(*asked, *game, environments_.kinds(), door_.namer(*asked), step);
    if (!body) return visit->reply.Send(FromFailure(body.error()));
    Scheduler& home = environments_.NextHome();
    std::shared_ptr<Payer> payer = asked->payer;
    if (payer != nullptr) payer = payer->WithKey(*admitted, home.clock().Monotonic());
    home.Post([this, &home, visit, game, payer = std::move(payer), body = std::move(*body)] {
      environments_.Reset(
          home, *game, body.options, payer, [visit](PlayerRef player) { visit->player = player; },
          [this, &home, visit, action = body.action](const Result<std::string>& text) {
            if (!text || !action) return Answer(environments_, visit, text);
            environments_.Step(home, visit->player, *action, [this, visit](const Result<std::string>& stepped) {
              Answer(environments_, visit, stepped);
            });
          });
    });
  });
}

void OpenEnvApi::AddRoutes(net::Router& router) {
  AddAbout(router);
  AddPlay(router);
  net::UpgradeOptions options;
  options.admit = door_.admit;
  router.AddWebSocket("/openenv/:game/ws", options,
                      [this](const net::HttpRequest& request) -> Result<std::unique_ptr<net::WebSocketSession>> {
                        const Game* game = environments_.FindGame(request.Param("game"));
                        if (game == nullptr) {
                          return Fail(ErrorCode::kNotFound, "there is no game " + Quote(request.Param("game")), "game");
                        }
                        return std::make_unique<Session>(environments_, *game, door_.namer(request), request.payer);
                      });
}

}  // namespace openseat::openenv
