// Whose a game's connection is: what lets a game that comes back have its table again, and nobody else.
#pragma once

#include <string>

#include "net/http.h"

namespace openseat::neuro {

// The owner of what this upgrade request opens. With a token (`?token=`, `Authorization: Bearer`, or the subprotocol
// `openseat.bearer.…`): whoever comes with the same token, from any address. Without: the same address, an IPv6 one by
// its /64, all of this machine's being one. Through a trusted proxy: the address for which
// it asks (net/client_address.h); where that cannot be told, "": nobody's. Tokens are hashed.
std::string OwnerOf(const net::HttpRequest& request);

}  // namespace openseat::neuro
