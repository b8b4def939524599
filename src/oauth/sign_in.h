// SignIn: signs people in with an OpenID Connect provider: the authorization code flow with PKCE, state and nonce
// (OpenID Connect Core, RFC 7636, RFC 9700). docs/configuration.md, "Signing in".
//
// One thread: its scheduler's.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/scheduler.h"
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
  static constexpr std::size_t kMost = 1000;  // attempts at the same time; then the oldest is forgotten

  // `caller` and `home` outlive it. REQUIRES options that CheckSignIn accepts, with an issuer.
  SignIn(SignInOptions options, net::HttpCaller& caller, Scheduler& home);

  const SignInOptions& options() const { return options_; }

  struct Attempt {
    std::string url;    // where the browser goes
    std::string state;  // which only this browser may know: it must come back with it
  };
  // `to`: where the person wants to be afterwards. `prefix`: how the state begins. Errors: kIo.
  void Begin(std::string to, std::function<void(Result<Attempt>)> done, std::string_view prefix = {});

  struct Arrival {
    Person person;
    std::string to;
  };
  // The browser came back. Each state is good once. Errors: kDenied (an unknown state, an ID token that does not fit),
  // kIo (the provider cannot be reached, or refuses the code).
  void Finish(const std::string& state, const std::string& code, std::function<void(Result<Arrival>)> done);

 private:
  struct Pending {
    std::string state_hash;
    std::string nonce;
    std::string verifier;
    std::string to;
    Instant until;
  };
  using Ready = std::function<void(Result<void>)>;
  // Calls `ready` once the provider's endpoints are known.
  void Discover(const Ready& ready);
  void DiscoverAt(std::size_t candidate, const Ready& ready);
  std::string AuthorizationUrl(const Pending& pending, const std::string& state) const;
  void CheckIdToken(const std::string& token, const Pending& pending, std::function<void(Result<Arrival>)> done);
  // A call of its own: several people sign in at the same time.
  void Send(net::HttpCall call, net::HttpDone done);

  const SignInOptions options_;
  net::HttpCaller& caller_;
  Scheduler& home_;
  KeySource keys_;
  std::string authorization_endpoint_;
  std::string token_endpoint_;
  std::deque<Pending> pending_;  // oldest first
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace openseat::oauth
