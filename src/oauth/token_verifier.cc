#include "oauth/token_verifier.h"

#include <utility>

#include "base/digest.h"
#include "oauth/encoding.h"
#include "oauth/jwt.h"

namespace openseat::oauth {
namespace {

constexpr std::size_t kMaxToken = 16u << 10;
constexpr std::size_t kMaxAsked = 1000;
constexpr std::size_t kMaxKnown = 10'000;
// A revoked token is still accepted for this long.
constexpr Duration kBelieveFor = std::chrono::seconds(30);
constexpr Duration kIntrospectionTimeout = std::chrono::seconds(5);

Result<void> CheckUrl(std::string_view url, const std::string& name) {
  if (IsSafeUrl(url) && url.find_first_of("#\" \\") == std::string_view::npos) return {};
  return Fail(
      ErrorCode::kInvalid,
      name + " must be an https:// URL (http:// to this machine) without a fragment; got \"" + std::string(url) + "\"",
      name);
}

}  // namespace

Result<void> CheckOptions(const VerifierOptions& options) {
  if (Result<void> checked = CheckUrl(options.rules.resource, "resource"); !checked) return checked;
  if (options.rules.issuers.empty()) {
    return Fail(ErrorCode::kInvalid, "authorization_servers must not be empty", "authorization_servers");
  }
  for (const std::string& issuer : options.rules.issuers) {
    if (Result<void> checked = CheckUrl(issuer, "authorization_servers"); !checked) return checked;
  }
  for (const std::string& scope : options.rules.scopes) {
    if (scope.empty() || scope.find_first_of("\" \\") != std::string::npos) {
      return Fail(ErrorCode::kInvalid, "scopes must be names without spaces; got \"" + scope + "\"", "scopes");
    }
  }
  if (!options.jwks_url.empty()) {
    if (options.rules.issuers.size() != 1) {
      return Fail(ErrorCode::kInvalid, "jwks_url requires exactly one authorization server", "jwks_url");
    }
    if (Result<void> checked = CheckUrl(options.jwks_url, "jwks_url"); !checked) return checked;
  }
  if (options.introspection_url.empty()) return {};
  if (!options.jwks_url.empty()) {
    return Fail(ErrorCode::kInvalid, "set either jwks_url or introspection_url, not both", "jwks_url");
  }
  return CheckUrl(options.introspection_url, "introspection_url");
}

TokenVerifier::TokenVerifier(VerifierOptions options, net::HttpCaller& caller, Scheduler& home)
    : options_(std::move(options)), caller_(caller), home_(home) {
  for (const std::string& issuer : options_.rules.issuers) {
    keys_.emplace(issuer, std::make_unique<KeySource>(issuer, options_.jwks_url, caller, home));
  }
}

void TokenVerifier::Verify(std::string token, Done done) {
  if (token.size() > kMaxToken) {
    done(Fail(ErrorCode::kInvalid, "the access token is too long"));
  } else if (options_.introspection_url.empty()) {
    VerifyJwt(std::move(token), std::move(done));
  } else {
    Introspect(token, std::move(done));
  }
}

void TokenVerifier::VerifyJwt(std::string token, Done done) {
  Result<UnverifiedJwt> jwt = ReadJwt(token);
  if (!jwt) return done(Fail(std::move(jwt).error()));
  const auto source = keys_.find(jwt->issuer());
  if (source == keys_.end()) {
    return done(Fail(ErrorCode::kInvalid, "the access token is from another authorization server"));
  }
  const std::string key_id = jwt->key_id;
  source->second->Get(key_id, [this, token = std::move(token), jwt = std::move(*jwt),
                               done = std::move(done)](const Result<std::shared_ptr<const KeySet>>& keys) {
    if (!keys) return done(Fail(keys.error()));
    if (Result<void> genuine = (*keys)->Verify(token, jwt); !genuine) return done(Fail(std::move(genuine).error()));
    done(CheckClaims(jwt.claims, options_.rules, home_.clock().Now(), true));
  });
}

void TokenVerifier::Introspect(const std::string& token, Done done) {
  const std::string hash = Sha256Hex(token);
  const Instant now = home_.clock().Monotonic();
  if (const auto known = known_.find(hash); known != known_.end()) {
    if (now < known->second.until) return done(known->second.bearer);
    known_.erase(known);
  }
  if (const auto asked = asked_.find(hash); asked != asked_.end()) {
    asked->second->waiting.push_back(std::move(done));
    return;
  }
  if (asked_.size() >= kMaxAsked) return done(Fail(ErrorCode::kIo, "too many tokens are being checked"));
  auto asked = std::make_shared<Asked>();
  asked->waiting.push_back(std::move(done));
  asked_.emplace(hash, asked);
  net::HttpCall call;
  call.method = net::Method::kPost;
  call.url = options_.introspection_url;
  call.headers.Add("Content-Type", "application/x-www-form-urlencoded");
  call.headers.Add("Accept", "application/json");
  if (!options_.client_id.empty()) {
    call.headers.Add("Authorization",
                     "Basic " + Base64(FormEncoded(options_.client_id) + ":" + FormEncoded(options_.client_secret)));
  }
  call.body = "token=" + FormEncoded(token) + "&token_type_hint=access_token";
  call.timeout = kIntrospectionTimeout;
  call.connect_timeout = kIntrospectionTimeout;
  asked->call.Start(caller_, home_, std::move(call), [this, hash](const Result<net::HttpResponse>& response) {
    const std::shared_ptr<Asked> answered = asked_.extract(hash).mapped();
    const Result<std::string> bearer = ReadIntrospection(response);
    if (bearer || bearer.error().code != ErrorCode::kIo) {
      if (known_.size() >= kMaxKnown) known_.clear();
      known_.insert_or_assign(hash, Known{bearer, home_.clock().Monotonic() + kBelieveFor});
    }
    for (const Done& each : answered->waiting) each(bearer);
  });
}

Result<std::string> TokenVerifier::ReadIntrospection(const Result<net::HttpResponse>& response) const {
  const std::string trouble = "cannot check the access token with the authorization server: ";
  if (!response) return Fail(ErrorCode::kIo, trouble + response.error().message);
  if (response->status != 200) return Fail(ErrorCode::kIo, trouble + "it answered " + std::to_string(response->status));
  const Result<json::Value> answer = json::Parse(response->body);
  if (!answer || !answer->is_object()) return Fail(ErrorCode::kIo, trouble + "its answer is not a JSON object");
  const json::Value* active = json::Find(answer->get_object(), "active");
  if (active == nullptr || !active->is_bool() || !active->get_bool()) {
    return Fail(ErrorCode::kInvalid, "the access token is not valid, or no longer");
  }
  return CheckClaims(answer->get_object(), options_.rules, home_.clock().Now(), false);
}

}  // namespace openseat::oauth
