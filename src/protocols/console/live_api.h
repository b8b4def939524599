// /api/v1/live: one WebSocket on which a page follows tables and what happens at them. docs/protocols/console.md
// describes its messages.
#pragma once

#include <functional>
#include <memory>
#include <string_view>
#include <utility>

#include "base/worker.h"
#include "core/table.h"
#include "net/router.h"
#include "protocols/console/live_feed.h"

namespace openseat::console {

// The subprotocol of the connection, if a client offers any.
inline constexpr std::string_view kLiveSubprotocol = "openseat.live";

class LiveApi {
 public:
  // Both outlive it, and it outlives the server's connections.
  LiveApi(LiveFeed& feed, TableDirectory& directory) : feed_(feed), directory_(directory) {}

  void AddRoutes(net::Router& router);
  // For a cluster: each connection gets the session that this makes of its own. Before the first request.
  using Wrap = std::function<std::unique_ptr<net::WebSocketSession>(const net::HttpRequest& request,
                                                                    std::unique_ptr<net::WebSocketSession> own)>;
  void SetWrap(Wrap wrap) { wrap_ = std::move(wrap); }

 private:
  LiveFeed& feed_;
  TableDirectory& directory_;
  Wrap wrap_;
  Worker reader_;  // of the journal
};

}  // namespace openseat::console
