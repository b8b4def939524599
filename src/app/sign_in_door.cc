#include "app/sign_in_door.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <utility>

#include "app/ask_registry.h"
#include "base/budget.h"
#include "base/digest.h"
#include "base/log.h"
#include "base/secure_random.h"
#include "base/text.h"
#include "net/client_address.h"
#include "net/json_request.h"

namespace openseat::app {
namespace {

using net::HttpReply;
using net::HttpRequest;
using net::HttpResponse;
using net::Method;

// Over https, no other host or port can set or replace a cookie whose name begins like this (RFC 6265bis, 4.1.3.2).
constexpr std::string_view kOfThisHost = "__Host-";
constexpr std::size_t kKeyLength = 52;  // 260 bits
constexpr std::size_t kMaxTo = 500;

// A page of ours; anything else might lead people elsewhere.
std::string PageOf(const HttpRequest& request) {
  const std::string* to = request.Query("to");
  const bool ours = to != nullptr && to->size() <= kMaxTo && to->starts_with("#/") &&
                    to->find_first_of("\r\n\"<> ") == std::string::npos;
  return ours ? *to : "#/";
}

HttpResponse GoTo(const std::string& url) {
  HttpResponse response;
  response.status = 302;
  response.headers.Add("Location", url);
  response.headers.Add("Cache-Control", "no-store");
  return response;
}

net::RouteInfo AuthInfo(std::string operation, std::string summary) {
  net::RouteInfo info;
  info.operation = std::move(operation);
  info.summary = std::move(summary);
  info.tag = "accounts";
  return info;
}

}  // namespace

Result<std::string> SessionKey(const std::string& data_dir) {
  const std::string path = data_dir + "/session-key";
  std::string key;
  if (std::ifstream file(path); file >> key) {
    if (key.size() == kKeyLength) return key;
    return Fail(ErrorCode::kParse,
                path + " should contain a key of " + std::to_string(kKeyLength) +
                    " characters; delete it, and everybody has to sign in again",
                path);
  }
  key = SecureToken(kKeyLength);
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  const bool written = file >= 0 && write(file, key.data(), key.size()) == static_cast<ssize_t>(key.size());
  const std::string reason = SystemMessage(errno);
  if (file >= 0) close(file);
  if (file >= 0 && !written) unlink(path.c_str());
  if (!written) return Fail(ErrorCode::kIo, "cannot keep the key of the cookies in " + path + ": " + reason, path);
  return key;
}

SignInDoor::SignInDoor(const oauth::SignInOptions& options, std::string key, std::string prefix, const Access& access,
                       Registry& registry, net::HttpCaller& caller, Scheduler& home)
    : access_(access),
      registry_(registry),
      home_(home),
      sign_in_(options.issuer.empty() ? nullptr : std::make_unique<oauth::SignIn>(options, caller, home)),
      key_(std::move(key)),
      prefix_(std::move(prefix)),
      https_(options.public_url.starts_with("https://")),
      person_cookie_(CookieName("openseat_person")),
      attempt_cookie_(CookieName("openseat_attempt")) {}

std::string SignInDoor::CookieName(std::string_view name) const {
  return std::string(https_ ? kOfThisHost : std::string_view()) + std::string(name);
}

Result<void> SignInDoor::ShareKey() {
  if (!sign_in_) return {};
  const std::string name(kSessionKeyName);
  Result<std::string> shared = AskRegistry<std::string>(
      [&](Scheduler& scheduler, const auto& done) { registry_.FindShared(name, scheduler, done); });
  if (shared && shared->empty()) {
    shared = AskRegistry<std::string>(
        [&](Scheduler& scheduler, const auto& done) { registry_.ReplaceShared(name, "", key_, scheduler, done); });
  }
  if (!shared) return Fail(shared.error());
  key_ = *std::move(shared);
  return {};
}

std::optional<oauth::Person> SignInDoor::PersonOf(const HttpRequest& request) const {
  if (!sign_in_) return std::nullopt;
  const std::string_view sealed = oauth::CookieOf(request.headers.Get("Cookie"), person_cookie_);
  return sealed.empty() ? std::nullopt : oauth::OpenPerson(sealed, clock_.Now(), key_);
}

std::string SignInDoor::Cookie(std::string_view name, std::string_view value, Duration life) const {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(life).count();
  std::string cookie = std::string(name) + "=" + std::string(value) + "; Path=/; Max-Age=" + std::to_string(seconds) +
                       "; HttpOnly; SameSite=Lax";
  if (https_) cookie += "; Secure";
  return cookie;
}

void SignInDoor::AddRoutes(net::Router& router) {
  net::RouteInfo me = AuthInfo("whoAmI", "Whether people can sign in here, and who has.");
  const json::Value text = json::Object{{"type", "string"}};
  me.response_schema = json::Object{
      {"type", "object"},
      {"required", json::Array{"offered"}},
      {"properties",
       json::Object{
           {"offered", json::Object{{"type", "boolean"}}}, {"provider", text}, {"account", text}, {"name", text}}}};
  me.response_example =
      json::Object{{"offered", true}, {"provider", "Example"}, {"account", "a-k3fq"}, {"name", "Ana"}};
  router.Add(Method::kGet, "/auth/me", me,
             [this](const HttpRequest& request, HttpReply reply) { Me(request, std::move(reply)); });
  net::RouteInfo login = AuthInfo("signIn", "Leads to the provider, and from there to `/auth/callback`.");
  login.parameters = {{net::RouteParameter::In::kQuery, "to", "The page to come back to: `#/play`.", text}};
  login.status = 302;
  login.page = true;
  login.answers = {{404, "Nobody can sign in here."}, {429, "Too many attempts."}};
  router.Add(Method::kGet, "/auth/login", login,
             [this](const HttpRequest& request, HttpReply reply) { Login(request, std::move(reply)); });
  net::RouteInfo callback = AuthInfo("signedIn", "Where the provider sends the browser.");
  callback.parameters = {{net::RouteParameter::In::kQuery, "code", "From the provider.", text},
                         {net::RouteParameter::In::kQuery, "state", "That of the attempt.", text}};
  callback.status = 302;
  callback.page = true;
  callback.answers = {{403, "The attempt is unknown, or the provider's answer cannot be used."}};
  router.Add(Method::kGet, std::string(oauth::kCallbackPath), callback,
             [this](const HttpRequest& request, HttpReply reply) { Callback(request, std::move(reply)); });
  net::RouteInfo logout = AuthInfo("signOut", "Forgets who signed in.");
  logout.body_optional = true;
  logout.response_schema = json::Object{{"type", "object"}};
  router.Add(Method::kPost, "/auth/logout", logout, [this](const HttpRequest&, HttpReply reply) {
    HttpResponse response = HttpResponse::Json(200, json::Object());
    if (sign_in_) response.headers.Add("Set-Cookie", Cookie(person_cookie_, "", Duration(0)));
    std::move(reply).Send(std::move(response));
  });
}

void SignInDoor::Me(const HttpRequest& request, HttpReply reply) const {
  json::Object me{{"offered", sign_in_ != nullptr}};
  if (sign_in_ && !sign_in_->options().name.empty()) me["provider"] = sign_in_->options().name;
  if (const std::optional<oauth::Person> person = PersonOf(request)) {
    me["account"] = person->account;
    me["name"] = person->name;
  }
  HttpResponse response = HttpResponse::Json(200, me);
  response.headers.Add("Cache-Control", "no-store");
  std::move(reply).Send(std::move(response));
}

void SignInDoor::Login(const HttpRequest& request, HttpReply reply) {
  const auto refuse = [&reply](const Error& error) { std::move(reply).Send(HttpResponse::FromError(error)); };
  if (!sign_in_) {
    return refuse({ErrorCode::kNotFound, "nobody can sign in here: section [sign_in] of the config file", {}});
  }
  if (const Duration wait = attempts_.Take(net::ClientAddress(request), clock_.Monotonic()); wait > Duration(0)) {
    const auto a_minute = static_cast<std::uint64_t>(attempts_.limit().per_second * 60);
    return refuse(RefuseFor(request.payer.get(), Limit::kSignIns, a_minute, wait).ToError());
  }
  const auto one = std::make_shared<net::OneReply>(std::move(reply));
  home_.Post([this, one, to = PageOf(request)] {
    const auto begun = [this, one](const Result<oauth::SignIn::Attempt>& attempt) {
      if (!attempt) return one->Send(HttpResponse::FromError(attempt.error()));
      HttpResponse response = GoTo(attempt->url);
      response.headers.Add("Set-Cookie", Cookie(attempt_cookie_, attempt->cookie, oauth::SignIn::kLife));
      one->Send(std::move(response));
    };
    sign_in_->Begin(to, begun, prefix_);
  });
}

void SignInDoor::Callback(const HttpRequest& request, HttpReply reply) {
  const auto one = std::make_shared<net::OneReply>(std::move(reply));
  const auto refuse = [one](const Error& error) { one->Send(HttpResponse::FromError(error)); };
  if (!sign_in_) return refuse({ErrorCode::kNotFound, "nobody can sign in here", {}});
  const std::string from = net::ClientAddress(request);
  if (const Result<void> heard = access_.guesses().MayTry(from); !heard) return refuse(heard.error());
  const std::string* state = request.Query("state");
  const std::string* code = request.Query("code");
  const std::string_view mine = oauth::CookieOf(request.headers.Get("Cookie"), attempt_cookie_);
  // Another page may have led this browser here, to sign it in as somebody else.
  if (state == nullptr || mine.empty() || !EqualSecrets(*state, oauth::SignIn::StateOf(mine))) {
    static_cast<void>(access_.guesses().Wrong("sign-in state", from).has_value());
    return refuse({ErrorCode::kDenied, "this browser has not begun to sign in, or too long ago; try again", "state"});
  }
  if (code == nullptr) {
    const std::string* why = request.Query("error");
    return refuse({ErrorCode::kDenied,
                   "the provider did not let you in" +
                       (why == nullptr ? std::string() : ": " + Ellipsize(EscapeControls(*why), 100)),
                   "code"});
  }
  home_.Post([this, one, refuse, from, mine = std::string(mine), code = *code] {
    sign_in_->Finish(mine, code, [this, one, refuse, from](const Result<oauth::SignIn::Arrival>& arrival) {
      if (!arrival) return refuse(arrival.error());
      FindAccount(arrival->person, [this, one, refuse, from, arrival = *arrival](const Result<Account>& account) {
        if (!account) return refuse(account.error());
        const oauth::Person person{account->id.str(), arrival.person.name};
        access_.audit().Write({.event = "player", .what = "signed in", .from = from, .who = person.account});
        HttpResponse response = GoTo("/" + arrival.to);
        response.headers.Add(
            "Set-Cookie", Cookie(person_cookie_, oauth::SealPerson(person, clock_.Now(), key_), oauth::kSignedInFor));
        response.headers.Add("Set-Cookie", Cookie(attempt_cookie_, "", Duration(0)));
        one->Send(std::move(response));
      });
    });
  });
}

// Names of accounts are equal without regard to case, and subjects are not: hence the hash.
void SignInDoor::FindAccount(const oauth::Person& person, std::function<void(Result<Account>)> done) {
  const std::string name = "id-" + Sha256Hex(person.account).substr(0, 32);
  registry_.FindAccount(name, home_, [this, name, done = std::move(done)](Result<Account> found) {
    if (found || found.error().code != ErrorCode::kNotFound) return done(std::move(found));
    registry_.CreateAccount(name, home_, done);
  });
}

}  // namespace openseat::app
