// The token that a request bears, wherever clients can put one. Pure functions; any thread.
#pragma once

#include <string>
#include <string_view>

#include "net/http.h"

namespace openseat::net {

// A browser's WebSocket can set no header, so it offers its token as a subprotocol: this and the token. It is never
// chosen, so the token is not sent back.
inline constexpr std::string_view kTokenSubprotocol = "openseat.bearer.";

// Of Authorization: Bearer …, or, where the request asks for a WebSocket, of a subprotocol; "" for none.
std::string BearerToken(const HttpRequest& request);

// The same, or ?token= in the URL of a WebSocket: for games' libraries, whose URL is all that can be set.
std::string WebSocketToken(const HttpRequest& request);

}  // namespace openseat::net
