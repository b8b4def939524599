// What an access token must claim for this server to accept it, in a JWT (RFC 9068) or an introspection
// answer (RFC 7662). Pure.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "base/time.h"

namespace openseat::oauth {

struct TokenRules {
  std::string resource;              // tokens must be issued for it: "https://play.example.org/mcp"
  std::vector<std::string> issuers;  // any of these
  std::vector<std::string> scopes;   // all of these
};

// Maximum clock difference.
inline constexpr Duration kClockSkew = std::chrono::minutes(1);

// The token's bearer: "ISSUER SUBJECT", or the client if there is no subject. kInvalid if the token is not for
// this server or not valid now; kDenied if only scopes are missing. `from_jwt`: issuer and expiry are required.
Result<std::string> CheckClaims(const json::Object& claims, const TokenRules& rules, Time now, bool from_jwt);

}  // namespace openseat::oauth
