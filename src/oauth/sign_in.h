// SignIn: signs people in with an OpenID Connect provider: the authorization code flow with PKCE, state and nonce
// (OpenID Connect Core, RFC 7636, RFC 9700). docs/configuration.md, "Signing in".
//
// An attempt is kept by its browser, in a cookie that is signed with a key of this object. Its nonce and verifier are
// derived from its state and that key, so nothing is stored here before a browser comes back.
//
// One thread: its scheduler's.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "base/result.h"
#include "base/scheduler.h"
#include "base/secure_random.h"
#include "net/http_client.h"
#include "oauth/key_source.h"
#include "oauth/person.h"

namespace openseat::oauth {

struct SignInOptions {
  std::string issuer;  // "": nobody can sign in
  std::string client_id;
  std::string client_secret;  // "": a public client
  std::string public_url;     // of this server, as browsers reach it: "https://play.example.org"
  std::string name;           // of the provider, for people
};

// kInvalid, with the member as path.
Result<void> CheckSignIn(const SignInOptions& options);

inline constexpr std::string_view kCallbackPath = "/auth/callback";

class SignIn {
 public:
  static constexpr Duration kLife = std::chrono::minutes(10);  // of an attempt
  static constexpr std::size_t kMaxUsed = 50'000;  // states known to have been used; twice as many for a while

  // `caller` and `home` outlive it. REQUIRES options that CheckSignIn accepts, with an issuer.
  SignIn(SignInOptions options, net::HttpCaller& caller, Scheduler& home);

  const SignInOptions& options() const { return options_; }

  struct Attempt {
    std::string url;     // where the browser goes; it has the state
    std::string cookie;  // which only this browser may have: it must come back with it
  };
  // `to`: where the person wants to be afterwards. `prefix`: how the state begins. Errors: kIo.
  void Begin(std::string to, std::function<void(Result<Attempt>)> done, std::string_view prefix = {});

  struct Arrival {
    Person person;
    std::string to;
  };
  // The state of an attempt's cookie, whether or not it is genuine: the browser must bring the same one from the
  // provider. Any thread.
  static std::string_view StateOf(std::string_view cookie);
  // The browser came back with both. Each state is good once. Errors: kDenied (not a cookie of this object, or an old
  // one; an ID token that does not fit), kIo (the provider cannot be reached, or refuses the code).
  void Finish(std::string_view cookie, const std::string& code, std::function<void(Result<Arrival>)> done);

 private:
  struct Pending {
    std::string state;
    std::string to;
  };
  using Ready = std::function<void(Result<void>)>;
  // Calls `ready` once the provider's endpoints are known.
  void Discover(const Ready& ready);
  void DiscoverAt(std::size_t candidate, const Ready& ready);
  std::string AuthorizationUrl(const std::string& state) const;
  // What nobody can compute without the key: the attempt's nonce, its PKCE verifier, or the signature of its cookie.
  std::string Secret(std::string_view purpose, std::string_view text) const;
  std::string CookieOf(const Pending& pending) const;
  std::optional<Pending> Open(std::string_view cookie) const;
  // False if it was used before.
  bool Use(const std::string& state);
  void CheckIdToken(const std::string& token, const Pending& pending, std::function<void(Result<Arrival>)> done);
  // A call of its own: several people sign in at the same time.
  void Send(net::HttpCall call, net::HttpDone done);

  const SignInOptions options_;
  net::HttpCaller& caller_;
  Scheduler& home_;
  KeySource keys_;
  std::string authorization_endpoint_;
  std::string token_endpoint_;
  const std::string key_ = SecureToken(52);  // 260 bits
  // States that were used, for as long as their attempts live at least: in the second set are those from before the
  // first one was begun.
  std::unordered_set<std::string> used_;
  std::unordered_set<std::string> used_before_;
  Instant used_since_{};
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace openseat::oauth
