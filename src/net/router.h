// Router: the table of everything this server answers, by method and path. Built once at start, then read by all
// shards. It is also the source of /openapi.json: each route describes itself.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "net/client_address.h"
#include "net/http.h"
#include "net/websocket.h"

namespace openseat::net {

// Runs on the shard of the connection. May keep `reply` and answer later.
using HttpHandler = std::function<void(const HttpRequest& request, HttpReply reply)>;
// Makes the session for a connection that asked to be upgraded, or returns an error, which is answered as HTTP.
using SessionFactory = std::function<Result<std::unique_ptr<WebSocketSession>>(const HttpRequest& request)>;

// A parameter of a route: in its path, its query, or a header.
struct RouteParameter {
  enum class In { kPath, kQuery, kHeader };
  In in = In::kQuery;
  std::string name;
  std::string description;
  json::Value schema;     // null: any text
  json::Value example{};  // null: none
  bool required = false;  // path parameters always are
};

// An answer other than the usual one.
struct RouteAnswer {
  int status = 0;
  std::string description;
  json::Value schema{};  // null: the error schema (from 400 on), else no body
  json::Value example{};
};

// The description of a route, for people and for /openapi.json (openapi.h). Schemas are JSON Schema 2020-12 and may
// refer to those of Router::AddSchema: {"$ref": "#/components/schemas/Table"}.
struct RouteInfo {
  std::string summary;          // one sentence
  std::string tag;              // "console", "operations" …; "": not in /openapi.json
  json::Value request_schema;   // of the body; null: no body
  json::Value response_schema;  // of the usual answer's JSON; null: none or not JSON
  // Everything below may be left out.
  std::string description{};  // Markdown
  std::string operation{};    // "listTables": its name for generated clients; "": derived from method and path
  std::vector<RouteParameter> parameters{};  // path parameters that are missing here are any text
  json::Value request_example{};
  bool body_optional = false;
  json::Value response_example{};
  int status = 200;  // of the usual answer
  std::string content_type = "application/json";
  std::vector<RouteAnswer> answers{};   // other possible answers, including errors
  json::Value error_schema{};           // null: that of HttpResponse::FromError
  std::vector<std::string> security{};  // schemes, any of which opens it; empty: by its path (OpenApiOptions)
  bool page = false;                    // a browser shows it: links on other sites may lead here (origin.h)
};

// Whom the operator trusts.
struct Trust {
  // Origins of pages that may use the server in addition to its own, in the form of ParseOrigin. They may read its
  // answers, which have the CORS headers, for all methods of the path and any headers the page asks for, but without
  // cookies. The guard is asked about their requests like about all others.
  std::vector<std::string> origins{};
  Proxies proxies{};  // trusted to say for whom they ask, in addition to those on this machine
  // Another node of our cluster passes on a request that it has admitted: for whom; nullopt: none does. May be empty.
  struct PassedOn {
    std::string peer;       // the client's address
    bool loopback = false;  // the client is as good as one on this machine
    std::string who{};      // HttpRequest::who
  };
  std::function<std::optional<PassedOn>(const HttpRequest& request)> passed_on{};
};

class Router {
 public:
  Router();
  ~Router();

  // `pattern`: literal segments, ":name" for one segment, a final "*name" for the rest: "/api/v1/tables/:id". GET
  // routes answer HEAD, the router itself answers OPTIONS. A method that the path does not have is 405 with Allow.
  // REQUIRES that no route of the same method and shape exists.
  void Add(Method method, std::string pattern, RouteInfo info, HttpHandler handler);
  // A WebSocket upgrade on paths of this shape. A plain GET there goes to the GET route of the same pattern, if any.
  // With a summary in `info`, it is a route of its own in routes().
  void AddWebSocket(const std::string& pattern, UpgradeOptions options, SessionFactory factory, RouteInfo info = {});
  // A schema that routes' schemas may refer to. The same schema may be added twice. REQUIRES that no other schema has
  // that name.
  void AddSchema(const std::string& name, json::Value schema);
  // Called for each upgrade to an unknown path; its error is the answer. By default that is a 404 that names the paths
  // which have a WebSocket.
  void SetNoWebSocket(std::function<Error(const HttpRequest& request)> refusal);
  // The form of errors that no handler gave (404, 405, 413, the guard's …) on paths below `prefix`: "/game/". They keep
  // their headers. Without this they have the form of HttpResponse::FromError. REQUIRES that no other form has that
  // prefix.
  using ErrorAnswer = std::function<HttpResponse(int status, std::string_view message)>;
  void SetErrors(std::string prefix, ErrorAnswer answer);
  // Such an error on this path, with this status.
  HttpResponse ErrorAt(std::string_view path, int status, const Error& error) const;
  // Runs before every handler and upgrade; an error is answered instead (auth, rate limits).
  void SetGuard(std::function<Result<void>(const HttpRequest& request)> guard);
  void SetTrust(Trust trust);
  // Asked after the guard, before every handler but those of upgrades: whether somebody else answers the request, with
  // this reply. Runs on the shard of the connection.
  using Detour = std::function<bool(const HttpRequest& request, HttpReply& reply)>;
  void SetDetour(Detour detour);

  struct Route {
    Method method;
    std::string pattern;
    RouteInfo info;
    bool websocket = false;
  };
  const std::vector<Route>& routes() const;
  const std::map<std::string, json::Value>& schemas() const;

  struct Match;  // net/router_match.h, for the connection
  const class RouterImpl& impl() const { return *impl_; }

 private:
  std::unique_ptr<class RouterImpl> impl_;
};

}  // namespace openseat::net
