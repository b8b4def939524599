#include "net/bearer.h"

#include "base/text.h"
#include "net/websocket.h"

namespace openseat::net {

std::string BearerToken(const HttpRequest& request) {
  constexpr std::string_view kBearer = "Bearer ";
  const std::string_view authorization = request.headers.Get("Authorization");
  if (EqualsIgnoringCase(authorization.substr(0, kBearer.size()), kBearer)) {
    return std::string(authorization.substr(kBearer.size()));
  }
  if (!request.headers.Has("Upgrade")) return {};
  for (const std::string& offered : OfferedSubprotocols(request)) {
    if (offered.starts_with(kTokenSubprotocol)) return offered.substr(kTokenSubprotocol.size());
  }
  return {};
}

std::string WebSocketToken(const HttpRequest& request) {
  std::string token = BearerToken(request);
  if (!token.empty() || !request.headers.Has("Upgrade")) return token;
  const std::string* named = request.Query("token");
  return named == nullptr ? std::string() : *named;
}

}  // namespace openseat::net
