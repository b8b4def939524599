#include "protocols/neuro/owner.h"

#include <optional>
#include <string>

#include "base/budget.h"
#include "base/digest.h"
#include "net/bearer.h"
#include "net/client_address.h"

namespace openseat::neuro {

std::string OwnerOf(const net::HttpRequest& request) {
  if (const std::string token = net::WebSocketToken(request); !token.empty()) return "token " + Sha256Hex(token);
  const std::optional<std::string>& named = request.forwarded_for;
  if (named && named->empty()) return {};
  return AddressKey(net::ClientAddress(request));
}

}  // namespace openseat::neuro
