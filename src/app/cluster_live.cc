#include "app/cluster_live.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/cluster_links.h"
#include "base/json_members.h"
#include "match/invite.h"
#include "protocols/console/live_session.h"

namespace openseat::app {
namespace {

constexpr Duration kLookAtNodes = std::chrono::seconds(1);
constexpr std::size_t kMaxLiveMessage = std::size_t{32} << 20;
// More than the session of a node takes.
constexpr std::size_t kMaxFollowed = 4 * console::LiveSession::kMaxSubscriptions;
constexpr std::size_t kMaxTableName = 256;
// What a slow client has not read of other nodes' messages before it is told to come back.
constexpr std::size_t kMaxUnread = 4 * console::LiveSession::kMaxUnsent;

constexpr const char* kMoved = "the match goes on at another server; come back";

// As the session writes them.
constexpr std::string_view kTables = R"({"type":"tables")";
constexpr std::string_view kMoreTables = R"({"type":"more-tables")";
constexpr std::string_view kTableGone = R"({"type":"table-gone")";

class LiveSwitch;

// The client's socket as the session of this node sees it.
class LiveTap final : public net::WebSocketTap {
 public:
  LiveTap(std::shared_ptr<LiveSwitch*> client, std::shared_ptr<net::WebSocket> socket)
      : WebSocketTap(std::move(socket)), client_(std::move(client)) {}

  net::SendStatus SendText(std::string_view message) override;

 private:
  const std::shared_ptr<LiveSwitch*> client_;
};

class LiveSwitch final : public net::WebSocketSession, NodeLinks::Client {
 public:
  LiveSwitch(const ClusterDoor& door, const net::HttpRequest& request, std::unique_ptr<net::WebSocketSession> here)
      : door_(door), here_(std::move(here)), links_(door, request, "/api/v1/live", kMaxLiveMessage, *this) {}
  ~LiveSwitch() override { *self_ = nullptr; }

  void OnOpen(std::shared_ptr<net::WebSocket> socket) override {
    socket_ = std::move(socket);
    here_->OnOpen(std::make_shared<LiveTap>(self_, socket_));
    LookAround();
  }
  void OnText(std::string_view message) override;
  void OnBinary(std::string_view message) override { OnText(message); }
  void OnClosed(const net::Closing& closing) override;

  // A message of this node's session: whether the client gets it, and what it gets afterwards.
  bool Passes(std::string_view message) const { return !IsStale(message, std::string()); }
  void OnPassed(std::string_view message);

 private:
  // What a node said before the client had our list.
  struct Held {
    std::vector<std::string> messages{};
    std::size_t bytes = 0;
  };
  void OnLinkMessage(const std::string& node, std::string_view message) override;
  void OnLinkLost(const std::string& node, bool was_connected, const net::Closing& closing) override;
  void Follow(const TableId& table, bool on, std::string_view message);
  // A message of another node goes to the client.
  void Pass(const std::string& node, std::string_view message);
  // So do those that were held.
  void Release();
  void WatchTables(bool on, std::string_view message);
  void SendTo(const store::NodeBeat& to, std::string_view message);
  // A piece of another node's list of tables, one by one: the client has this node's list already.
  void SendTables(std::string_view list);
  // "table-gone" of a node, for a table that is at another one now.
  bool IsStale(std::string_view message, const std::string& node) const;
  // Whether tables moved, or nodes came.
  void LookAround();
  void End(std::string_view reason) { socket_->Close(net::close_code::kGoingAway, reason); }

  const ClusterDoor& door_;
  const std::unique_ptr<net::WebSocketSession> here_;
  std::shared_ptr<net::WebSocket> socket_;
  NodeLinks links_;
  std::map<std::string, Held> held_;         // by the node
  std::map<TableId, std::string> followed_;  // at which node; "": here
  bool watching_ = false;                    // the tables
  bool listed_ = false;                      // the client has this node's list
  ScopedTimer timer_;
  std::shared_ptr<LiveSwitch*> self_ = std::make_shared<LiveSwitch*>(this);  // null inside once this is destroyed
};

net::SendStatus LiveTap::SendText(std::string_view message) {
  if (*client_ != nullptr && !(*client_)->Passes(message)) return net::SendStatus::kTaken;
  const net::SendStatus status = WebSocketTap::SendText(message);
  if (*client_ != nullptr) (*client_)->OnPassed(message);
  return status;
}

// --- What the client says ---

void LiveSwitch::OnText(std::string_view message) {
  const Result<json::Value> parsed =
      json::Parse(message, {.max_bytes = 64U << 10, .max_depth = 16, .max_values = 1'000});
  if (!parsed || !parsed->is_object() || socket_->unsent() > console::LiveSession::kMaxUnsent) {
    return here_->OnText(message);
  }
  const std::string op = json::FindText(parsed->get_object(), "op").value_or(std::string());
  if (op == "tables") {
    const json::Value* watch = json::Find(*parsed, "watch");
    return WatchTables(watch == nullptr || !watch->is_bool() || watch->get_bool(), message);
  }
  const std::string table = json::FindText(parsed->get_object(), "table").value_or(std::string());
  if (table.empty() || (op != "subscribe" && op != "unsubscribe")) return here_->OnText(message);
  Follow(ParseMatchName(table).id, op == "subscribe", message);
}

void LiveSwitch::Follow(const TableId& table, bool on, std::string_view message) {
  if (table.str().size() > kMaxTableName) return here_->OnText(message);  // which refuses it
  std::string node = door_.node().NodeOf(table).value_or(std::string());
  const auto found = followed_.find(table);
  if (!on) {
    if (found == followed_.end()) return here_->OnText(message);
    node = found->second;
    followed_.erase(found);
  } else if (found == followed_.end() && followed_.size() >= kMaxFollowed) {
    return socket_->Close(net::close_code::kPolicy, "too many tables are followed");
  } else {
    followed_[table] = node;
  }
  if (node.empty()) return here_->OnText(message);
  if (const std::optional<store::NodeBeat> to = door_.node().Other(node)) return SendTo(*to, message);
  End(kMoved);
}

void LiveSwitch::WatchTables(bool on, std::string_view message) {
  watching_ = on;
  listed_ = false;
  if (!on) Release();
  here_->OnText(message);
  for (const store::NodeBeat& other : door_.node().Others()) SendTo(other, message);
}

void LiveSwitch::SendTo(const store::NodeBeat& to, std::string_view message) {
  if (!links_.Send(*socket_, to, message)) End("too much waits for another server");
}

void LiveSwitch::OnClosed(const net::Closing& closing) {
  *self_ = nullptr;
  timer_.Cancel();
  links_.Close();
  here_->OnClosed(closing);
}

// --- What the nodes say ---

void LiveSwitch::OnPassed(std::string_view message) {
  if (!message.starts_with(kTables)) return;
  listed_ = true;
  Release();
}

void LiveSwitch::Release() {
  for (const auto& [node, held] : std::exchange(held_, {})) {
    for (const std::string& message : held.messages) Pass(node, message);
  }
}

void LiveSwitch::OnLinkMessage(const std::string& node, std::string_view message) {
  if (socket_->unsent() > kMaxUnread) return socket_->Close(net::close_code::kPolicy, "the answers are not read");
  if (!watching_ || listed_) return Pass(node, message);
  // The list of this node is the first that the client gets, and it gets the rest in order.
  Held& held = held_[node];
  held.bytes += message.size();
  if (held.bytes > kMaxUnread) return End("too much waits for the list of tables");
  held.messages.emplace_back(message);
}

void LiveSwitch::Pass(const std::string& node, std::string_view message) {
  if (message.starts_with(kTables) || message.starts_with(kMoreTables)) {
    if (watching_) SendTables(message);
  } else if (!IsStale(message, node)) {
    socket_->SendText(message);
  }
}

void LiveSwitch::OnLinkLost(const std::string& node, bool was_connected, const net::Closing& /*closing*/) {
  held_.erase(node);
  bool follows = was_connected && watching_;
  for (const auto& [table, at] : followed_) follows = follows || at == node;
  // It comes back, and is told everything again.
  if (follows) End(kMoved);
}

void LiveSwitch::SendTables(std::string_view list) {
  Result<json::Value> parsed = json::Parse(list, {.max_bytes = kMaxLiveMessage});
  json::Value* tables = parsed ? parsed->get_object().if_contains("tables") : nullptr;
  if (tables == nullptr || !tables->is_array()) return;
  for (json::Value& table : tables->get_array()) {
    socket_->SendText(json::Write(json::Object{{"type", "table"}, {"table", std::move(table)}}));
  }
}

bool LiveSwitch::IsStale(std::string_view message, const std::string& node) const {
  if (!message.starts_with(kTableGone)) return false;
  const Result<json::Value> parsed = json::Parse(message);
  if (!parsed || !parsed->is_object()) return false;
  const std::optional<std::string> at =
      door_.node().NodeOf(TableId(json::FindText(parsed->get_object(), "id").value_or(std::string())));
  return at && *at != node;
}

void LiveSwitch::LookAround() {
  timer_.Set(socket_->scheduler(), kLookAtNodes, [this] { LookAround(); });
  for (const auto& [table, at] : followed_) {
    const std::optional<std::string> now = door_.node().NodeOf(table);
    if (now && *now != at) return End(kMoved);
  }
  if (!watching_) return;
  // Of a node that vanished, a connection may stay for long.
  if (links_.HasGone()) return End(kMoved);
  for (const store::NodeBeat& other : door_.node().Others()) {
    if (!links_.Has(other.node)) SendTo(other, R"({"op":"tables"})");
  }
}

}  // namespace

std::unique_ptr<net::WebSocketSession> FollowTheCluster(const ClusterDoor& door, const net::HttpRequest& request,
                                                        std::unique_ptr<net::WebSocketSession> here) {
  // Another node follows for its own client.
  if (door.IsPassedOn(request)) return here;
  return std::make_unique<LiveSwitch>(door, request, std::move(here));
}

}  // namespace openseat::app
