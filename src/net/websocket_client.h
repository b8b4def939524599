// WebSocket client: the same WebSocket and WebSocketSession as on the server's side.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/result.h"
#include "net/shard.h"
#include "net/websocket.h"

namespace openseat::net {

struct WebSocketClientOptions {
  Headers headers;                        // sent with the upgrade request
  std::vector<std::string> subprotocols;  // offered
  Duration connect_timeout = std::chrono::seconds(10);
  std::size_t max_message_bytes = 4u << 20;
  std::size_t max_outbox_bytes = 8u << 20;
  bool raw_text = false;  // pass on text that is not valid UTF-8 instead of closing with 1007
};

// Connects to a ws:// or wss:// URL (path and query are sent unchanged) on `shard`. `failed` gets the reason if no
// connection was made (kInvalid URL, kIo, kTimeout, kDenied for an HTTP refusal; if the message names a URL that can be
// parsed, then without its query); otherwise `session` gets OnOpen. Call it on the shard's thread or before the shards
// start.
void ConnectWebSocket(Shard& shard, const std::string& url, const WebSocketClientOptions& options,
                      std::unique_ptr<WebSocketSession> session, std::function<void(Error)> failed);

}  // namespace openseat::net
