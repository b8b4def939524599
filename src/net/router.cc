#include "net/router.h"

#include <array>
#include <map>
#include <utility>

#include "base/check.h"
#include "net/http_codec.h"
#include "net/router_match.h"

namespace openseat::net {
namespace {

constexpr std::array kMethods{Method::kGet,   Method::kHead,   Method::kPost,   Method::kPut,
                              Method::kPatch, Method::kDelete, Method::kOptions};

std::vector<std::string> SplitPattern(const std::string& pattern) {
  OPENSEAT_CHECK(pattern.starts_with('/'), "a route's pattern begins with \"/\"");
  std::vector<std::string> segments;
  std::size_t begin = 1;
  for (std::size_t i = 1; i <= pattern.size(); ++i) {
    if (i < pattern.size() && pattern[i] != '/') continue;
    segments.push_back(pattern.substr(begin, i - begin));
    begin = i + 1;
  }
  return segments;
}

}  // namespace

// One segment's place in the tree of patterns.
struct RouterImpl::Node {
  struct Handler {
    HttpHandler handler;
    std::vector<std::string> names;  // of the parameters, in order
    bool page = false;
  };

  std::map<std::string, std::unique_ptr<Node>, std::less<>> literals;
  std::unique_ptr<Node> param;  // ":name"
  std::unique_ptr<Node> rest;   // "*name"; a leaf

  std::map<Method, Handler> handlers;
  std::unique_ptr<WebSocketRoute> websocket;
  std::vector<std::string> websocket_names;

  bool HasRoute() const { return !handlers.empty() || websocket != nullptr; }
};

RouterImpl::RouterImpl() : root_(std::make_unique<Node>()) {}
RouterImpl::~RouterImpl() = default;

RouterImpl::Node& RouterImpl::NodeOf(const std::string& pattern, std::vector<std::string>& names) {
  Node* node = root_.get();
  bool ended = false;
  for (const std::string& segment : SplitPattern(pattern)) {
    OPENSEAT_CHECK(!ended, "\"*name\" is the last segment of a route's pattern");
    std::unique_ptr<Node>* next = nullptr;
    if (segment.starts_with(':') || segment.starts_with('*')) {
      ended = segment.front() == '*';
      next = ended ? &node->rest : &node->param;
      names.push_back(segment.substr(1));
    } else {
      next = &node->literals[segment];
    }
    if (*next == nullptr) *next = std::make_unique<Node>();
    node = next->get();
  }
  return *node;
}

void RouterImpl::Add(Method method, std::string pattern, RouteInfo info, HttpHandler handler) {
  std::vector<std::string> names;
  Node& node = NodeOf(pattern, names);
  const bool added =
      node.handlers.try_emplace(method, Node::Handler{std::move(handler), std::move(names), info.page}).second;
  OPENSEAT_CHECK(added, ("two routes for " + std::string(MethodName(method)) + " " + pattern).c_str());
  routes_.push_back({method, std::move(pattern), std::move(info), false});
}

void RouterImpl::AddWebSocket(const std::string& pattern, UpgradeOptions options, SessionFactory factory,
                              RouteInfo info) {
  std::vector<std::string> names;
  Node& node = NodeOf(pattern, names);
  OPENSEAT_CHECK(node.websocket == nullptr, ("two WebSocket routes for " + pattern).c_str());
  node.websocket = std::make_unique<WebSocketRoute>(WebSocketRoute{std::move(options), std::move(factory)});
  node.websocket_names = std::move(names);
  websockets_ += (websockets_.empty() ? "" : ", ") + pattern;
  if (!info.summary.empty()) routes_.push_back({Method::kGet, pattern, std::move(info), true});
}

Error RouterImpl::NoWebSocket(const HttpRequest& request) const {
  if (no_websocket) return no_websocket(request);
  return {ErrorCode::kNotFound,
          "no WebSocket is at " + request.path + (websockets_.empty() ? "" : "; available: " + websockets_), ""};
}

void RouterImpl::AddSchema(const std::string& name, json::Value schema) {
  if (const auto found = schemas_.find(name); found != schemas_.end()) {
    OPENSEAT_CHECK(json::Equal(found->second, schema), ("two schemas named " + name).c_str());
    return;
  }
  schemas_.emplace(name, std::move(schema));
}

Router::Match RouterImpl::Find(Method method, bool upgrade, const std::vector<std::string>& segments) const {
  // Depth first, literal before parameter before rest. The depth is that of the patterns, so we bound it ourselves.
  std::vector<std::string> values;
  const auto find = [&](const auto& self, const Node& node, std::size_t depth) -> const Node* {
    if (depth == segments.size()) return node.HasRoute() ? &node : nullptr;
    if (const auto literal = node.literals.find(segments[depth]); literal != node.literals.end()) {
      if (const Node* found = self(self, *literal->second, depth + 1)) return found;
    }
    if (node.param != nullptr && !segments[depth].empty()) {
      values.push_back(segments[depth]);
      if (const Node* found = self(self, *node.param, depth + 1)) return found;
      values.pop_back();
    }
    if (node.rest != nullptr) {
      std::string rest = segments[depth];
      for (std::size_t i = depth + 1; i < segments.size(); ++i) rest += "/" + segments[i];
      values.push_back(std::move(rest));
      return node.rest.get();
    }
    return nullptr;
  };

  Router::Match match;
  const Node* node = find(find, *root_, 0);
  if (node == nullptr) return match;

  auto handler = node->handlers.find(method);
  if (handler == node->handlers.end() && method == Method::kHead) handler = node->handlers.find(Method::kGet);
  const std::vector<std::string>* names = &node->websocket_names;
  if (handler != node->handlers.end()) {
    match.handler = &handler->second.handler;
    match.page = handler->second.page;
    if (!upgrade || node->websocket == nullptr) names = &handler->second.names;
  }
  match.websocket = node->websocket.get();
  for (std::size_t i = 0; i < values.size() && i < names->size(); ++i) {
    match.params.emplace_back((*names)[i], std::move(values[i]));
  }
  for (const Method each : kMethods) {
    const bool has = node->handlers.contains(each) || each == Method::kOptions ||
                     (each == Method::kHead && node->handlers.contains(Method::kGet)) ||
                     (each == Method::kGet && node->websocket != nullptr);
    if (!has) continue;
    if (!match.allow.empty()) match.allow += ", ";
    match.allow += MethodName(each);
  }
  return match;
}

HttpResponse RouterImpl::Error(std::string_view path, int status, std::string_view message) const {
  for (const auto& [prefix, answer] : errors) {
    if (path.starts_with(prefix)) return answer(status, message);
  }
  return ErrorResponse(status, message);
}

HttpResponse RouterImpl::Error(std::string_view path, const openseat::Error& error) const {
  HttpResponse usual = HttpResponse::FromError(error);
  for (const auto& [prefix, answer] : errors) {
    if (!path.starts_with(prefix)) continue;
    HttpResponse own = answer(usual.status, error.message);
    for (const char* name : {"Retry-After", "WWW-Authenticate"}) {
      if (usual.headers.Has(name)) own.headers.Set(name, std::string(usual.headers.Get(name)));
    }
    return own;
  }
  return usual;
}

Router::Router() : impl_(std::make_unique<RouterImpl>()) {}
Router::~Router() = default;

void Router::Add(Method method, std::string pattern, RouteInfo info, HttpHandler handler) {
  impl_->Add(method, std::move(pattern), std::move(info), std::move(handler));
}

void Router::AddWebSocket(const std::string& pattern, UpgradeOptions options, SessionFactory factory, RouteInfo info) {
  impl_->AddWebSocket(pattern, std::move(options), std::move(factory), std::move(info));
}

void Router::AddSchema(const std::string& name, json::Value schema) {
  impl_->AddSchema(name, std::move(schema));
}

void Router::SetNoWebSocket(std::function<Error(const HttpRequest& request)> refusal) {
  impl_->no_websocket = std::move(refusal);
}

void Router::SetGuard(std::function<Result<void>(const HttpRequest& request)> guard) {
  impl_->guard = std::move(guard);
}

void Router::SetTrust(Trust trust) {
  impl_->trust = std::move(trust);
}

void Router::SetDetour(Detour detour) {
  impl_->detour = std::move(detour);
}

HttpResponse Router::ErrorAt(std::string_view path, int status, const Error& error) const {
  for (const auto& [prefix, answer] : impl_->errors) {
    if (path.starts_with(prefix)) return answer(status, error.message);
  }
  HttpResponse response = HttpResponse::FromError(error);
  response.status = status;
  return response;
}

void Router::SetErrors(std::string prefix, ErrorAnswer answer) {
  impl_->errors.emplace_back(std::move(prefix), std::move(answer));
}

const std::vector<Router::Route>& Router::routes() const {
  return impl_->routes();
}
const std::map<std::string, json::Value>& Router::schemas() const {
  return impl_->schemas();
}

}  // namespace openseat::net
