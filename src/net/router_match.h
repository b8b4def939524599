// What the connection asks a Router: which route answers a request. Internal.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "net/router.h"

namespace openseat::net {

struct WebSocketRoute {
  UpgradeOptions options;
  SessionFactory factory;
};

struct Router::Match {
  const HttpHandler* handler = nullptr;       // for the requested method (HEAD: GET's); null: none
  const WebSocketRoute* websocket = nullptr;  // of the same path
  bool page = false;                          // RouteInfo::page of the handler
  std::string allow;  // methods of the path, "GET, HEAD, OPTIONS"; empty: no route has this path
  std::vector<std::pair<std::string, std::string>> params;
};

class RouterImpl {
 public:
  RouterImpl();
  ~RouterImpl();

  void Add(Method method, std::string pattern, RouteInfo info, HttpHandler handler);
  void AddWebSocket(const std::string& pattern, UpgradeOptions options, SessionFactory factory, RouteInfo info);
  void AddSchema(const std::string& name, json::Value schema);

  // Literal segments win over ":name", which wins over "*name". `upgrade`: the parameters get the names from the
  // WebSocket route, if there is one.
  Router::Match Find(Method method, bool upgrade, const std::vector<std::string>& segments) const;

  // {"error": …} with this status, or in the form for the path (Router::SetErrors).
  HttpResponse Error(std::string_view path, int status, std::string_view message) const;
  HttpResponse Error(std::string_view path, const openseat::Error& error) const;

  const std::vector<Router::Route>& routes() const { return routes_; }
  const std::map<std::string, json::Value>& schemas() const { return schemas_; }

  // Why an upgrade on this path, which has no WebSocket, is refused.
  openseat::Error NoWebSocket(const HttpRequest& request) const;

  std::function<Result<void>(const HttpRequest& request)> guard;
  Trust trust;
  Router::Detour detour;
  std::function<openseat::Error(const HttpRequest& request)> no_websocket;
  std::vector<std::pair<std::string, Router::ErrorAnswer>> errors;  // by prefix

 private:
  struct Node;
  Node& NodeOf(const std::string& pattern, std::vector<std::string>& names);

  std::unique_ptr<Node> root_;
  std::vector<Router::Route> routes_;
  std::string websockets_;  // their patterns: "/, /game"
  std::map<std::string, json::Value> schemas_;
};

}  // namespace openseat::net
