#include "app/access.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <utility>

#include "app/ask_registry.h"
#include "base/digest.h"
#include "base/file.h"
#include "base/log.h"
#include "base/secure_random.h"
#include "base/text.h"
#include "core/registry.h"
#include "net/bearer.h"
#include "net/client_address.h"
#include "net/origin.h"
#include "net/url.h"

namespace openseat::app {
namespace {

constexpr std::size_t kTokenLength = 32;  // 160 bits
constexpr std::size_t kHashLength = 64;

}  // namespace

bool NeedsAdmin(std::string_view path) {
  return path.starts_with("/api/") || path == "/metrics";
}

bool IsOfPeople(std::string_view path) {
  return path == "/api/v1/decks" || path.starts_with("/api/v1/decks/") || path.starts_with("/api/v1/hosted-games");
}

Access::Watch::Watch(const std::string& data_dir, RateLimit wrong, Metrics* metrics)
    : audit(data_dir),
      guesses(
          wrong, clock,
          [this](std::string_view what, std::string_view from, std::string_view who) {
            audit.Write({.event = "wrong-secret",
                         .what = std::string(what),
                         .from = std::string(from),
                         .who = std::string(who)});
          },
          metrics) {}

Result<Access> Access::Open(const std::string& data_dir, AccessOptions options, Metrics* metrics) {
  Access access;
  access.options_ = std::move(options);
  access.watch_ = std::make_unique<Watch>(data_dir, access.options_.wrong, metrics);
  access.token_file_ = data_dir + "/admin-token.sha256";
  const std::string& path = access.token_file_;
  if (std::ifstream file(path); file && !access.options_.new_token) {
    std::string& hash = access.watch_->token_hash;
    file >> hash;
    if (hash.size() != kHashLength) {
      return Fail(ErrorCode::kParse,
                  path + " should contain a SHA-256 in hexadecimal; delete it to get a new admin token", path);
    }
    return access;
  }
  access.fresh_token_ = SecureToken(kTokenLength);
  access.watch_->token_hash = Sha256Hex(access.fresh_token_);
  return access;
}

Result<void> Access::KeepFreshToken() const {
  if (fresh_token_.empty()) return {};
  const std::string& path = token_file_;
  const std::string line = TokenHash() + "\n";
  if (options_.new_token) {
    Result<void> replaced = ReplaceFile(path, line);
    if (replaced) RecordFreshToken();
    return replaced;
  }
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  const bool written = file >= 0 && write(file, line.data(), line.size()) == static_cast<ssize_t>(line.size());
  const std::string reason = SystemMessage(errno);
  if (file >= 0) close(file);
  // A partly written file would be taken for the hash at the next start.
  if (file >= 0 && !written) unlink(path.c_str());
  if (!written) return Fail(ErrorCode::kIo, "cannot keep the admin token's hash in " + path + ": " + reason, path);
  RecordFreshToken();
  return {};
}

Result<void> Access::ShareToken(Registry& registry) {
  const std::string ours = TokenHash();
  const std::string name(kAdminTokenName);
  Result<std::string> shared = AskRegistry<std::string>(
      [&](Scheduler& scheduler, const auto& done) { registry.FindShared(name, scheduler, done); });
  while (shared && *shared != ours) {
    if (!shared->empty() && !options_.new_token) {
      if (fresh_token_.empty()) log::Warn("the admin token is the cluster's, not that of {}", token_file_);
      fresh_token_.clear();
      UseHash(*shared);
      break;
    }
    shared = AskRegistry<std::string>(
        [&](Scheduler& scheduler, const auto& done) { registry.ReplaceShared(name, *shared, ours, scheduler, done); });
  }
  if (!shared) return Fail(shared.error());
  RecordFreshToken();
  return {};
}

void Access::RecordFreshToken() const {
  if (fresh_token_.empty()) return;
  audit().Write(CommandEntry(options_.new_token ? "new admin token: --new-token" : "new admin token: there was none"));
}

void Access::UseHash(const std::string& hash) const {
  if (hash.empty()) return;
  const std::lock_guard lock(watch_->mutex);
  watch_->token_hash = hash;
}

std::string Access::TokenHash() const {
  const std::lock_guard lock(watch_->mutex);
  return watch_->token_hash;
}

void Access::LookUpKeys(Registry& registry, Scheduler& home) {
  registry_ = &registry;
  home_ = &home;
}

void Access::CountWrongKey(std::string key, std::string from) const {
  if (registry_ == nullptr) return;
  registry_->Authenticate(
      std::move(key), *home_, [watch = watch_.get(), from = std::move(from)](const Result<ApiKey>& found) {
        const bool wrong =
            !found && (found.error().code == ErrorCode::kNotFound || found.error().code == ErrorCode::kDenied);
        if (wrong) static_cast<void>(watch->guesses.Wrong("API key", from).has_value());
      });
}

Result<void> Access::Check(const net::HttpRequest& request, bool signed_in) const {
  if (request.loopback) {
    // A page of another site whose name resolves to this machine must not reach the server through the browser.
    const std::string_view named = request.headers.Get("Host");
    const std::string host = net::HostOnly(named);
    if (!named.empty() && !net::IsLoopbackHost(host) &&
        std::ranges::find(options_.hosts, host) == options_.hosts.end()) {
      return Fail(ErrorCode::kDenied,
                  "this server is not reached as \"" + (host.empty() ? std::string(named) : host) +
                      "\"; add the name to hosts in section [server] of the config file",
                  "Host");
    }
  }
  if (Result<void> page = net::CheckPage(request, options_.origins); !page) return page;
  return NeedsAdmin(request.path) ? CheckAdmin(request, signed_in) : Result<void>();
}

Result<void> Access::CheckAdmin(const net::HttpRequest& request, bool signed_in) const {
  const bool local = net::IsLocal(request);
  const std::string from = net::ClientAddress(request);
  if (!local && !signed_in) {
    const std::string token = net::BearerToken(request);
    if (token.empty()) {
      return Fail(ErrorCode::kUnauthorized, "from another machine this needs the admin token: Authorization: Bearer …",
                  "Authorization");
    }
    if (Result<void> heard = guesses().MayTry(from); !heard) return heard;
    if (token.starts_with(kKeyPrefix)) {
      CountWrongKey(token, from);  // the answer is the same for all keys, so it need not wait
      return Fail(ErrorCode::kDenied, "API keys do not open this; from another machine it needs the admin token",
                  "Authorization");
    }
    if (!IsAdminToken(token)) {
      if (Result<void> told = guesses().Wrong("admin token", from); !told) return told;
      return Fail(ErrorCode::kUnauthorized, "this is not the admin token, which this needs from another machine",
                  "Authorization");
    }
  }
  const bool looks = request.method == net::Method::kGet || request.method == net::Method::kHead ||
                     request.method == net::Method::kOptions;
  if (!looks) {
    audit().Write({.event = signed_in ? "player" : "admin",
                   .what = std::string(net::MethodName(request.method)) + " " + WithoutSecrets(request.path),
                   .from = from,
                   .who = signed_in ? "signed in"
                          : local   ? "this machine"
                                    : "admin token"});
  }
  return {};
}

bool Access::IsAdminToken(std::string_view token) const {
  return EqualSecrets(Sha256Hex(token), TokenHash());
}

bool Access::BearsAdminToken(const net::HttpRequest& request, std::string_view token) const {
  if (token.empty() || token.starts_with(kKeyPrefix)) return false;
  const std::string from = net::ClientAddress(request);
  if (!guesses().MayTry(from)) return false;
  if (IsAdminToken(token)) return true;
  static_cast<void>(guesses().Wrong("admin token", from).has_value());
  return false;
}

bool Access::GamesOpenTo(const net::HttpRequest& request) const {
  switch (options_.games) {
    case Games::kLocal:
      return net::IsLocal(request);
    case Games::kOpen:
      return true;
    case Games::kToken:
      return false;
  }
  return false;
}

}  // namespace openseat::app
