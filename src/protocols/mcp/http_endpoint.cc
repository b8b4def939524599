#include "protocols/mcp/http_endpoint.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/budget.h"
#include "net/client_address.h"
#include "protocols/mcp/http_exchange.h"

namespace openseat::mcp {
namespace {

using net::HttpReply;
using net::HttpRequest;
using net::HttpResponse;
using net::Method;

constexpr std::size_t kMostSessions = 10'000;
constexpr std::size_t kMostOfOne = 256;  // sessions, and calls at once, of one key or bearer of access tokens

HttpResponse Refusal(int status, const json::Value& id, const Failure& failure) {
  return HttpResponse::Text(status, EncodeFailure(id, failure), "application/json");
}

HttpResponse Refusal(int status, std::string message) {
  return Refusal(status, nullptr, {code::kInvalidRequest, std::move(message), nullptr, status});
}

// Whether a list of media types names one of these; media ranges count.
bool Names(std::string_view list, std::string_view type, std::string_view subtype) {
  while (!list.empty()) {
    std::string_view entry = list.substr(0, list.find(','));
    list.remove_prefix(std::min(list.size(), entry.size() + 1));
    entry = TrimHeader(entry.substr(0, entry.find(';')));
    const std::size_t slash = entry.find('/');
    if (slash == std::string_view::npos) continue;
    const std::string_view got_type = entry.substr(0, slash);
    const std::string_view got_subtype = entry.substr(slash + 1);
    if ((got_type == "*" && got_subtype == "*") || (got_type == type && (got_subtype == "*" || got_subtype == subtype)))
      return true;
  }
  return false;
}

std::optional<std::string_view> Header(const HttpRequest& request, std::string_view name) {
  if (!request.headers.Has(name)) return std::nullopt;
  return request.headers.Get(name);
}

std::map<std::string, std::string> ParamHeaders(const HttpRequest& request) {
  std::map<std::string, std::string> out;
  for (const auto& [name, value] : request.headers.all()) {
    std::string lower = name;
    std::ranges::transform(lower, lower.begin(),
                           [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    constexpr std::string_view kPrefix = "mcp-param-";
    if (lower.starts_with(kPrefix)) out[lower.substr(kPrefix.size())] = value;
  }
  return out;
}

// Whose budget pays for what the call opens: the address's, with the key or bearer that it comes with.
std::shared_ptr<Payer> PayerOf(const HttpRequest& request, const Caller& caller, Instant now) {
  if (request.payer == nullptr || caller.operates) return request.payer;
  return request.payer->WithKey(caller.who, now);
}

// --- For /openapi.json ---

net::RouteParameter HeaderParameter(std::string_view name, std::string description, bool required = false) {
  net::RouteParameter parameter;
  parameter.in = net::RouteParameter::In::kHeader;
  parameter.name = name;
  parameter.description = std::move(description);
  parameter.required = required;
  return parameter;
}

json::Object MessageSchema(json::Object properties, json::Array required) {
  properties["jsonrpc"] = json::Object{{"const", "2.0"}};
  properties["id"] = json::Object{{"type", json::Array{"string", "integer"}}};
  required.push_back("jsonrpc");
  return {{"type", "object"}, {"properties", std::move(properties)}, {"required", std::move(required)}};
}

json::Value ErrorSchema() {
  const json::Object error{{"type", "object"},
                           {"properties", json::Object{{"code", json::Object{{"type", "integer"}}},
                                                       {"message", json::Object{{"type", "string"}}}}},
                           {"required", json::Array{"code", "message"}}};
  return MessageSchema({{"error", error}}, {"error"});
}

net::RouteInfo PostInfo() {
  const json::Object object{{"type", "object"}};
  net::RouteInfo info{
      "One message of the Model Context Protocol.", "mcp",
      MessageSchema({{"method", json::Object{{"type", "string"}}}, {"params", object}, {"result", object}}, {}),
      MessageSchema({{"result", object}, {"error", object}}, {"id"})};
  info.description =
      "Revisions 2025-06-18 and 2025-11-25, which begin with `initialize`, and 2026-07-28, where every request is "
      "self-contained. The answer is one message, or a stream of events that ends with it.";
  info.operation = "postMcpMessage";
  info.parameters = {HeaderParameter(kVersionHeader, "The revision; 2026-07-28 needs it on every request."),
                     HeaderParameter(kSessionHeader, "Before 2026-07-28: the session from the answer to initialize."),
                     HeaderParameter(kMethodHeader, "2026-07-28: the message's method."),
                     HeaderParameter(kNameHeader, "2026-07-28: the name or URI in its parameters.")};
  info.request_example =
      json::Object{{"jsonrpc", "2.0"},
                   {"id", 1},
                   {"method", "initialize"},
                   {"params", json::Object{{"protocolVersion", kLegacyVersions.front()},
                                           {"capabilities", json::Object()},
                                           {"clientInfo", json::Object{{"name", "host"}, {"version", "1"}}}}}};
  info.error_schema = ErrorSchema();
  info.security = {"", "bearer"};
  info.answers = {
      {202, "a notification or response was accepted", nullptr, nullptr},
      {400, "not a message, or a header that does not match it"},
      {401, "the bearer token is missing or wrong"},
      {403, "a page of another origin, or a token without a scope that is needed"},
      {404, "no such method, or no such session"},
      {406, "the client accepts neither JSON nor events"},
      {415, "the body is not JSON"},
      {429, "too many requests from one key, or one bearer of access tokens; Retry-After says when to retry"}};
  return info;
}

}  // namespace

struct HttpEndpoint::Arrived {
  HttpRequest request;
  HttpReply reply;
  // What is known about the client that waits; on the server's scheduler.
  struct Waiting {
    bool gone = false;
    std::weak_ptr<Call> call;  // the call that it waits for
  };
  std::shared_ptr<Waiting> waiting = std::make_shared<Waiting>();
};

HttpEndpoint::HttpEndpoint(Server& server, Doorkeeper& doorkeeper, Scheduler& home, std::string prefix)
    : server_(server),
      doorkeeper_(doorkeeper),
      home_(home),
      sessions_(home.clock(), kMostSessions, kMostOfOne, std::move(prefix)),
      calls_(std::numeric_limits<std::size_t>::max(), kMostOfOne) {}

void HttpEndpoint::AddRoutes(net::Router& router) {
  const auto take = [this](const HttpRequest& request, HttpReply reply) { Take(request, std::move(reply)); };
  router.SetErrors("/mcp", [](int status, std::string_view message) { return Refusal(status, std::string(message)); });
  router.Add(Method::kPost, "/mcp", PostInfo(), take);
  router.Add(Method::kGet, "/mcp", {}, take);  // is told that there is no such stream
  net::RouteInfo end{"Ends a session of the Model Context Protocol.", "mcp", nullptr, nullptr};
  end.operation = "endMcpSession";
  end.status = 204;
  end.parameters = {HeaderParameter(kSessionHeader, "The session from the answer to initialize.", true)};
  end.error_schema = ErrorSchema();
  end.security = {"", "bearer"};
  end.answers = {
      {401, "the bearer token is missing or wrong"}, {404, "no such session"}, {405, "no session was named"}};
  router.Add(Method::kDelete, "/mcp", std::move(end), take);
}

void HttpEndpoint::Take(const HttpRequest& request, HttpReply reply) {
  auto arrived = std::make_shared<Arrived>(Arrived{request, std::move(reply)});
  arrived->reply.OnGone([&home = home_, waiting = arrived->waiting] {
    home.Post([waiting] {
      waiting->gone = true;
      if (const CallPtr call = waiting->call.lock()) call->HungUp();
    });
  });
  home_.Post([this, arrived] {
    doorkeeper_.Admit(arrived->request, [this, arrived](tl::expected<std::string, HttpResponse> caller) {
      if (!caller) return std::move(arrived->reply).Send(std::move(caller.error()));
      Serve(arrived, *caller);
    });
  });
}

void HttpEndpoint::Serve(const std::shared_ptr<Arrived>& arrived, const std::string& principal) {
  const HttpRequest& request = arrived->request;
  if (request.method != Method::kPost) return End(arrived, principal);
  const auto refuse = [&](HttpResponse response) { std::move(arrived->reply).Send(std::move(response)); };
  if (!Names(request.headers.Get("Content-Type"), "application", "json")) {
    return refuse(Refusal(415, "Unsupported media type: the Content-Type must be application/json"));
  }
  const std::string_view accept = request.headers.Get("Accept");
  if (!accept.empty() && !Names(accept, "application", "json") && !Names(accept, "text", "event-stream")) {
    return refuse(Refusal(406, "Not acceptable: accept application/json and text/event-stream"));
  }
  tl::expected<Message, Unreadable> message = DecodeMessage(request.body);
  if (!message) return refuse(Refusal(message.error().failure.status, message.error().id, message.error().failure));
  const HeaderView headers{Header(request, kVersionHeader), Header(request, kMethodHeader),
                           Header(request, kNameHeader)};
  tl::expected<Envelope, Failure> envelope = ReadEnvelope(*message, &headers);
  if (!envelope) return refuse(Refusal(envelope.error().status, message->id, envelope.error()));
  Server::Incoming incoming{std::move(*message),
                            std::move(*envelope),
                            nullptr,
                            ParamHeaders(request),
                            {.local = principal.empty(),
                             .operates = principal.empty() || principal == kOperator,
                             .from = net::ClientAddress(request),
                             .who = principal,
                             .passed_on = doorkeeper_.IsPassedOn(request)}};
  if (incoming.caller.passed_on && !incoming.caller.operates) incoming.caller.who = request.who;
  const std::shared_ptr<Payer> payer = PayerOf(request, incoming.caller, home_.clock().Monotonic());
  // Another server of the cluster has counted the calls that it passes on.
  std::shared_ptr<void> place;
  if (incoming.message.kind == Message::Kind::kRequest && !incoming.caller.operates && !incoming.caller.passed_on) {
    place = calls_.Take(principal);
    if (place == nullptr) {
      const std::string why = RefuseFor(payer.get(), Limit::kMcpCalls, kMostOfOne).Text();
      return refuse(
          Refusal(429, incoming.message.id,
                  {code::kInvalidRequest, "Too many calls: " + why + "; send another one once one of them is answered",
                   nullptr, 429}));
    }
  }
  if (incoming.envelope.era == Era::kLegacy) {
    return ServeLegacy(arrived, principal, std::move(incoming), payer, std::move(place));
  }
  // In this era, hanging up cancels a request.
  if (arrived->waiting->gone) return;
  Pass(arrived, incoming,
       std::make_shared<HttpExchange>(home_, std::move(arrived->reply), Names(accept, "text", "event-stream"), payer,
                                      std::move(place)));
}

void HttpEndpoint::Pass(const std::shared_ptr<Arrived>& arrived, const Server::Incoming& incoming,
                        std::shared_ptr<Exchange> exchange) {
  Arrived::Waiting& waiting = *arrived->waiting;
  waiting.call = server_.Handle(incoming, std::move(exchange));
  if (!waiting.gone) return;
  if (const CallPtr call = waiting.call.lock()) call->HungUp();
}

void HttpEndpoint::ServeLegacy(const std::shared_ptr<Arrived>& arrived, const std::string& principal,
                               Server::Incoming incoming, std::shared_ptr<Payer> payer, std::shared_ptr<void> place) {
  const HttpRequest& request = arrived->request;
  const bool begins = incoming.message.kind == Message::Kind::kRequest && incoming.message.method == "initialize";
  const std::string_view id = TrimHeader(request.headers.Get(kSessionHeader));
  if (begins) {
    incoming.session = sessions_.Begin(principal);
  } else if (id.empty()) {
    return std::move(arrived->reply)
        .Send(Refusal(400, incoming.message.id,
                      {code::kInvalidRequest,
                       "Bad request: the Mcp-Session-Id header is missing; begin with initialize, or send _meta as " +
                           std::string(kModernVersion) + " has it",
                       nullptr, 400}));
  } else if (incoming.session = sessions_.Find(id, principal); incoming.session == nullptr) {
    return std::move(arrived->reply)
        .Send(Refusal(404, incoming.message.id,
                      {code::kInvalidRequest, "Session not found: begin again with initialize", nullptr, 404}));
  }
  const std::shared_ptr<Session> session = incoming.session;
  const auto exchange = std::make_shared<HttpExchange>(home_, std::move(arrived->reply),
                                                       Names(request.headers.Get("Accept"), "text", "event-stream"),
                                                       std::move(payer), std::move(place));
  if (begins) {
    exchange->BeforeAnswer([this, session, operates = incoming.caller.operates](net::Headers& headers) {
      if (session->version.empty()) return;  // it was not a handshake
      sessions_.Keep(session, operates);
      headers.Add(std::string(kSessionHeader), session->id);
    });
  }
  Pass(arrived, incoming, exchange);
}

void HttpEndpoint::End(const std::shared_ptr<Arrived>& arrived, const std::string& principal) {
  const HttpRequest& request = arrived->request;
  const std::string_view id = TrimHeader(request.headers.Get(kSessionHeader));
  if (request.method != Method::kDelete || id.empty() ||
      TrimHeader(request.headers.Get(kVersionHeader)) == kModernVersion) {
    HttpResponse response = Refusal(405, "Method not allowed: POST messages here");
    response.headers.Add("Allow", "POST, DELETE");
    return std::move(arrived->reply).Send(std::move(response));
  }
  if (!sessions_.End(id, principal)) return std::move(arrived->reply).Send(Refusal(404, "Session not found"));
  HttpResponse response;
  response.status = 204;
  std::move(arrived->reply).Send(std::move(response));
}

}  // namespace openseat::mcp
