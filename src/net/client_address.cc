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

std::string_view Stripped(std::string_view text, std::string_view around) {
  const std::size_t begin = text.find_first_not_of(around);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(around) - begin + 1);
}

// The address in "192.0.2.7", "192.0.2.7:51234", "2001:db8::1", "[2001:db8::1]" and "[2001:db8::1]:51234"; "" for
// anything else.
std::string AddressIn(std::string_view entry) {
  entry = Stripped(entry, " \t\"");
  if (entry.starts_with('[')) {
    const std::size_t end = entry.find(']');
    if (end == std::string_view::npos) return {};
    entry = entry.substr(1, end - 1);
  } else if (const std::size_t colon = entry.find(':'); colon == entry.rfind(':')) {
    entry = entry.substr(0, colon);
  }
  return ParseAddress(entry) ? std::string(entry) : std::string();
}

// Where the last element of Forwarded begins. Quoted strings may contain commas. It is read from the end, since what
// comes before, with quotes that do not match, may be a client's.
std::size_t LastElement(std::string_view list) {
  bool quoted = false;
  for (std::size_t i = list.size(); i-- > 0;) {
    if (list[i] == ',' && !quoted) return i + 1;
    if (list[i] != '"') continue;
    const std::size_t before = list.substr(0, i).find_last_not_of('\\');
    const std::size_t backslashes = i - (before == std::string_view::npos ? 0 : before + 1);
    if (backslashes % 2 == 0) quoted = !quoted;  // else it is a part of the quoted string
  }
  return 0;
}

// The end of the first pair of an element, which is a ';' outside of quoted strings; nullopt if one does not end.
std::optional<std::size_t> EndOfPair(std::string_view element) {
  bool quoted = false;
  for (std::size_t i = 0; i < element.size(); ++i) {
    if (element[i] == ';' && !quoted) return i;
    if (element[i] == '"') quoted = !quoted;
    if (element[i] == '\\' && quoted) ++i;
  }
  return quoted ? std::nullopt : std::optional(element.size());
}

// The text of a value that may be a quoted string; "" if quotes are elsewhere in it.
std::string Unquoted(std::string_view value) {
  if (!value.starts_with('"')) return value.find('"') == std::string_view::npos ? std::string(value) : std::string();
  std::string text;
  for (std::size_t i = 1; i < value.size(); ++i) {
    if (value[i] == '"') return i + 1 == value.size() ? text : std::string();
    if (value[i] == '\\' && i + 1 < value.size()) ++i;
    text.push_back(value[i]);
  }
  return {};
}

// The address in an element of Forwarded (RFC 7239): for=192.0.2.7;proto=https;by="[2001:db8::1]". "" if there is none,
// or several, or it is malformed.
std::string ForOf(std::string_view element) {
  constexpr std::string_view kFor = "for=";
  std::optional<std::string> named;
  while (!element.empty()) {
    const std::optional<std::size_t> end = EndOfPair(element);
    if (!end) return {};
    const std::string_view pair = Stripped(element.substr(0, *end), " \t");
    if (EqualsIgnoringCase(pair.substr(0, kFor.size()), kFor)) {
      if (named) return {};
      named = Unquoted(pair.substr(kFor.size()));
    }
    element.remove_prefix(std::min(element.size(), *end + 1));
  }
  return named.value_or(std::string());
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
    for (bool more = true; more;) {
      if (++looked_at > kMostHops) return {};
      const std::size_t begin = is_forwarded ? LastElement(rest) : rest.rfind(',') + 1;  // 0: there is no comma
      const std::string_view entry = rest.substr(begin);
      more = begin > 0;
      rest = rest.substr(0, more ? begin - 1 : 0);
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
                  "a proxy is an address or a network, as in 10.0.0.5 or 10.0.0.0/8; got " + Quote(text));
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
