#include "protocols/neuro/owner.h"

#include <optional>

#include "base/budget.h"
#include "base/digest.h"
#include "net/bearer.h"
#include "net/client_address.h"

namespace openseat::neuro {

std::string OwnerOf(const net::HttpRequest& request) {
  if (const std::string token = net::WebSocketToken(request); !token.empty()) return "token " + Sha256Hex(token);
  const std::optional<std::string> named = net::ForwardedFor(request);
  if (named && named->empty()) return {};
  return AddressKey(named ? *named : request.peer);
}

}  // namespace openseat::neuro
