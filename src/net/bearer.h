// The bearer token of a request, in any of the places where clients can put it. Pure functions; any thread.
#pragma once

#include <string>
#include <string_view>

#include "net/http.h"

namespace openseat::net {

// A browser's WebSocket cannot set headers, so it offers its token as a subprotocol: this prefix and the token. It is
// never chosen, so the token is not sent back.
inline constexpr std::string_view kTokenSubprotocol = "openseat.bearer.";

// From Authorization: Bearer … or, if the request asks for a WebSocket, from a subprotocol; "" for none.
std::string BearerToken(const HttpRequest& request);

// The same, or ?token= in the URL of a WebSocket: for game libraries in which only the URL can be set.
std::string WebSocketToken(const HttpRequest& request);

}  // namespace openseat::net
