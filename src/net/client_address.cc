#include "net/client_address.h"

#include <arpa/inet.h>

#include <algorithm>
#include <charconv>
#include <ranges>
#include <utility>

#include "base/budget.h"
#include "base/text.h"

namespace openseat::net {
namespace {

using AddressBytes = std::array<std::uint8_t, 16>;

constexpr unsigned kMappedBits = 96;  // before an IPv4 address within an IPv6 one
// Entries of a list that are looked at, from its end: clients can make it as long as a request's headers may be.
constexpr int kMostHops = 16;

// An IPv4 address as ::ffff:…
std::optional<AddressBytes> ParseAddress(std::string_view text) {
  const std::string address(text.substr(0, text.find('%')));  // without the zone of a link-local address
  AddressBytes bytes{};
  if (inet_pton(AF_INET6, address.c_str(), bytes.data()) == 1) return bytes;
  bytes[10] = bytes[11] = 0xFF;
  if (inet_pton(AF_INET, address.c_str(), bytes.data() + 12) == 1) return bytes;
  return std::nullopt;
}

bool IsIpv4(std::string_view text) {
  return text.find(':') == std::string_view::npos;
}

std::string_view TrimmedEntry(std::string_view text) {
  constexpr std::string_view kAround = " \t\"";
  const std::size_t begin = text.find_first_not_of(kAround);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kAround) - begin + 1);
}

// The address in "192.0.2.7", "192.0.2.7:51234", "2001:db8::1", "[2001:db8::1]" and "[2001:db8::1]:51234"; "" for
// anything else.
std::string AddressIn(std::string_view entry) {
  entry = TrimmedEntry(entry);
  if (entry.starts_with('[')) {
    const std::size_t end = entry.find(']');
    if (end == std::string_view::npos) return {};
    entry = entry.substr(1, end - 1);
  } else if (const std::size_t colon = entry.find(':'); colon == entry.rfind(':')) {
    entry = entry.substr(0, colon);
  }
  return ParseAddress(entry) ? std::string(entry) : std::string();
}

// The address in an element of Forwarded (RFC 7239): for=192.0.2.7;proto=https;by="[2001:db8::1]".
std::string_view ForOf(std::string_view element) {
  constexpr std::string_view kFor = "for=";
  while (!element.empty()) {
    const std::size_t end = std::min(element.find(';'), element.size());
    const std::string_view pair = TrimmedEntry(element.substr(0, end));
    if (EqualsIgnoringCase(pair.substr(0, kFor.size()), kFor)) return pair.substr(kFor.size());
    element.remove_prefix(std::min(element.size(), end + 1));
  }
  return {};
}

bool IsTrusted(std::string_view address, const Proxies& proxies) {
  return AddressKey(address) == AddressKey("127.0.0.1") || proxies.Contains(address);
}

// The address for which the last proxy in the list asks that no other proxy asks for. "" if that is not an address, or
// too many proxies come after it. The list may span several headers with the same name.
std::string LastNamed(const Headers& headers, std::string_view header, const Proxies& proxies) {
  const bool is_forwarded = header == "Forwarded";
  int looked_at = 0;
  for (const auto& [name, value] : std::views::reverse(headers.all())) {
    if (!EqualsIgnoringCase(name, header)) continue;
    std::string_view rest = value;
    for (std::size_t comma = 0; comma != std::string_view::npos; rest = rest.substr(0, comma)) {
      if (++looked_at > kMostHops) return {};
      comma = rest.rfind(',');
      const std::string_view entry = comma == std::string_view::npos ? rest : rest.substr(comma + 1);
      std::string address = AddressIn(is_forwarded ? ForOf(entry) : entry);
      if (address.empty() || !IsTrusted(address, proxies)) return address;
    }
  }
  return {};
}

}  // namespace

Result<Proxies> Proxies::Parse(std::span<const std::string> texts) {
  Proxies proxies;
  for (const std::string& text : texts) {
    const std::size_t slash = text.find('/');
    const std::string_view address = std::string_view(text).substr(0, slash);
    const std::optional<AddressBytes> bytes = ParseAddress(address);
    const unsigned before = IsIpv4(address) ? kMappedBits : 0;
    unsigned bits = 128 - before;
    bool good = bytes.has_value();
    if (slash != std::string::npos) {
      const char* const end = text.data() + text.size();
      const auto parsed = std::from_chars(text.data() + slash + 1, end, bits);
      good = good && parsed.ec == std::errc() && parsed.ptr == end && bits > 1 && bits <= 128 - before;
    }
    if (!good) {
      return Fail(ErrorCode::kInvalid,
                  "a proxy is an address or a network, as in 10.0.0.5 or 10.0.0.0/8; got \"" + text + "\"");
    }
    proxies.networks_.push_back({*bytes, bits + before});
  }
  return proxies;
}

bool Proxies::Contains(std::string_view address) const {
  if (networks_.empty()) return false;
  const std::optional<AddressBytes> bytes = ParseAddress(address);
  if (!bytes) return false;
  return std::ranges::any_of(networks_, [&](const Network& network) {
    const std::size_t whole = network.bits / 8;
    if (!std::equal(bytes->begin(), bytes->begin() + static_cast<std::ptrdiff_t>(whole), network.address.begin())) {
      return false;
    }
    const unsigned rest = network.bits % 8;
    return rest == 0 || ((*bytes)[whole] ^ network.address[whole]) >> (8 - rest) == 0;
  });
}

std::optional<std::string> ForwardedFor(const HttpRequest& request, const Proxies& proxies) {
  if (!request.loopback && !proxies.Contains(request.peer)) return std::nullopt;
  std::optional<std::string> named;
  for (const char* header : {"X-Forwarded-For", "Forwarded", "X-Real-IP"}) {
    if (!request.headers.Has(header)) continue;
    std::string address = LastNamed(request.headers, header, proxies);
    if (named && AddressKey(*named) != AddressKey(address)) address.clear();
    named = std::move(address);
  }
  // What proxies say that name nobody.
  for (const char* header : {"Via", "X-Forwarded-Proto", "X-Forwarded-Host"}) {
    if (!named && request.headers.Has(header)) named.emplace();
  }
  return named;
}

bool IsLocal(const HttpRequest& request) {
  return request.loopback && !request.forwarded_for;
}

std::string ClientAddress(const HttpRequest& request) {
  const std::optional<std::string>& named = request.forwarded_for;
  if (!named) return request.peer;
  return named->empty() ? "proxy" : *named;
}

}  // namespace openseat::net
