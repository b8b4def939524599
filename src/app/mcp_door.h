// McpDoor: who may use /mcp. From this machine nobody is asked, as elsewhere; from others a request needs the admin
// token, an API key of the registry's, or an access token of an authorization server that the config file names. Where
// it names one, everybody is asked, since what stands behind a proxy may look like this machine. One key, and one
// bearer of access tokens, may come only so often. docs/protocols/mcp.md, "Authorization".
//
// On its home, unless said otherwise.
#pragma once

#include <functional>
#include <optional>
#include <string>

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
  // All outlive it. `authorization`: nothing where no authorization server is configured.
  McpDoor(const Access& access, Registry& registry, std::optional<oauth::VerifierOptions> authorization,
          RateLimit limit, net::HttpCaller& caller, Scheduler& home);

  // RFC 9728: what a client needs to know to get a token. Nothing where no authorization server is configured.
  void AddRoutes(net::Router& router);

  void Admit(const net::HttpRequest& request, Admitted done) override;

 private:
  // Answers that the token is wrong.
  using Wrong = std::function<void(const std::string& message)>;
  using PayerPtr = std::shared_ptr<Payer>;
  void AdmitKey(const std::string& key, const PayerPtr& payer, const Admitted& done, const Wrong& wrong);
  void AdmitToken(const std::string& token, const PayerPtr& payer, const Admitted& done, const Wrong& wrong);
  // Lets somebody in who may be, unless that was too often. `payer`, who may be null, counts that.
  void Enter(std::string who, const PayerPtr& payer, const Admitted& done);
  // An answer that says how one is let in. `error` as RFC 6750 has it; "": no token came.
  net::HttpResponse Refusal(int status, std::string_view error, const std::string& message) const;

  const Access& access_;
  Registry& registry_;
  Scheduler& home_;
  std::optional<oauth::TokenVerifier> verifier_;
  RateLimiter limiter_;
};

// Where the metadata of a protected resource lies: "https://host/mcp" has it at
// "https://host/.well-known/oauth-protected-resource/mcp".
std::string ResourceMetadataUrl(std::string_view resource);

}  // namespace openseat::app
