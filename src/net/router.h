// Router: the table of everything this server answers, by method and path. Built once at start, then read by all
// shards. It is also the source of /openapi.json: a route says what it is for.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "net/http.h"
#include "net/websocket.h"

namespace openseat::net {

// Runs on the shard of the connection. May keep `reply` and answer later.
using HttpHandler = std::function<void(const HttpRequest& request, HttpReply reply)>;
// Makes the session for a connection that asked to be upgraded, or an error, which is answered as HTTP.
using SessionFactory = std::function<Result<std::unique_ptr<WebSocketSession>>(const HttpRequest& request)>;

// What a route is, for people and for /openapi.json.
struct RouteInfo {
  std::string summary;          // one sentence
  std::string tag;              // "console", "operations" …
  json::Value request_schema;   // of the body; null: no body
  json::Value response_schema;  // of the 200 answer's JSON; null: none or not JSON
};

class Router {
 public:
  Router();
  ~Router();

  // `pattern`: literal segments, ":name" for one segment, a last "*name" for the rest: "/api/v1/tables/:id".
  // HEAD is answered by GET routes, OPTIONS by the router itself. A method that the path does not have is 405 with
  // Allow. REQUIRES that no route of the same method and shape exists.
  void Add(Method method, std::string pattern, RouteInfo info, HttpHandler handler);
  // A WebSocket upgrade on paths of this shape. A plain GET there goes to the GET route of the same pattern, if any.
  void AddWebSocket(const std::string& pattern, UpgradeOptions options, SessionFactory factory);
  // Runs before every handler and upgrade; an error is answered instead (auth, rate limits).
  void SetGuard(std::function<Result<void>(const HttpRequest& request)> guard);

  struct Route {
    Method method;
    std::string pattern;
    RouteInfo info;
  };
  const std::vector<Route>& routes() const;

  struct Match;  // net/router_match.h, for the connection
  const class RouterImpl& impl() const { return *impl_; }

 private:
  std::unique_ptr<class RouterImpl> impl_;
};

}  // namespace openseat::net
