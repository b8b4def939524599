// The HTTP side of opening a WebSocket (RFC 6455, section 4). Pure functions. Internal.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "net/http.h"
#include "net/websocket.h"

namespace openseat::net {

// Sec-WebSocket-Accept for a Sec-WebSocket-Key.
std::string AcceptKey(std::string_view key);
std::string NewKey();

// The answer to an upgrade request: 101 with its headers, or the refusal.
HttpResponse AnswerUpgrade(const HttpRequest& request, const UpgradeOptions& options);

// The head of a 101 answer, which has no Content-Length and no Date. `tls`: it is sent over TLS.
void AppendSwitchingProtocols(std::string& out, const HttpResponse& response, bool tls);

}  // namespace openseat::net
