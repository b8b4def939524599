#include "oauth/sign_in.h"

#include <algorithm>
#include <utility>

#include "base/digest.h"
#include "base/json.h"
#include "base/log.h"
#include "base/secure_random.h"
#include "base/text.h"
#include "oauth/claims.h"
#include "oauth/encoding.h"
#include "oauth/jwt.h"

namespace openseat::oauth {
namespace {

constexpr Duration kProviderTimeout = std::chrono::seconds(10);
constexpr std::size_t kMaxAnswer = 256u << 10;
constexpr std::size_t kMaxIdToken = 16u << 10;
constexpr std::size_t kMaxPersonName = 60;
constexpr std::size_t kMaxSubject = 255;  // OpenID Connect Core 1.0, section 2

tl::unexpected<Error> Unusable(const std::string& why) {
  return Fail(ErrorCode::kDenied, "the provider's answer cannot be used: " + why);
}

// An ID token is for this client, even where it is for others as well.
bool IsForUs(const json::Object& claims, const std::string& client) {
  const json::Value* audience = json::Find(claims, "aud");
  const bool several = audience != nullptr && audience->is_array() && audience->get_array().size() > 1;
  const std::string_view party = json::TextOf(claims, "azp");
  return several ? party == client : party.empty() || party == client;
}

std::string NameIn(const json::Object& claims, std::string_view subject) {
  for (const char* member : {"preferred_username", "name", "nickname"}) {
    if (const std::string_view name = json::TextOf(claims, member); !name.empty()) {
      return Ellipsize(EscapeControls(name), kMaxPersonName);
    }
  }
  return Ellipsize(EscapeControls(subject), kMaxPersonName);
}

}  // namespace

Result<void> CheckSignIn(const SignInOptions& options) {
  if (options.issuer.empty()) return {};
  for (const auto& [name, url] : {std::pair{"issuer", &options.issuer}, std::pair{"public_url", &options.public_url}}) {
    if (!IsSafeUrl(*url) || url->find_first_of("?#\" \\") != std::string::npos) {
      return Fail(ErrorCode::kInvalid,
                  std::string(name) + " must be an https:// URL (http:// to this machine) without a query; got \"" +
                      *url + "\"",
                  name);
    }
  }
  if (options.public_url.ends_with('/')) {
    return Fail(ErrorCode::kInvalid, "public_url must not end with /; got \"" + options.public_url + "\"",
                "public_url");
  }
  if (options.client_id.empty()) return Fail(ErrorCode::kInvalid, "client_id must not be empty", "client_id");
  return {};
}

SignIn::SignIn(SignInOptions options, net::HttpCaller& caller, Scheduler& home)
    : options_(std::move(options)), caller_(caller), home_(home), keys_(options_.issuer, {}, caller, home) {}

void SignIn::Send(net::HttpCall call, net::HttpDone done) {
  call.headers.Add("Accept", "application/json");
  call.timeout = kProviderTimeout;
  call.connect_timeout = kProviderTimeout;
  call.max_body_bytes = kMaxAnswer;
  caller_.Call(home_, std::move(call),
               [alive = std::weak_ptr<bool>(alive_), done = std::move(done)](Result<net::HttpResponse> response) {
                 if (!alive.expired()) done(std::move(response));
               });
}

void SignIn::Discover(const Ready& ready) {
  if (!token_endpoint_.empty()) return ready({});
  DiscoverAt(0, ready);
}

void SignIn::DiscoverAt(std::size_t candidate, const Ready& ready) {
  // OpenID Connect's own document is the last one or the one before.
  std::vector<std::string> urls = MetadataUrls(options_.issuer);
  std::ranges::reverse(urls);
  if (candidate == urls.size()) {
    return ready(Fail(ErrorCode::kIo, "the provider " + options_.issuer + " does not say how to sign in"));
  }
  net::HttpCall call;
  call.url = urls[candidate];
  Send(std::move(call), [this, candidate, ready](const Result<net::HttpResponse>& response) {
    const Result<json::Value> metadata =
        response && response->status == 200 ? json::Parse(response->body) : Fail(ErrorCode::kIo, "no metadata");
    // Otherwise, one provider could speak for another.
    if (!metadata || json::TextOf(*metadata, "issuer") != options_.issuer) return DiscoverAt(candidate + 1, ready);
    std::string authorization(json::TextOf(*metadata, "authorization_endpoint"));
    std::string token(json::TextOf(*metadata, "token_endpoint"));
    if (!IsSafeUrl(authorization) || !IsSafeUrl(token)) return DiscoverAt(candidate + 1, ready);
    authorization_endpoint_ = std::move(authorization);
    token_endpoint_ = std::move(token);
    ready({});
  });
}

std::string SignIn::Secret(std::string_view purpose, std::string_view text) const {
  return Base64Url(HmacSha256Base64(key_, std::string(purpose) + "\n" + std::string(text)));
}

// STATE~TO~END~SIGNATURE
std::string SignIn::CookieOf(const Pending& pending) const {
  const Instant end = home_.clock().Monotonic() + kLife;
  const std::string body =
      pending.state + "~" + Base64Url(pending.to) + "~" + std::to_string(end.time_since_epoch().count());
  return body + "~" + Secret("cookie", body);
}

std::string_view SignIn::StateOf(std::string_view cookie) {
  return cookie.substr(0, cookie.find('~'));
}

std::optional<SignIn::Pending> SignIn::Open(std::string_view cookie) const {
  const std::size_t signature = cookie.rfind('~');
  if (signature == std::string_view::npos) return std::nullopt;
  std::string_view body = cookie.substr(0, signature);
  if (!EqualSecrets(cookie.substr(signature + 1), Secret("cookie", body))) return std::nullopt;
  const std::string end(body.substr(body.rfind('~') + 1));
  if (std::stoll(end) <= home_.clock().Monotonic().time_since_epoch().count()) return std::nullopt;
  const std::string_view state = StateOf(body);
  body.remove_prefix(state.size() + 1);
  return Pending{std::string(state), FromBase64Url(body.substr(0, body.find('~')))};
}

bool SignIn::Use(const std::string& state) {
  const Instant now = home_.clock().Monotonic();
  if (now - used_since_ >= kLife || used_.size() >= kMaxUsed) {
    used_before_ = std::exchange(used_, {});
    used_since_ = now;
  }
  return !used_before_.contains(state) && used_.insert(state).second;
}

std::string SignIn::AuthorizationUrl(const std::string& state) const {
  std::string url = authorization_endpoint_;
  url += url.find('?') == std::string::npos ? '?' : '&';
  const auto add = [&url](std::string_view name, std::string_view value) {
    if (url.back() != '?' && url.back() != '&') url += '&';
    url += std::string(name) + "=" + FormEncoded(value);
  };
  add("response_type", "code");
  add("client_id", options_.client_id);
  add("redirect_uri", options_.public_url + std::string(kCallbackPath));
  add("scope", "openid profile");
  add("state", state);
  add("nonce", Secret("nonce", state));
  add("code_challenge", Sha256Base64Url(Secret("verifier", state)));
  add("code_challenge_method", "S256");
  return url;
}

void SignIn::Begin(std::string to, std::function<void(Result<Attempt>)> done, std::string_view prefix) {
  Discover([this, to = std::move(to), done = std::move(done),
            state = std::string(prefix) + SecureToken(26)](const Result<void>& ready) mutable {
    if (!ready) return done(Fail(ready.error()));
    done(Attempt{AuthorizationUrl(state), CookieOf({state, std::move(to)})});
  });
}

void SignIn::Finish(std::string_view cookie, const std::string& code, std::function<void(Result<Arrival>)> done) {
  const std::optional<Pending> pending = Open(cookie);
  if (!pending || !Use(pending->state)) {
    return done(
        Fail(ErrorCode::kDenied, "this attempt to sign in is unknown, too old (10 min), or over; try again", "state"));
  }
  net::HttpCall call;
  call.method = net::Method::kPost;
  call.url = token_endpoint_;
  call.headers.Add("Content-Type", "application/x-www-form-urlencoded");
  call.body = "grant_type=authorization_code&code=" + FormEncoded(code) +
              "&redirect_uri=" + FormEncoded(options_.public_url + std::string(kCallbackPath)) +
              "&code_verifier=" + FormEncoded(Secret("verifier", pending->state));
  if (options_.client_secret.empty()) {
    call.body += "&client_id=" + FormEncoded(options_.client_id);
  } else {
    const std::string pair = FormEncoded(options_.client_id) + ":" + FormEncoded(options_.client_secret);
    call.headers.Add("Authorization", "Basic " + Base64(pair));
  }
  Send(std::move(call), [this, pending = *pending, done = std::move(done)](const Result<net::HttpResponse>& response) {
    if (!response) return done(Fail(ErrorCode::kIo, "the provider cannot be reached: " + response.error().message));
    const Result<json::Value> answer = json::Parse(response->body);
    const std::string token(answer ? json::TextOf(*answer, "id_token") : std::string_view());
    if (response->status != 200 || token.empty() || token.size() > kMaxIdToken) {
      return done(
          Fail(ErrorCode::kIo, "the provider refused the code: it answered " + std::to_string(response->status)));
    }
    CheckIdToken(token, pending, done);
  });
}

void SignIn::CheckIdToken(const std::string& token, const Pending& pending, std::function<void(Result<Arrival>)> done) {
  Result<UnverifiedJwt> jwt = ReadJwt(token);
  if (!jwt) return done(Unusable(jwt.error().message));
  const std::string key_id = jwt->key_id;
  keys_.Get(key_id, [this, token, pending, jwt = std::move(*jwt),
                     done = std::move(done)](const Result<std::shared_ptr<const KeySet>>& keys) {
    if (!keys) return done(Fail(keys.error()));
    if (const Result<void> genuine = (*keys)->Verify(token, jwt); !genuine) {
      return done(Unusable(genuine.error().message));
    }
    const TokenRules rules{options_.client_id, {options_.issuer}, {}};
    if (const Result<std::string> fits = CheckClaims(jwt.claims, rules, home_.clock().Now(), true); !fits) {
      return done(Unusable(fits.error().message));
    }
    if (!IsForUs(jwt.claims, options_.client_id)) return done(Unusable("it is for another client"));
    if (!EqualSecrets(json::TextOf(jwt.claims, "nonce"), Secret("nonce", pending.state))) {
      return done(Unusable("it is for another attempt (nonce)"));
    }
    const std::string subject(json::TextOf(jwt.claims, "sub"));
    if (subject.empty() || subject.size() > kMaxSubject) return done(Unusable("it does not say who signed in (sub)"));
    done(Arrival{{subject + " at " + options_.issuer, NameIn(jwt.claims, subject)}, pending.to});
  });
}

}  // namespace openseat::oauth
