#include "net/origin.h"

#include <algorithm>

#include "base/text.h"
#include "net/url.h"

namespace openseat::net {
namespace {

// The part after "http://" or "https://"; "" for any other scheme.
std::string_view AuthorityOf(std::string_view origin) {
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (origin.starts_with(scheme)) return origin.substr(scheme.size());
  }
  return {};
}

bool IsBrowser(const HttpRequest& request) {
  return request.headers.Get("User-Agent").starts_with("Mozilla/");
}

// Whether a page of that origin came from the host that this request was sent to: with TLS, if we know that it was sent
// with TLS. Some native libraries leave the port out of the Origin that they make up, or always begin it with http://;
// a browser leaves it out for a page of port 80 or 443, which is another one. No page can change the User-Agent of a
// WebSocket, or of a request that needs no permission first.
bool IsOwn(std::string_view origin, const HttpRequest& request) {
  const std::string_view authority = AuthorityOf(origin);
  const std::string_view host = request.headers.Get("Host");
  const bool is_browser = IsBrowser(request);
  if (HostOnly(authority).empty()) return false;
  if (is_browser && request.https && origin.starts_with("http://")) return false;
  if (AsciiLower(authority) == AsciiLower(host)) return true;
  if (is_browser) return false;
  const bool has_port = !authority.ends_with(']') && authority.find(':') != std::string_view::npos;
  return !has_port && HostOnly(authority) == HostOnly(host);
}

// A person clicked on a link to a page; the one that had the link can neither read the answer nor make it do anything.
bool IsFollowedLink(const HttpRequest& request) {
  return request.page && (request.method == Method::kGet || request.method == Method::kHead) &&
         !request.headers.Has("Upgrade") && request.headers.Get("Sec-Fetch-Mode") == "navigate" &&
         request.headers.Get("Sec-Fetch-Dest") == "document";
}

}  // namespace

std::string HostOnly(std::string_view text) {
  if (text.starts_with('[')) {
    const std::size_t end = text.find(']');
    if (end == std::string_view::npos || (end + 1 < text.size() && text[end + 1] != ':')) return {};
    text = text.substr(1, end - 1);
  } else if (const std::size_t colon = text.find(':'); colon == text.rfind(':')) {
    text = text.substr(0, colon);
  }
  return AsciiLower(text);
}

Result<std::string> ParseOrigin(std::string_view text) {
  std::string origin = AsciiLower(text);
  if (origin.ends_with('/')) origin.pop_back();
  const std::string_view authority = AuthorityOf(origin);
  if (HostOnly(authority).empty() || authority.find_first_of("/?#@* \t") != std::string_view::npos) {
    return Fail(ErrorCode::kInvalid, "an origin is http://HOST:PORT or https://HOST:PORT; got " + Quote(text));
  }
  return origin;
}

std::string AllowedOrigin(const HttpRequest& request, std::span<const std::string> allowed) {
  if (allowed.empty()) return {};
  const std::string_view origin = request.headers.Get("Origin");
  return std::ranges::find(allowed, AsciiLower(origin)) == allowed.end() ? std::string() : std::string(origin);
}

Result<void> CheckPage(const HttpRequest& request, std::span<const std::string> allowed) {
  const std::string_view origin = request.headers.Get("Origin");
  if (!origin.empty()) {
    if (IsOwn(origin, request)) return {};
    if (!AllowedOrigin(request, allowed).empty()) return {};
    return Fail(
        ErrorCode::kDenied,
        "pages of " + std::string(origin) +
            " may not use this server; its owner can allow them: origins in section [access] of the config file",
        "Origin");
  }
  if (EqualsIgnoringCase(request.headers.Get("Sec-Fetch-Site"), "cross-site") && !IsFollowedLink(request)) {
    return Fail(ErrorCode::kDenied,
                "pages of other sites may not use this server; its owner can allow them: origins in section [access] "
                "of the config file",
                "Sec-Fetch-Site");
  }
  return {};
}

Result<void> CheckGamePage(const HttpRequest& request, std::span<const std::string> allowed) {
  const std::string_view origin = request.headers.Get("Origin");
  const std::size_t scheme = origin.find("://");
  if (scheme != std::string_view::npos && IsLoopbackHost(HostOnly(origin.substr(scheme + 3)))) return {};
  // A page of another site whose name resolves to this machine has its server's origin, and so seems to be our own.
  const std::string_view host = request.headers.Get("Host");
  const bool rebound = request.loopback && IsBrowser(request) && !IsLoopbackHost(HostOnly(host)) &&
                       AllowedOrigin(request, allowed).empty();
  Result<void> page = rebound ? Fail(ErrorCode::kDenied, "", "Host") : CheckPage(request, allowed);
  if (!page) {
    const std::string_view site = rebound ? host : origin;
    page.error().message = (site.empty() ? "pages of other sites" : "pages of " + std::string(site)) +
                           " may not use this program; use --allow-origin to allow them";
  }
  return page;
}

}  // namespace openseat::net
