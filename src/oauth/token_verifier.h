// TokenVerifier: who bears an access token, by the authorization servers that this server trusts: JWTs by their keys,
// or any token by asking the server (introspection), where that is set. docs/protocols/mcp.md, "Authorization".
//
// One thread: its scheduler's.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "base/scheduler.h"
#include "net/http_client.h"
#include "oauth/claims.h"
#include "oauth/key_source.h"

namespace openseat::oauth {

struct VerifierOptions {
  TokenRules rules;
  std::string jwks_url;           // "": as the servers' metadata says
  std::string introspection_url;  // "": tokens are JWTs; else every token is asked about there
  std::string client_id;          // with which the server is asked; "": without
  std::string client_secret;
};

// kInvalid, with the member as path: URLs that are none, or that anybody could listen at.
Result<void> CheckOptions(const VerifierOptions& options);

class TokenVerifier {
 public:
  // `caller` and `home` outlive it. REQUIRES options that CheckOptions takes.
  TokenVerifier(VerifierOptions options, net::HttpCaller& caller, Scheduler& home);

  const TokenRules& rules() const { return options_.rules; }

  // `done` gets the bearer (CheckClaims), at once or later, unless this goes first. kInvalid: the token is not to be
  // taken; kDenied: it lacks scopes; kIo: the authorization server cannot be asked.
  using Done = std::function<void(Result<std::string>)>;
  void Verify(std::string token, Done done);

 private:
  struct Asked {
    net::ScopedHttpCall call;
    std::vector<Done> waiting;
  };
  struct Known {
    Result<std::string> bearer;
    Instant until;
  };
  void VerifyJwt(std::string token, Done done);
  void Introspect(const std::string& token, Done done);
  Result<std::string> ReadIntrospection(const Result<net::HttpResponse>& response) const;

  const VerifierOptions options_;
  net::HttpCaller& caller_;
  Scheduler& home_;
  std::map<std::string, std::unique_ptr<KeySource>, std::less<>> keys_;  // by issuer
  // By the tokens' hashes: those that the server is being asked about, and what it said of others a moment ago.
  std::unordered_map<std::string, std::shared_ptr<Asked>> asked_;
  std::unordered_map<std::string, Known> known_;
};

}  // namespace openseat::oauth
