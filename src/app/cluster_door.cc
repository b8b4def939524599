#include "app/cluster_door.h"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "agents/external/seat_token.h"
#include "base/digest.h"
#include "base/json.h"
#include "base/text.h"
#include "match/invite.h"
#include "net/client_address.h"
#include "net/websocket_client.h"

namespace openseat::app {
namespace {

// "SECRET ADDRESS", where the address is "local" for clients that may do what the operator may.
constexpr const char* kPassedOn = "X-Openseat-Passed-On";
constexpr std::string_view kLocal = "local";

// Longer than any request waits for news.
constexpr Duration kAnswerTimeout = std::chrono::minutes(3);
constexpr Duration kConnectTimeout = std::chrono::seconds(3);
constexpr std::size_t kMaxAnswerBytes = std::size_t{256} << 20;

// What concerns this connection only, or was judged here.
constexpr std::array<std::string_view, 20> kNotPassedOn{"Host",
                                                        "Connection",
                                                        "Keep-Alive",
                                                        "Proxy-Connection",
                                                        "TE",
                                                        "Trailer",
                                                        "Upgrade",
                                                        "Expect",
                                                        "Content-Length",
                                                        "Transfer-Encoding",
                                                        "Origin",
                                                        "Accept-Encoding",
                                                        "X-Forwarded-For",
                                                        "Forwarded",
                                                        "X-Real-IP",
                                                        "Via",
                                                        "Date",
                                                        "Content-Encoding",
                                                        "Server",
                                                        kPassedOn};

bool IsPassedOn(std::string_view name) {
  const auto is = [name](std::string_view other) { return EqualsIgnoringCase(name, other); };
  return std::ranges::none_of(kNotPassedOn, is) && !name.starts_with("Sec-") && !name.starts_with("sec-") &&
         !name.starts_with("Access-Control-");
}

net::HttpResponse Moving() {
  net::HttpResponse response =
      net::HttpResponse::FromError({ErrorCode::kBusy, "the table moves to another server just now; ask again", {}});
  response.status = 503;
  response.headers.Set("Retry-After", "1");
  return response;
}

// A connection of ours to the node that has a client's match.
class Upstream;

// A client's Chimera connection: its messages go to the node that they are about.
class ChimeraSwitch final : public net::WebSocketSession {
 public:
  // `forwards`: false if another node passed it on.
  ChimeraSwitch(const ClusterDoor& door, net::HttpRequest request, std::unique_ptr<net::WebSocketSession> here,
                bool forwards)
      : door_(door), request_(std::move(request)), here_(std::move(here)), forwards_(forwards) {}
  ~ChimeraSwitch() override { *self_ = nullptr; }

  void OnOpen(std::shared_ptr<net::WebSocket> socket) override {
    socket_ = socket;
    here_->OnOpen(std::move(socket));
  }
  void OnText(std::string_view message) override;
  void OnBinary(std::string_view message) override { OnText(message); }
  void OnClosed(const net::Closing& closing) override;

 private:
  friend class Upstream;
  struct Link {
    std::shared_ptr<net::WebSocket> socket;  // null until it is connected
    std::vector<std::string> waiting{};
    std::size_t waiting_bytes = 0;
  };
  void Connect(const store::NodeBeat& to);
  void End(const std::string& reason) { socket_->Close(net::close_code::kGoingAway, reason); }

  static constexpr std::size_t kMaxWaitingBytes = std::size_t{1} << 20;

  const ClusterDoor& door_;
  const net::HttpRequest request_;
  const std::unique_ptr<net::WebSocketSession> here_;
  const bool forwards_;
  std::shared_ptr<net::WebSocket> socket_;
  std::map<std::string, Link> links_;                                              // by the node's name
  std::shared_ptr<ChimeraSwitch*> self_ = std::make_shared<ChimeraSwitch*>(this);  // null inside once this is destroyed
};

class Upstream final : public net::WebSocketSession {
 public:
  Upstream(std::shared_ptr<ChimeraSwitch*> client, std::string node)
      : client_(std::move(client)), node_(std::move(node)) {}

  void OnOpen(std::shared_ptr<net::WebSocket> socket) override {
    if (*client_ == nullptr) return socket->Close(net::close_code::kNormal, "");
    ChimeraSwitch::Link& link = (*client_)->links_[node_];
    link.socket = std::move(socket);
    for (const std::string& message : std::exchange(link.waiting, {})) link.socket->SendText(message);
    link.waiting_bytes = 0;
  }
  void OnText(std::string_view message) override {
    if (*client_ != nullptr) (*client_)->socket_->SendText(message);
  }
  void OnBinary(std::string_view message) override { OnText(message); }
  void OnClosed(const net::Closing& closing) override {
    if (*client_ == nullptr) return;
    (*client_)->links_.erase(node_);
    (*client_)->End(closing.reason.empty() ? "the match goes on at another server" : closing.reason);
  }

 private:
  const std::shared_ptr<ChimeraSwitch*> client_;
  const std::string node_;
};

void ChimeraSwitch::OnText(std::string_view message) {
  const std::optional<TableId> match = MatchOfMessage(message);
  if (!match) return here_->OnText(message);
  const ClusterNode::Place place = door_.node().PlaceOf(*match);
  if (place.here) return here_->OnText(message);
  if (!forwards_ || !place.elsewhere || place.elsewhere->address.empty()) {
    return End("the match moves to another server just now; come back");
  }
  Link& link = links_[place.elsewhere->node];
  if (link.socket) {
    link.socket->SendText(message);
    return;
  }
  link.waiting_bytes += message.size();
  if (link.waiting_bytes > kMaxWaitingBytes) return End("too much waits for another server");
  link.waiting.emplace_back(message);
  if (link.waiting.size() == 1) Connect(*place.elsewhere);
}

void ChimeraSwitch::Connect(const store::NodeBeat& to) {
  // Connections live on the server's shards.
  auto& shard = dynamic_cast<net::Shard&>(socket_->scheduler());
  net::WebSocketClientOptions options;
  options.headers = door_.HeadersFor(to, request_);
  options.connect_timeout = kConnectTimeout;
  // "http" becomes "ws", "https" becomes "wss".
  net::ConnectWebSocket(shard, "ws" + to.address.substr(4) + "/chimera", options,
                        std::make_unique<Upstream>(self_, to.node), [self = self_](const Error& error) {
                          if (*self != nullptr) (*self)->End("the match's server does not answer: " + error.message);
                        });
}

void ChimeraSwitch::OnClosed(const net::Closing& closing) {
  *self_ = nullptr;
  for (const auto& [node, link] : links_) {
    if (link.socket) link.socket->Close(net::close_code::kNormal, "");
  }
  here_->OnClosed(closing);
}

}  // namespace

std::optional<TableId> TableOfRequest(const net::HttpRequest& request) {
  const auto below = [&request](std::string_view prefix) { return request.path.starts_with(prefix); };
  std::string_view named;
  if (below("/api/v1/tables/") || below("/api/games/")) {
    named = request.Param("id");
  } else if (below("/game/")) {
    // A key of a seat begins with the name of its table; one of an account names none.
    const Result<SeatToken> token = ParseSeatToken(request.headers.Get("X-JNet-API"));
    if (token) return token->table;
  }
  if (named.empty()) return std::nullopt;
  return ParseMatchName(named).id;
}

std::optional<TableId> MatchOfMessage(std::string_view message) {
  const Result<json::Value> parsed = json::Parse(message);
  const json::Value* params = parsed ? json::Find(*parsed, "params") : nullptr;
  const json::Value* match = params == nullptr ? nullptr : json::Find(*params, "match-id");
  if (match == nullptr || !match->is_string()) return std::nullopt;
  TableId id = ParseMatchName(json::View(match->get_string())).id;
  if (id.empty()) return std::nullopt;
  return id;
}

ClusterDoor::ClusterDoor(const ClusterNode& node, net::HttpCaller& caller, net::Shard& home,
                         std::function<bool(const net::HttpRequest&)> operates)
    : node_(node), caller_(caller), home_(home), operates_(std::move(operates)) {}

net::Headers ClusterDoor::HeadersFor(const store::NodeBeat& to, const net::HttpRequest& request) const {
  net::Headers headers;
  for (const auto& [name, value] : request.headers.all()) {
    if (IsPassedOn(name)) headers.Add(name, value);
  }
  const std::string from = operates_(request) ? std::string(kLocal) : net::ClientAddress(request);
  headers.Set(kPassedOn, to.secret + " " + from);
  return headers;
}

std::optional<net::Trust::PassedOn> ClusterDoor::PassedOn(const net::HttpRequest& request) const {
  const std::string_view header = request.headers.Get(kPassedOn);
  const std::size_t space = header.find(' ');
  if (space == std::string_view::npos || !EqualSecrets(header.substr(0, space), node_.secret())) return std::nullopt;
  const std::string_view from = header.substr(space + 1);
  if (from == kLocal) return net::Trust::PassedOn{"127.0.0.1", true};
  return net::Trust::PassedOn{std::string(from), false};
}

bool ClusterDoor::Detour(const net::HttpRequest& request, net::HttpReply& reply) const {
  const std::optional<TableId> table = TableOfRequest(request);
  if (!table) return false;
  const ClusterNode::Place place = node_.PlaceOf(*table);
  if (place.here) return false;
  // Two nodes that do not agree about who has it must not send a request to and fro.
  if (!place.elsewhere || place.elsewhere->address.empty() || PassedOn(request)) {
    std::move(reply).Send(Moving());
    return true;
  }
  PassOn(*place.elsewhere, request, std::move(reply));
  return true;
}

void ClusterDoor::PassOn(const store::NodeBeat& to, const net::HttpRequest& request, net::HttpReply reply) const {
  net::HttpCall call;
  call.method = request.method;
  call.url = to.address + request.target;
  call.headers = HeadersFor(to, request);
  call.body = request.body;
  call.timeout = kAnswerTimeout;
  call.connect_timeout = kConnectTimeout;
  call.max_body_bytes = kMaxAnswerBytes;
  call.proxy = "";
  const auto waiting = std::make_shared<net::HttpReply>(std::move(reply));
  home_.Post([this, call = std::move(call), waiting, node = to.node]() mutable {
    caller_.Call(home_, std::move(call), [waiting, node](Result<net::HttpResponse> answer) {
      if (!answer) {
        net::HttpResponse failed = net::HttpResponse::FromError(
            {ErrorCode::kIo,
             "the server \"" + node +
                 "\", which has the table, gave no answer; what was asked may have happened: " + answer.error().message,
             {}});
        failed.status = 503;
        failed.headers.Set("Retry-After", "1");
        return std::move(*waiting).Send(std::move(failed));
      }
      net::HttpResponse response;
      response.status = answer->status;
      response.body = std::move(answer->body);
      for (const auto& [name, value] : answer->headers.all()) {
        if (IsPassedOn(name)) response.headers.Add(name, value);
      }
      std::move(*waiting).Send(std::move(response));
    });
  });
}

std::unique_ptr<net::WebSocketSession> ClusterDoor::Chimera(const net::HttpRequest& request,
                                                            std::unique_ptr<net::WebSocketSession> here) const {
  net::HttpRequest kept = request;
  kept.body.clear();
  return std::make_unique<ChimeraSwitch>(*this, std::move(kept), std::move(here), !PassedOn(request));
}

}  // namespace openseat::app
