#include "net/url.h"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <array>
#include <charconv>

#include "base/text.h"

namespace openseat::net {
namespace {

// Removes the part of `text` before `separator` from its front; all of it if there is no separator.
std::string_view TakeUntil(std::string_view& text, char separator) {
  const std::size_t at = text.find(separator);
  const std::string_view part = text.substr(0, at);
  text = at == std::string_view::npos ? std::string_view() : text.substr(at + 1);
  return part;
}

}  // namespace

Result<std::string> PercentDecode(std::string_view text, bool plus_is_space) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '+' && plus_is_space) {
      out.push_back(' ');
    } else if (text[i] != '%') {
      out.push_back(text[i]);
    } else {
      const int high = i + 2 < text.size() ? HexValue(text[i + 1]) : -1;
      const int low = i + 2 < text.size() ? HexValue(text[i + 2]) : -1;
      if (high < 0 || low < 0) return Fail(ErrorCode::kParse, "a \"%\" in the URL is not followed by two hex digits");
      if (high == 0 && low == 0) return Fail(ErrorCode::kParse, "the URL has an encoded zero byte");
      out.push_back(static_cast<char>(high << 4 | low));
      i += 2;
    }
  }
  return out;
}

Result<Target> ParseTarget(std::string_view target) {
  Target out;
  if (target == "*") {
    out.path = out.origin = "*";
    return out;
  }
  if (!target.starts_with('/')) {
    const std::size_t scheme = target.find("://");
    const std::string_view name = target.substr(0, scheme);
    if (scheme == std::string_view::npos || (!EqualsIgnoringCase(name, "http") && !EqualsIgnoringCase(name, "https"))) {
      return Fail(ErrorCode::kParse, "the request target must begin with \"/\", \"http://\" or \"https://\"");
    }
    target.remove_prefix(scheme + 3);
    const std::size_t path = target.find_first_of("/?#");
    out.authority = target.substr(0, path);
    if (out.authority.empty()) return Fail(ErrorCode::kParse, "the request target names no host");
    if (out.authority.find('@') != std::string::npos) {
      return Fail(ErrorCode::kParse, "the request target names a user");
    }
    target = path == std::string_view::npos ? std::string_view() : target.substr(path);
  }
  target = target.substr(0, target.find('#'));
  if (!target.starts_with('/')) out.origin = "/";
  out.origin += target;
  std::string_view query = target;
  std::string_view path = TakeUntil(query, '?');
  if (path.empty()) path = "/";
  auto decoded = PercentDecode(path);
  if (!decoded) return Fail(std::move(decoded.error()));
  out.path = std::move(*decoded);
  path.remove_prefix(1);
  for (bool more = true; more;) {
    more = path.find('/') != std::string_view::npos;
    auto segment = PercentDecode(TakeUntil(path, '/'));
    if (!segment) return Fail(std::move(segment.error()));
    out.segments.push_back(std::move(*segment));
  }
  while (!query.empty()) {
    std::string_view value = TakeUntil(query, '&');
    if (value.empty()) continue;
    auto name = PercentDecode(TakeUntil(value, '='), true);
    if (!name) return Fail(std::move(name.error()));
    auto decoded_value = PercentDecode(value, true);
    if (!decoded_value) return Fail(std::move(decoded_value.error()));
    out.query.emplace_back(std::move(*name), std::move(*decoded_value));
  }
  return out;
}

std::string Url::Authority() const {
  std::string out = host.find(':') == std::string::npos ? host : fmt::format("[{}]", host);
  if (port != (tls ? 443 : 80)) out += fmt::format(":{}", port);
  return out;
}

namespace {

// `plain` is the scheme without TLS; with TLS an "s" follows.
Result<Url> ParseUrl(std::string_view url, std::string_view plain, std::string_view kind) {
  const auto fail = [url, kind](std::string_view why) {
    return Fail(ErrorCode::kInvalid, fmt::format("\"{}\" is not a valid {} URL: {}", url, kind, why));
  };
  for (const char c : url) {
    if (static_cast<unsigned char>(c) <= 0x20 || c == 0x7f) return fail("it has a space or control character");
    if (c == '\\') return fail("it has a backslash");
  }
  const std::string expected = fmt::format("it must begin with {0}:// or {0}s://", plain);
  const std::size_t scheme = url.find("://");
  if (scheme == std::string_view::npos) return fail(expected);
  Url out;
  if (EqualsIgnoringCase(url.substr(0, scheme), fmt::format("{}s", plain))) {
    out.tls = true;
    out.port = 443;
  } else if (!EqualsIgnoringCase(url.substr(0, scheme), plain)) {
    return fail(expected);
  }
  std::string_view rest = url.substr(scheme + 3);
  const std::size_t path = rest.find_first_of("/?#");
  std::string_view authority = rest.substr(0, path);
  std::string_view target = path == std::string_view::npos ? std::string_view() : rest.substr(path);
  target = target.substr(0, target.find('#'));
  out.target = fmt::format("{}{}", target.starts_with('/') ? "" : "/", target);
  if (authority.find('@') != std::string_view::npos) return fail("a user name is not supported");
  std::string_view port;
  if (authority.starts_with('[')) {
    const std::size_t end = authority.find(']');
    if (end == std::string_view::npos) return fail("the \"[\" has no \"]\"");
    out.host = authority.substr(1, end - 1);
    port = authority.substr(end + 1);
    if (!port.empty() && !port.starts_with(':')) return fail("only a port may follow the \"]\"");
  } else {
    const std::size_t colon = authority.find(':');
    out.host = authority.substr(0, colon);
    if (colon != std::string_view::npos) port = authority.substr(colon);
  }
  if (out.host.empty()) return fail("the host is missing");
  if (port.size() > 1) {
    port.remove_prefix(1);
    unsigned number = 0;
    const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), number);
    if (error != std::errc() || end != port.data() + port.size() || number == 0 || number > 65535) {
      return fail("the port must be between 1 and 65535");
    }
    out.port = static_cast<std::uint16_t>(number);
  }
  return out;
}

}  // namespace

Result<Url> ParseWebSocketUrl(std::string_view url) {
  return ParseUrl(url, "ws", "WebSocket");
}

Result<Url> ParseHttpUrl(std::string_view url) {
  return ParseUrl(url, "http", "HTTP");
}

bool IsLoopbackHost(std::string_view host) {
  if (EqualsIgnoringCase(host, "localhost")) return true;
  if (host.find('\0') != std::string_view::npos) return false;
  const std::string text(host);
  std::array<unsigned char, 4> v4{};
  if (inet_pton(AF_INET, text.c_str(), v4.data()) == 1) return v4[0] == 127;
  in6_addr v6{};
  return inet_pton(AF_INET6, text.c_str(), &v6) == 1 && IN6_IS_ADDR_LOOPBACK(&v6);
}

}  // namespace openseat::net
