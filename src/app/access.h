// Who may call what: the one guard in front of every request and every WebSocket, for all protocols. Connections from
// this machine need no token; from elsewhere the console and management need the admin token, which is made at first
// start and printed once. Browsers may use the server only from its own origin, and under the names by which the server
// is known.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "app/audit_log.h"
#include "base/guesses.h"
#include "base/metrics.h"
#include "base/rate_limit.h"
#include "base/result.h"
#include "base/scheduler.h"
#include "core/registry.h"
#include "net/http.h"

namespace openseat::app {

// Who may play over the Neuro API, Chimera and OpenEnv without a token.
enum class Games : std::uint8_t {
  kLocal,  // clients on this machine
  kOpen,   // everybody
  kToken,  // nobody
};

struct AccessOptions {
  std::vector<std::string> hosts{};  // names of the server, in addition to loopback's; in lower case
  std::vector<std::string>
      origins{};  // origins of other pages that may use the server, in the form of net::ParseOrigin
  Games games = Games::kLocal;
  bool new_token = false;                          // instead of the one that there is
  RateLimit wrong{.per_second = 1, .burst = 100};  // wrong tokens, keys and names allowed per address
};

class Access {
 public:
  // Reads the token's hash from `data_dir`/admin-token.sha256, or makes a token. `fresh_token` is then the token
  // itself; once it was shown, KeepFreshToken stores its hash there, so a start that failed before loses nothing.
  // `metrics` may be null; otherwise it outlives this.
  static Result<Access> Open(const std::string& data_dir, AccessOptions options, Metrics* metrics = nullptr);

  const std::string& fresh_token() const { return fresh_token_; }
  // From now on it is the token, and the audit log says that there is a new one. Errors: kIo.
  Result<void> KeepFreshToken() const;

  // In a cluster, the token is that of the registry, and the hash of the file is only what it begins with. Instead of
  // KeepFreshToken, and before it is shown: if the cluster has a token, that is ours, and there is no fresh one. Waits.
  // Errors: the registry's.
  Result<void> ShareToken(Registry& registry);
  // Where API keys are looked up, so that wrong ones count; `home` is where the registry answers. Both outlive it, and
  // no key is looked up without them. Before the first request.
  void LookUpKeys(Registry& registry, Scheduler& home);
  // What the registry has now. Any thread.
  void UseHash(const std::string& hash) const;

  // Counts wrong guesses of secrets, for every caller that checks one. Each wrong one is in the audit log.
  Guesses& guesses() const { return watch_->guesses; }
  AuditLog& audit() const { return watch_->audit; }

  // The guard. `signed_in`: somebody who may use this path has signed in, and needs no admin token. Anything that
  // changes state is in the audit log from here on. Errors: kBusy if the address was wrong too often; kDenied for a
  // name by which the server is not known, a page that may not use it (net::CheckPage), and a token that is only good
  // for other things; kUnauthorized if the admin token is needed and missing. Any thread.
  Result<void> Check(const net::HttpRequest& request, bool signed_in = false) const;

  // REQUIRES that the caller counts wrong tokens (guesses), as BearsAdminToken does.
  bool IsAdminToken(std::string_view token) const;
  // Whether `token`, which `request` bears, is the admin token. One that is not counts as a wrong guess, but for API
  // keys and none. An address that was wrong too often is not believed.
  bool BearsAdminToken(const net::HttpRequest& request, std::string_view token) const;
  // Whether games may be played without a token (game_door.h).
  bool GamesOpenTo(const net::HttpRequest& request) const;

 private:
  struct Watch {
    Watch(const std::string& data_dir, RateLimit wrong, Metrics* metrics);
    const SystemClock clock;
    AuditLog audit;
    Guesses guesses;
    mutable std::mutex mutex;
    std::string token_hash;  // SHA-256 in hexadecimal; guarded by mutex
  };
  Result<void> CheckAdmin(const net::HttpRequest& request, bool signed_in = false) const;
  // Later, if no valid key has this secret, that counts as a wrong guess.
  void CountWrongKey(std::string key, std::string from) const;

  std::string TokenHash() const;
  void RecordFreshToken() const;

  std::string token_file_;
  std::string fresh_token_;
  AccessOptions options_;
  std::unique_ptr<Watch> watch_;
  Registry* registry_ = nullptr;
  Scheduler* home_ = nullptr;
};

// Whether this path belongs to the operator: from elsewhere it needs the admin token.
bool NeedsAdmin(std::string_view path);
// Whether it is open to people who have signed in, too: their decks, and the cards for them.
bool IsOfPeople(std::string_view path);

}  // namespace openseat::app
