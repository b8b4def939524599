// NodeLinks: a client's connections to other nodes of the cluster, at one path, over which its messages reach them. All
// on the shard of the client's own connection.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "app/cluster_door.h"
#include "net/http.h"
#include "net/websocket.h"
#include "store/cluster_plan.h"

namespace openseat::app {

class NodeLinks {
 public:
  // Who has them.
  class Client {
   public:
    virtual ~Client() = default;
    virtual void OnLinkMessage(const std::string& node, std::string_view message) = 0;
    // The connection to this node ended, or could not be made. The closing's reason may be empty.
    virtual void OnLinkLost(const std::string& node, bool was_connected, const net::Closing& closing) = 0;
  };

  // `request`: the client's, which opened its connection. `door` and `client` outlive this.
  NodeLinks(const ClusterDoor& door, const net::HttpRequest& request, std::string path, std::size_t max_message_bytes,
            Client& client);
  ~NodeLinks() { Close(); }
  NodeLinks(const NodeLinks&) = delete;
  NodeLinks& operator=(const NodeLinks&) = delete;

  // Connects first if it is not connected. False: too much waits for the connection. `socket` is the client's.
  bool Send(net::WebSocket& socket, const store::NodeBeat& to, std::string_view message);
  // Connects, unless that has been begun.
  void Connect(net::WebSocket& socket, const store::NodeBeat& to);
  bool empty() const { return links_.empty(); }
  // Those to which it is connected, or connects.
  std::vector<store::NodeBeat> Nodes() const;
  bool Has(const std::string& node) const { return links_.contains(node); }
  // Whether one of the nodes gives no sign of life: a machine that vanishes closes no connection.
  bool HasGone() const;
  // The client is told nothing more; the nodes are told this.
  void Close(std::uint16_t code = net::close_code::kNormal, std::string_view reason = {});

 private:
  class Upstream;
  struct Link {
    store::NodeBeat to{};
    std::shared_ptr<net::WebSocket> socket;  // null until it is connected
    std::vector<std::string> waiting{};
    std::size_t waiting_bytes = 0;
  };
  void OnOpen(const std::string& node, std::shared_ptr<net::WebSocket> socket);
  void OnLost(const std::string& node, bool was_connected, const net::Closing& closing);

  const ClusterDoor& door_;
  net::HttpRequest request_;  // without its body
  const std::string path_;
  const std::size_t max_message_bytes_;
  Client& client_;
  std::map<std::string, Link> links_;                                      // by the node's name
  std::shared_ptr<NodeLinks*> self_ = std::make_shared<NodeLinks*>(this);  // null inside once this is closed
};

}  // namespace openseat::app
