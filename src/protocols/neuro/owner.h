// The owner of a game's connection: lets a game that comes back have its table again, and nobody else.
#pragma once

#include <string>

#include "net/http.h"

namespace openseat::neuro {

// The owner of what this upgrade request opens. With a token (`?token=`, `Authorization: Bearer`, or the subprotocol
// `openseat.bearer.…`): anyone with the same token, from any address. Without: the same address; an IPv6 address counts
// by its /64, and all of this machine's addresses are one. Through a trusted proxy: the address for which it asks
// (net/client_address.h); if that is unknown, "": nobody. Tokens are hashed.
std::string OwnerOf(const net::HttpRequest& request);

}  // namespace openseat::neuro
