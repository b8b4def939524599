// Who may call what. Connections from this machine need no token; from elsewhere the console and management need the
// admin token, made at first start and printed once. Browsers are held to their own origin.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "net/http.h"

namespace openseat::app {

inline constexpr std::string_view kTokenSubprotocol = "openseat.bearer.";

class Access {
 public:
  // Reads the token's hash from `data_dir`/admin-token.sha256, or makes a token and keeps its hash there; `fresh_token`
  // is then the token itself, for the one time that it is shown. `hosts`: names under which the server is reached,
  // besides loopback's.
  static Result<Access> Open(const std::string& data_dir, std::vector<std::string> hosts);

  const std::string& fresh_token() const { return fresh_token_; }
  Result<void> Check(const net::HttpRequest& request) const;

  // For protocols that ask for tokens in their own way. Whether a page of the request's Origin may call: one of this
  // server's own names or of this machine. No Origin is no page.
  Result<void> CheckOrigin(const net::HttpRequest& request) const;
  // Whether the request was made on this machine: it came over loopback, and not through a proxy there that says for
  // whom it asks (Forwarded, X-Forwarded-For, X-Real-IP, Via).
  static bool IsLocal(const net::HttpRequest& request);
  // Whether the request was made on this machine or bears the admin token: in Authorization or, since a browser's
  // WebSocket can set no header, as the subprotocol kTokenSubprotocol + token that it offers.
  bool Trusts(const net::HttpRequest& request) const;
  bool IsAdminToken(std::string_view token) const;

 private:
  std::string token_hash_;  // hexadecimal SHA-256
  std::string fresh_token_;
  std::vector<std::string> hosts_;
};

// Whether what lies at this path is for those who run the server: from elsewhere it needs the admin token.
bool NeedsAdmin(std::string_view path);

// Of "host", "host:port", "[::1]", "[::1]:port" or "::1", the host without brackets, in lower case; "" where something
// else stands behind the bracket.
std::string HostOnly(std::string_view host_and_port);

}  // namespace openseat::app
