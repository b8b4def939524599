#include "app/mcp_door.h"

#include <utility>

#include "base/budget.h"
#include "base/stranger.h"
#include "net/bearer.h"
#include "net/client_address.h"

namespace openseat::app {
namespace {

constexpr std::string_view kMetadataPath = "/.well-known/oauth-protected-resource";

bool IsTokenText(std::string_view text) {
  for (const char c : text) {
    if (c <= ' ' || c > '~') return false;
  }
  return true;
}

std::string Joined(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : " ") + word;
  return out;
}

// Escaped for a quoted string.
std::string Quotable(std::string text) {
  for (char& c : text) {
    if (c == '"' || c == '\\' || c < ' ' || c > '~') c = '\'';
  }
  return text;
}

}  // namespace

std::string ResourceMetadataUrl(std::string_view resource) {
  const std::size_t path = resource.find('/', resource.find("://") + 3);
  std::string url(resource.substr(0, path));
  url += kMetadataPath;
  if (path != std::string_view::npos && resource.substr(path) != "/") url += resource.substr(path);
  return url;
}

McpDoor::McpDoor(const Access& access, Registry& registry, std::optional<oauth::VerifierOptions> authorization,
                 RateLimit limit, net::HttpCaller& caller, Scheduler& home)
    : access_(access), registry_(registry), home_(home), limiter_(limit) {
  if (authorization) verifier_.emplace(std::move(*authorization), caller, home);
}

void McpDoor::AddRoutes(net::Router& router) {
  if (!verifier_) return;
  const oauth::TokenRules& rules = verifier_->rules();
  json::Array servers;
  for (const std::string& server : rules.issuers) servers.push_back(json::Value(server));
  json::Object metadata{{"resource", rules.resource},
                        {"authorization_servers", std::move(servers)},
                        {"bearer_methods_supported", json::Array{"header"}},
                        {"resource_name", "Openseat"}};
  if (!rules.scopes.empty()) {
    json::Array scopes;
    for (const std::string& scope : rules.scopes) scopes.push_back(json::Value(scope));
    metadata["scopes_supported"] = std::move(scopes);
  }
  const auto answer = [metadata](const net::HttpRequest&, net::HttpReply reply) {
    std::move(reply).Send(net::HttpResponse::Json(200, metadata));
  };
  router.Add(net::Method::kGet, std::string(kMetadataPath), {}, answer);
  router.Add(net::Method::kGet, std::string(kMetadataPath) + "/mcp", {}, answer);
}

void McpDoor::Admit(const net::HttpRequest& request, Admitted done) {
  // The node that the client came to has admitted it.
  const std::string token = net::BearerToken(request);
  if (IsPassedOn(request)) {
    const bool operates = IsTokenText(token) && access_.IsAdminToken(token);
    return done(std::string(net::IsLocal(request) ? "" : operates ? mcp::kOperator : "node"));
  }
  if (net::IsLocal(request) && !verifier_) return done(std::string());
  if (token.empty()) {
    return done(tl::unexpected(Refusal(401, "", "this needs a token: Authorization: Bearer …")));
  }
  if (!IsTokenText(token)) {
    return done(tl::unexpected(Refusal(400, "invalid_request", "the token after Bearer is malformed")));
  }
  const std::string from = net::ClientAddress(request);
  if (const Result<void> heard = access_.guesses().MayTry(from); !heard) {
    return done(tl::unexpected(net::HttpResponse::FromError(heard.error())));
  }
  const Wrong wrong = [this, from, done](const std::string& message) {
    const Result<void> told = access_.guesses().Wrong("token of /mcp", from);
    done(tl::unexpected(told ? Refusal(401, "invalid_token", message) : net::HttpResponse::FromError(told.error())));
  };
  if (access_.IsAdminToken(token)) return done(std::string(mcp::kOperator));
  if (token.starts_with(kKeyPrefix)) return AdmitKey(token, request.payer, done, wrong);
  if (verifier_) return AdmitToken(token, request.payer, done, wrong);
  wrong("the token is neither the admin token nor an API key");
}

bool McpDoor::IsPassedOn(const net::HttpRequest& request) const {
  // A request of a session comes as its client sent it, and is checked here.
  return passed_on_ && passed_on_(request) && !request.headers.Has(mcp::kSessionHeader);
}

void McpDoor::AdmitKey(const std::string& key, const PayerPtr& payer, const Admitted& done, const Wrong& wrong) {
  registry_.Authenticate(key, home_, [this, payer, done, wrong](const Result<ApiKey>& found) {
    if (found) return Enter(HolderOf(*found), payer, done);
    if (found.error().code == ErrorCode::kNotFound || found.error().code == ErrorCode::kDenied) {
      return wrong(found.error().message);
    }
    done(tl::unexpected(net::HttpResponse::FromError({ErrorCode::kClosed, "the key could not be looked up", {}})));
  });
}

void McpDoor::AdmitToken(const std::string& token, const PayerPtr& payer, const Admitted& done, const Wrong& wrong) {
  verifier_->Verify(token, [this, payer, done, wrong](const Result<std::string>& bearer) {
    if (bearer) return Enter("oauth " + *bearer, payer, done);
    switch (bearer.error().code) {
      case ErrorCode::kDenied:
        return done(tl::unexpected(Refusal(403, "insufficient_scope", bearer.error().message)));
      case ErrorCode::kInvalid:
        return wrong(bearer.error().message);
      default:
        // What happened between the two servers concerns the operator: it is in the log.
        done(tl::unexpected(net::HttpResponse::FromError(
            {ErrorCode::kClosed, "the token cannot be checked now: its authorization server cannot be asked", {}})));
    }
  });
}

void McpDoor::Enter(std::string who, const PayerPtr& payer, const Admitted& done) {
  const bool limited = IsStrangers(AddressOf(payer.get()));
  const Duration wait = limited ? limiter_.Take(who, home_.clock().Monotonic()) : Duration(0);
  if (wait == Duration(0)) return done(std::move(who));
  const auto allowed = static_cast<std::uint64_t>(limiter_.limit().per_second);
  const Error refused = payer->Refuse(Limit::kKeyRequests, allowed, wait).ToError();
  done(tl::unexpected(net::HttpResponse::FromError(refused)));
}

net::HttpResponse McpDoor::Refusal(int status, std::string_view error, const std::string& message) const {
  net::HttpResponse refusal = net::HttpResponse::FromError({ErrorCode::kDenied, message, "Authorization"});
  refusal.status = status;
  std::string challenge = "Bearer";
  const auto add = [&challenge](std::string_view name, const std::string& value) {
    challenge += (challenge.size() > 6 ? ", " : " ") + std::string(name) + "=\"" + Quotable(value) + "\"";
  };
  if (verifier_) {
    add("resource_metadata", ResourceMetadataUrl(verifier_->rules().resource));
    if (!verifier_->rules().scopes.empty()) add("scope", Joined(verifier_->rules().scopes));
  }
  if (!error.empty()) {
    add("error", std::string(error));
    add("error_description", message);
  }
  refusal.headers.Add("WWW-Authenticate", std::move(challenge));
  return refusal;
}

}  // namespace openseat::app
