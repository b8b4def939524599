#include "app/cluster_links.h"

#include <algorithm>
#include <utility>

#include "net/shard.h"
#include "net/websocket_client.h"

namespace openseat::app {
namespace {

constexpr Duration kLinkTimeout = std::chrono::seconds(3);
constexpr std::size_t kMaxLinkWaiting = std::size_t{1} << 20;

}  // namespace

class NodeLinks::Upstream final : public net::WebSocketSession {
 public:
  Upstream(std::shared_ptr<NodeLinks*> links, std::string node) : links_(std::move(links)), node_(std::move(node)) {}

  void OnOpen(std::shared_ptr<net::WebSocket> socket) override {
    if (*links_ == nullptr) return socket->Close(net::close_code::kNormal, "");
    (*links_)->OnOpen(node_, std::move(socket));
  }
  void OnText(std::string_view message) override {
    if (*links_ != nullptr) (*links_)->client_.OnLinkMessage(node_, message);
  }
  void OnBinary(std::string_view message) override { OnText(message); }
  void OnClosed(const net::Closing& closing) override {
    if (*links_ != nullptr) (*links_)->OnLost(node_, true, closing);
  }

 private:
  const std::shared_ptr<NodeLinks*> links_;
  const std::string node_;
};

NodeLinks::NodeLinks(const ClusterDoor& door, const net::HttpRequest& request, std::string path,
                     std::size_t max_message_bytes, Client& client)
    : door_(door), request_(request), path_(std::move(path)), max_message_bytes_(max_message_bytes), client_(client) {
  request_.body.clear();
}

bool NodeLinks::Send(net::WebSocket& socket, const store::NodeBeat& to, std::string_view message) {
  Connect(socket, to);
  Link& link = links_[to.node];
  if (link.socket) {
    link.socket->SendText(message);
    return true;
  }
  link.waiting_bytes += message.size();
  if (link.waiting_bytes > std::max(kMaxLinkWaiting, max_message_bytes_)) return false;
  link.waiting.emplace_back(message);
  return true;
}

void NodeLinks::Connect(net::WebSocket& socket, const store::NodeBeat& to) {
  const auto [link, is_new] = links_.try_emplace(to.node);
  if (!is_new) return;
  link->second.to = to;
  net::WebSocketClientOptions options;
  options.headers = door_.HeadersFor(to, request_);
  options.connect_timeout = kLinkTimeout;
  options.max_message_bytes = max_message_bytes_;
  // Connections live on the server's shards. "http" becomes "ws", "https" becomes "wss".
  net::ConnectWebSocket(dynamic_cast<net::Shard&>(socket.scheduler()), "ws" + to.address.substr(4) + path_, options,
                        std::make_unique<Upstream>(self_, to.node), [self = self_, node = to.node](const Error& error) {
                          if (*self != nullptr) (*self)->OnLost(node, false, {.reason = error.message});
                        });
}

std::vector<store::NodeBeat> NodeLinks::Nodes() const {
  std::vector<store::NodeBeat> nodes;
  for (const auto& [node, link] : links_) nodes.push_back(link.to);
  return nodes;
}

bool NodeLinks::HasGone() const {
  return std::ranges::any_of(links_, [this](const auto& each) { return !door_.node().Lives(each.second.to); });
}

void NodeLinks::Close(std::uint16_t code, std::string_view reason) {
  if (*self_ == nullptr) return;
  *self_ = nullptr;
  for (const auto& [node, link] : links_) {
    if (link.socket) link.socket->Close(code, reason);
  }
}

void NodeLinks::OnOpen(const std::string& node, std::shared_ptr<net::WebSocket> socket) {
  Link& link = links_[node];
  link.socket = std::move(socket);
  for (const std::string& message : std::exchange(link.waiting, {})) link.socket->SendText(message);
  link.waiting_bytes = 0;
}

void NodeLinks::OnLost(const std::string& node, bool was_connected, const net::Closing& closing) {
  links_.erase(node);
  client_.OnLinkLost(node, was_connected, closing);
}

}  // namespace openseat::app
