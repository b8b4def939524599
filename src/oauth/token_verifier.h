// TokenVerifier: finds the bearer of an access token. It accepts JWTs signed by keys of the trusted authorization
// servers, or asks a server about any token (introspection), if configured. docs/protocols/mcp.md, "Authorization".
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
  std::string jwks_url;           // "": from the servers' metadata
  std::string introspection_url;  // "": tokens are JWTs; otherwise, every token is checked there
  std::string client_id;          // for requests to the server; "": none
  std::string client_secret;
};

// kInvalid, with the member as path, for invalid URLs and URLs that anyone could intercept.
Result<void> CheckOptions(const VerifierOptions& options);

class TokenVerifier {
 public:
  // `caller` and `home` must outlive it. REQUIRES options that CheckOptions accepts.
  TokenVerifier(VerifierOptions options, net::HttpCaller& caller, Scheduler& home);

  const TokenRules& rules() const { return options_.rules; }

  // `done` gets the bearer (CheckClaims), at once or later, unless this is destroyed first. kInvalid: the token is not
  // accepted; kDenied: it lacks scopes; kIo: the authorization server cannot be reached.
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
  // By token hash: pending checks, and recent answers.
  std::unordered_map<std::string, std::shared_ptr<Asked>> asked_;
  std::unordered_map<std::string, Known> known_;
};

}  // namespace openseat::oauth
