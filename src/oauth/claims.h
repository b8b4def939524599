// What an access token must say for this server to take it, whether a JWT says it (RFC 9068) or an introspection
// endpoint (RFC 7662). Pure.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "base/time.h"

namespace openseat::oauth {

struct TokenRules {
  std::string resource;              // that tokens must be for: "https://play.example.org/mcp"
  std::vector<std::string> issuers;  // any of them
  std::vector<std::string> scopes;   // all of them
};

// How far two clocks may differ.
inline constexpr Duration kClockSkew = std::chrono::minutes(1);

// Who bears the token: "ISSUER SUBJECT", or the client where there is no subject. kInvalid where the token is not for
// this server, or not now; kDenied where only scopes are missing. `from_jwt`: the issuer and the expiry must be named.
Result<std::string> CheckClaims(const json::Object& claims, const TokenRules& rules, Time now, bool from_jwt);

}  // namespace openseat::oauth
