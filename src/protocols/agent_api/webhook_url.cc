#include "protocols/agent_api/webhook_url.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <optional>

#include "net/url.h"

namespace openseat::agent_api {
namespace {

struct Parts {
  bool tls = false;
  std::string host;  // lower case, without brackets
};

std::string Lower(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return out;
}

Result<Parts> Take(std::string_view url) {
  const Result<net::Url> parsed = net::ParseHttpUrl(url);
  if (!parsed)
    return Fail(ErrorCode::kInvalid, "a webhook's URL begins with https://; " + parsed.error().message, "url");
  return Parts{parsed->tls, Lower(parsed->host)};
}

using V4 = std::array<std::uint8_t, 4>;
using V6 = std::array<std::uint8_t, 16>;

template <std::size_t N>
bool Within(const std::array<std::uint8_t, N>& address, std::string_view range, int bits) {
  std::array<std::uint8_t, N> base{};
  const std::string text(range);
  if (inet_pton(N == 4 ? AF_INET : AF_INET6, text.c_str(), base.data()) != 1) return false;
  for (int bit = 0; bit < bits; ++bit) {
    const std::uint8_t mask = static_cast<std::uint8_t>(0x80u >> (bit % 8));
    const auto at = static_cast<std::size_t>(bit / 8);
    if ((address[at] & mask) != (base[at] & mask)) return false;
  }
  return true;
}

struct Range {
  std::string_view base;
  int bits;
};

enum class Reach { kPublic, kPrivate, kLoopback, kNever };

// Where clouds provide credentials: most of them, Amazon's containers, Tencent, Alibaba, Oracle's classic cloud, and
// Azure, whose address is a public one.
constexpr std::array kMetadata4 = {
    Range{"169.254.169.254", 32}, Range{"169.254.170.2", 32}, Range{"169.254.170.23", 32}, Range{"169.254.0.23", 32},
    Range{"100.100.100.200", 32}, Range{"192.0.0.192", 32},   Range{"168.63.129.16", 32}};
constexpr std::array kMetadata6 = {Range{"fd00:ec2::254", 128}, Range{"fd00:ec2::23", 128}, Range{"fd20:ce::254", 128},
                                   Range{"fe80::a9fe:a9fe", 128}};
constexpr std::array kPrivate4 = {Range{"0.0.0.0", 8},      Range{"10.0.0.0", 8},      Range{"100.64.0.0", 10},
                                  Range{"169.254.0.0", 16}, Range{"172.16.0.0", 12},   Range{"192.0.0.0", 24},
                                  Range{"192.0.2.0", 24},   Range{"192.88.99.0", 24},  Range{"192.168.0.0", 16},
                                  Range{"198.18.0.0", 15},  Range{"198.51.100.0", 24}, Range{"203.0.113.0", 24},
                                  Range{"224.0.0.0", 4},    Range{"240.0.0.0", 4}};
// Public addresses are in here; all others are private, multicast, or for purposes that no webhook has ...
constexpr Range kGlobal6{"2000::", 3};
// ... and so are these.
constexpr std::array kPrivate6 = {Range{"2001::", 23}, Range{"2001:db8::", 32}, Range{"3fff::", 20}};
// With an IPv4 address at the end: mapped, translated by SIIT, by NAT64, and "compatible".
constexpr std::array kWithV4AtTheEnd = {Range{"::ffff:0:0", 96}, Range{"::ffff:0:0:0", 96}, Range{"64:ff9b::", 96},
                                        Range{"::", 96}};
// With an IPv4 address anywhere (RFC 8215): each network decides how its NAT64 reads them.
constexpr Range kLocalNat64{"64:ff9b:1::", 48};

template <std::size_t N, std::size_t M>
bool WithinAny(const std::array<std::uint8_t, N>& address, const std::array<Range, M>& ranges) {
  return std::ranges::any_of(ranges, [&](const Range& range) { return Within(address, range.base, range.bits); });
}

Reach ReachOf(const V4& address) {
  if (WithinAny(address, kMetadata4)) return Reach::kNever;
  if (Within(address, "127.0.0.0", 8)) return Reach::kLoopback;
  return WithinAny(address, kPrivate4) ? Reach::kPrivate : Reach::kPublic;
}

Reach ReachOf(const V6& address) {
  if (WithinAny(address, kMetadata6)) return Reach::kNever;
  if (Within(address, "::1", 128)) return Reach::kLoopback;
  // An IPv4 address embedded in an IPv6 one.
  const auto inner = [&](std::size_t at) { return V4{address[at], address[at + 1], address[at + 2], address[at + 3]}; };
  if (WithinAny(address, kWithV4AtTheEnd)) return ReachOf(inner(12));
  if (Within(address, "2002::", 16)) return ReachOf(inner(2));
  if (Within(address, kLocalNat64.base, kLocalNat64.bits)) {
    // As in RFC 6052 for prefixes of 48, 56, 64 and 96 bits: the ninth byte is skipped.
    const auto& a = address;
    const bool never = WithinAny(V4{a[6], a[7], a[9], a[10]}, kMetadata4) ||
                       WithinAny(V4{a[7], a[9], a[10], a[11]}, kMetadata4) || WithinAny(inner(9), kMetadata4) ||
                       WithinAny(inner(12), kMetadata4);
    return never ? Reach::kNever : Reach::kPrivate;
  }
  const bool global = Within(address, kGlobal6.base, kGlobal6.bits) && !WithinAny(address, kPrivate6);
  return global ? Reach::kPublic : Reach::kPrivate;
}

Reach ReachOf(const std::string& ip) {
  V4 four{};
  if (inet_pton(AF_INET, ip.c_str(), four.data()) == 1) return ReachOf(four);
  V6 six{};
  const std::string plain = ip.substr(0, ip.find('%'));
  if (inet_pton(AF_INET6, plain.c_str(), six.data()) == 1) return ReachOf(six);
  return Reach::kNever;
}

bool IsLoopbackName(const std::string& host) {
  return net::IsLoopbackHost(host) || host.ends_with(".localhost");
}

// `loopback`: whether the URL names it.
bool MayReach(Reach reach, bool loopback, bool private_too) {
  switch (reach) {
    case Reach::kPublic:
      return !loopback;
    case Reach::kPrivate:
      return private_too && !loopback;
    case Reach::kLoopback:
      return loopback;
    case Reach::kNever:
      break;
  }
  return false;
}

}  // namespace

Result<void> CheckWebhookUrl(std::string_view url, const WebhookPolicy& policy) {
  const Result<Parts> parts = Take(url);
  if (!parts) return Fail(parts.error());
  if (!parts->tls && !policy.allow_http && !IsLoopbackName(parts->host)) {
    return Fail(ErrorCode::kInvalid,
                "a webhook beyond this machine needs https://, or a server that runs with --allow-http-webhooks",
                "url");
  }
  // An address in the URL is refused at once; what a name resolves to is known when it is called.
  V4 four{};
  V6 six{};
  std::optional<Reach> reach;
  in_addr number{};
  if (inet_pton(AF_INET6, parts->host.c_str(), six.data()) == 1) {
    reach = ReachOf(six);
  } else if (inet_aton(parts->host.c_str(), &number) == 1) {  // also "127.1", "0x7f000001" and "2130706433"
    std::memcpy(four.data(), &number.s_addr, four.size());
    reach = ReachOf(four);
  }
  if (reach && !MayReach(*reach, IsLoopbackName(parts->host), policy.allow_private)) {
    return Fail(ErrorCode::kInvalid,
                "a webhook may not go to " + parts->host +
                    ": private networks need a server that runs with --allow-private-webhooks, and the addresses where "
                    "clouds keep credentials are never allowed",
                "url");
  }
  return {};
}

Result<void> CheckWebhookKey(std::string_view key) {
  constexpr std::size_t kMaxKey = 256;
  if (key.size() <= kMaxKey && std::ranges::all_of(key, [](char c) { return c >= ' ' && c <= '~'; })) return {};
  return Fail(ErrorCode::kInvalid, "a webhook's key has at most 256 characters, all printable ASCII", "key");
}

std::function<bool(const net::PeerAddress&)> AddressesFor(std::string_view url, const WebhookPolicy& policy) {
  const Result<Parts> parts = Take(url);
  const bool loopback = parts && IsLoopbackName(parts->host);
  return [loopback, private_too = policy.allow_private](const net::PeerAddress& peer) {
    return MayReach(ReachOf(peer.ip), loopback, private_too);
  };
}

std::string ShownUrl(std::string_view url) {
  return std::string(url.substr(0, url.find_first_of("?#")));
}

}  // namespace openseat::agent_api
