// SignInDoor: signing in with an OpenID Connect provider, at /auth/…, and who has signed in. The browser keeps that in
// a cookie which only this server can make (oauth/person.h). docs/configuration.md, "Signing in".
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "app/access.h"
#include "base/rate_limit.h"
#include "core/registry.h"
#include "net/http_client.h"
#include "net/router.h"
#include "oauth/person.h"
#include "oauth/sign_in.h"

namespace openseat::app {

// The key of the cookies: that in `data_dir`/session-key, which is made if it is missing. Errors: kIo, kParse.
Result<std::string> SessionKey(const std::string& data_dir);

class SignInDoor {
 public:
  // Nobody can sign in without an issuer in the options. `key`: of SessionKey. All references outlive it; `home`: where
  // the provider and the registry answer.
  // `prefix`: how states of attempts begin, which tells where in a cluster an attempt ends.
  SignInDoor(const oauth::SignInOptions& options, std::string key, std::string prefix, const Access& access,
             Registry& registry, net::HttpCaller& caller, Scheduler& home);

  // The key is that of the cluster; ours becomes it if there is none. Before the first request; waits. Errors: the
  // registry's.
  Result<void> ShareKey();

  void AddRoutes(net::Router& router);
  // Who made the request, if that is known: Person::account is the id of an account of the registry. Any thread.
  std::optional<oauth::Person> PersonOf(const net::HttpRequest& request) const;

 private:
  void Me(const net::HttpRequest& request, net::HttpReply reply) const;
  void Login(const net::HttpRequest& request, net::HttpReply reply);
  void Callback(const net::HttpRequest& request, net::HttpReply reply);
  // The account of the person, which is made at the first sign-in.
  void FindAccount(const oauth::Person& person, std::function<void(Result<Account>)> done);
  std::string CookieName(std::string_view name) const;
  std::string Cookie(std::string_view name, std::string_view value, Duration life) const;

  const Access& access_;
  Registry& registry_;
  Scheduler& home_;
  const SystemClock clock_;
  const std::unique_ptr<oauth::SignIn> sign_in_;  // null: nobody can
  std::string key_;
  const std::string prefix_;
  const bool https_;  // browsers come that way
  const std::string person_cookie_;
  const std::string attempt_cookie_;
  RateLimiter attempts_{{.per_second = 0.2, .burst = 20}};  // of one address
};

}  // namespace openseat::app
