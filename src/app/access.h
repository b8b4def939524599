// Who may call what: the one guard before every request and every WebSocket, whatever is spoken behind it. Connections
// from this machine need no token; from elsewhere the console and management need the admin token, made at first start
// and printed once. Browsers are held to their own origin, and to the names under which the server is known.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "app/audit_log.h"
#include "base/guesses.h"
#include "base/rate_limit.h"
#include "base/result.h"
#include "net/http.h"

namespace openseat::app {

// Who may play by the Neuro API and Chimera without a token.
enum class Games : std::uint8_t {
  kLocal,  // those on this machine
  kOpen,   // everybody
  kToken,  // nobody
};

struct AccessOptions {
  std::vector<std::string> hosts{};  // names under which the server is reached, besides loopback's; in lower case
  std::vector<std::string>
      origins{};  // of pages that may use the server besides its own; as net::ParseOrigin gives them
  Games games = Games::kLocal;
  RateLimit wrong{.per_second = 1, .burst = 100};  // tokens, keys and names that one address may be wrong about
};

class Access {
 public:
  // Reads the token's hash from `data_dir`/admin-token.sha256, or makes a token and keeps its hash there; `fresh_token`
  // is then the token itself, for the one time that it is shown.
  static Result<Access> Open(const std::string& data_dir, AccessOptions options);

  const std::string& fresh_token() const { return fresh_token_; }

  // How often somebody may be wrong about a secret, for whoever asks for one. Each wrong one is in the audit log.
  Guesses& guesses() const { return watch_->guesses; }
  AuditLog& audit() const { return watch_->audit; }

  // The guard. What changes something is in the audit log from here on. kBusy where the address was wrong too often;
  // kDenied for a name under which the server is not known, a page that may not use it (net::CheckPage), and
  // a token that is good for other things only; kUnauthorized where the admin token is needed and does not come. Any
  // thread.
  Result<void> Check(const net::HttpRequest& request) const;

  bool IsAdminToken(std::string_view token) const;
  // Whether games may be played without a token (game_door.h).
  bool GamesOpenTo(const net::HttpRequest& request) const;

 private:
  struct Watch {
    Watch(const std::string& data_dir, RateLimit wrong);
    const SystemClock clock;
    AuditLog audit;
    Guesses guesses;
  };
  Result<void> CheckAdmin(const net::HttpRequest& request) const;

  std::string token_hash_;  // hexadecimal SHA-256
  std::string fresh_token_;
  AccessOptions options_;
  std::unique_ptr<Watch> watch_;
};

// Whether what lies at this path is for those who run the server: from elsewhere it needs the admin token.
bool NeedsAdmin(std::string_view path);

}  // namespace openseat::app
