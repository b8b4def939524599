// McpDoor: who may use /mcp. As elsewhere, requests from this machine need no token; from other machines they need the
// admin token, an API key of the registry, or an access token of an authorization server that the config file names. If
// the file names one, every request needs a token, since a request through a proxy may seem to come from this machine.
// From other machines, each key and each bearer of access tokens is rate limited. docs/protocols/mcp.md,
// "Authorization".
//
// On its home, unless noted otherwise.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "app/access.h"
#include "base/rate_limit.h"
#include "core/registry.h"
#include "net/http_client.h"
#include "net/router.h"
#include "oauth/token_verifier.h"
#include "protocols/mcp/http_endpoint.h"

namespace openseat::app {

class McpDoor final : public mcp::Doorkeeper {
 public:
  // All outlive it. `authorization`: nullopt if no authorization server is configured.
  McpDoor(const Access& access, Registry& registry, std::optional<oauth::VerifierOptions> authorization,
          RateLimit limit, net::HttpCaller& caller, Scheduler& home);

  // RFC 9728: what a client needs to know to get a token. nullopt if no authorization server is configured.
  void AddRoutes(net::Router& router);

  void Admit(const net::HttpRequest& request, Admitted done) override;
  bool IsPassedOn(const net::HttpRequest& request) const override;
  // Whether another node of the cluster sends a request.
  using PassedOn = std::function<bool(const net::HttpRequest& request)>;
  void SetPassedOn(PassedOn passed_on) { passed_on_ = std::move(passed_on); }

 private:
  // Answers that the token is wrong.
  using Wrong = std::function<void(const std::string& message)>;
  using PayerPtr = std::shared_ptr<Payer>;
  void AdmitKey(const std::string& key, const PayerPtr& payer, const Admitted& done, const Wrong& wrong);
  void AdmitToken(const std::string& token, const PayerPtr& payer, const Admitted& done, const Wrong& wrong);
  // Admits an allowed caller that does not come too often; this machine's, and one without a payer, always.
  void Enter(std::string who, const PayerPtr& payer, const Admitted& done);
  // An answer that says how to get access. `error` as in RFC 6750; "": no token came.
  net::HttpResponse Refusal(int status, std::string_view error, const std::string& message) const;

  const Access& access_;
  Registry& registry_;
  Scheduler& home_;
  std::optional<oauth::TokenVerifier> verifier_;
  RateLimiter limiter_;
  PassedOn passed_on_;  // null without a cluster
};

// The address of a protected resource's metadata: "https://host/mcp" has it at
// "https://host/.well-known/oauth-protected-resource/mcp".
std::string ResourceMetadataUrl(std::string_view resource);

}  // namespace openseat::app
