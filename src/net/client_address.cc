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

bool IsTrusted(const HttpRequest& request, std::string_view address) {
  return AddressKey(address) == AddressKey("127.0.0.1") ||
         (request.proxies != nullptr && request.proxies->Contains(address));
}

// The entries of a list that may span several headers with the same name.
std::vector<std::string_view> EntriesOf(const Headers& headers, std::string_view header) {
  std::vector<std::string_view> entries;
  for (const auto& [name, value] : headers.all()) {
    if (!EqualsIgnoringCase(name, header)) continue;
    std::string_view rest = value;
    for (std::size_t comma = rest.find(','); comma != std::string_view::npos; comma = rest.find(',')) {
      entries.push_back(rest.substr(0, comma));
      rest.remove_prefix(comma + 1);
    }
    entries.push_back(rest);
  }
  return entries;
}

// The address for which the last proxy in the list asks that no other proxy asks for. "" if that is not an address.
std::string LastNamed(const HttpRequest& request, std::string_view header) {
  const bool is_forwarded = header == "Forwarded";
  for (const std::string_view entry : std::views::reverse(EntriesOf(request.headers, header))) {
    std::string address = AddressIn(is_forwarded ? ForOf(entry) : entry);
    if (address.empty() || !IsTrusted(request, address)) return address;
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

std::optional<std::string> ForwardedFor(const HttpRequest& request) {
  const bool trusted = request.loopback || (request.proxies != nullptr && request.proxies->Contains(request.peer));
  if (!trusted) return std::nullopt;
  std::optional<std::string> named;
  for (const char* header : {"X-Forwarded-For", "Forwarded", "X-Real-IP"}) {
    if (!request.headers.Has(header)) continue;
    std::string address = LastNamed(request, header);
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
  return request.loopback && !ForwardedFor(request);
}

std::string ClientAddress(const HttpRequest& request) {
  std::optional<std::string> named = ForwardedFor(request);
  if (!named) return request.peer;
  return named->empty() ? "proxy" : std::move(*named);
}

}  // namespace openseat::net
