#include "app/access.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <fstream>
#include <utility>

#include "base/digest.h"
#include "base/secure_random.h"
#include "base/text.h"
#include "net/url.h"
#include "net/websocket.h"

namespace openseat::app {
namespace {

constexpr std::size_t kTokenLength = 32;  // 160 bits
constexpr std::size_t kHashLength = 64;
// By which a proxy says for whom it asks, or that it is one.
constexpr std::array kProxyHeaders = {"Forwarded", "X-Forwarded-For", "X-Real-IP", "Via"};

}  // namespace

bool NeedsAdmin(std::string_view path) {
  return path.starts_with("/api/") || path == "/metrics";
}

std::string HostOnly(std::string_view text) {
  if (text.starts_with('[')) {
    const std::size_t end = text.find(']');
    if (end == std::string_view::npos || (end + 1 < text.size() && text[end + 1] != ':')) return {};
    text = text.substr(1, end - 1);
  } else if (const std::size_t colon = text.find(':'); colon == text.rfind(':')) {
    text = text.substr(0, colon);
  }
  std::string host(text);
  std::ranges::transform(host, host.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return host;
}

Result<Access> Access::Open(const std::string& data_dir, std::vector<std::string> hosts) {
  Access access;
  access.hosts_ = std::move(hosts);
  const std::string path = data_dir + "/admin-token.sha256";
  if (std::ifstream file(path); file) {
    file >> access.token_hash_;
    if (access.token_hash_.size() != kHashLength) {
      return Fail(ErrorCode::kParse,
                  path + " should hold a SHA-256 in hexadecimal; delete it to have a new admin token made", path);
    }
    return access;
  }
  access.fresh_token_ = SecureToken(kTokenLength);
  access.token_hash_ = Sha256Hex(access.fresh_token_);
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  const std::string line = access.token_hash_ + "\n";
  const bool written = file >= 0 && write(file, line.data(), line.size()) == static_cast<ssize_t>(line.size());
  const std::string reason = SystemMessage(errno);
  if (file >= 0) close(file);
  // What is left of it would be taken for the hash at the next start.
  if (file >= 0 && !written) unlink(path.c_str());
  if (!written) return Fail(ErrorCode::kIo, "cannot keep the admin token's hash in " + path + ": " + reason, path);
  return access;
}

Result<void> Access::Check(const net::HttpRequest& request) const {
  if (request.loopback) {
    // A page of another site that has its name point here must not reach the server through the browser.
    const std::string_view named = request.headers.Get("Host");
    const std::string host = HostOnly(named);
    if (!named.empty() && !net::IsLoopbackHost(host) && std::ranges::find(hosts_, host) == hosts_.end()) {
      return Fail(ErrorCode::kDenied,
                  "this server is not reached as \"" + (host.empty() ? std::string(named) : host) +
                      "\"; add the name to hosts in section [server] of the config file",
                  "Host");
    }
  }
  if (!NeedsAdmin(request.path)) return {};
  if (const std::string_view origin = request.headers.Get("Origin"); !origin.empty()) {
    const std::size_t scheme = origin.find("://");
    const std::string_view authority = scheme == std::string_view::npos ? origin : origin.substr(scheme + 3);
    if (authority != request.headers.Get("Host")) {
      return Fail(ErrorCode::kDenied, "pages of " + std::string(origin) + " may not use this API", "Origin");
    }
  }
  if (Trusts(request)) return {};
  return Fail(ErrorCode::kDenied, "from another machine this needs the admin token: Authorization: Bearer …",
              "Authorization");
}

Result<void> Access::CheckOrigin(const net::HttpRequest& request) const {
  const std::string_view origin = request.headers.Get("Origin");
  if (origin.empty()) return {};
  const std::size_t scheme = origin.find("://");
  const std::string host = scheme == std::string_view::npos ? "" : HostOnly(origin.substr(scheme + 3));
  if (!host.empty() && (net::IsLoopbackHost(host) || std::ranges::find(hosts_, host) != hosts_.end())) return {};
  return Fail(ErrorCode::kDenied, "pages of " + std::string(origin) + " may not use this server", "Origin");
}

bool Access::IsLocal(const net::HttpRequest& request) {
  return request.loopback &&
         std::ranges::none_of(kProxyHeaders, [&](const char* name) { return request.headers.Has(name); });
}

bool Access::Trusts(const net::HttpRequest& request) const {
  if (IsLocal(request)) return true;
  constexpr std::string_view kBearer = "Bearer ";
  const std::string_view authorization = request.headers.Get("Authorization");
  if (authorization.starts_with(kBearer)) return IsAdminToken(authorization.substr(kBearer.size()));
  if (!request.headers.Has("Upgrade")) return false;
  return std::ranges::any_of(net::OfferedSubprotocols(request), [&](std::string_view offered) {
    return offered.starts_with(kTokenSubprotocol) && IsAdminToken(offered.substr(kTokenSubprotocol.size()));
  });
}

bool Access::IsAdminToken(std::string_view token) const {
  return EqualSecrets(Sha256Hex(token), token_hash_);
}

}  // namespace openseat::app
