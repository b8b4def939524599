#include "protocols/neuro/owner.h"

#include <arpa/inet.h>

#include <algorithm>
#include <string_view>

#include "base/digest.h"
#include "net/bearer.h"
#include "net/http_reply.h"
#include "net/url.h"

namespace openseat::neuro {
namespace {

// "192.0.2.7", "2001:db8:1:2::/64", "loopback"; "" for what is no address.
std::string NetworkOf(std::string_view peer) {
  const std::string text(peer.substr(0, peer.find('%')));  // without the zone of a link-local address
  if (net::IsLoopbackHost(text)) return "loopback";
  in_addr v4{};
  if (inet_pton(AF_INET, text.c_str(), &v4) == 1) return text;
  in6_addr v6{};
  if (inet_pton(AF_INET6, text.c_str(), &v6) != 1) return {};
  char name[INET6_ADDRSTRLEN];
  if (IN6_IS_ADDR_V4MAPPED(&v6)) {
    inet_ntop(AF_INET, &v6.s6_addr[12], name, sizeof name);
    return NetworkOf(name);
  }
  std::fill(v6.s6_addr + 8, v6.s6_addr + 16, std::uint8_t{0});
  inet_ntop(AF_INET6, &v6, name, sizeof name);
  return std::string(name) + "/64";
}

// The header's last entry, which a proxy has written; what stands before it is what the client wrote.
std::string_view LastEntry(const net::HttpRequest& request, std::string_view header) {
  std::string_view last;
  for (const auto& [name, value] : request.headers.all()) {
    if (net::EqualsIgnoringCase(name, header)) last = value;
  }
  if (const std::size_t comma = last.rfind(','); comma != std::string_view::npos) last.remove_prefix(comma + 1);
  while (last.starts_with(' ')) last.remove_prefix(1);
  while (last.ends_with(' ')) last.remove_suffix(1);
  return last;
}

}  // namespace

std::string OwnerOf(const net::HttpRequest& request) {
  if (const std::string token = net::WebSocketToken(request); !token.empty()) return "token " + Sha256Hex(token);
  std::string owner = NetworkOf(request.peer);
  if (!request.loopback) return owner;
  // A client may send the one of these that its proxy does not, so both count.
  bool named = false;
  for (const std::string_view header : {"X-Forwarded-For", "X-Real-IP"}) {
    if (!request.headers.Has(header)) continue;
    const std::string network = NetworkOf(LastEntry(request, header));
    if (network.empty()) return {};
    owner.append(" ").append(header).append(" ").append(network);
    named = true;
  }
  const bool unnamed = !named && (request.headers.Has("Forwarded") || request.headers.Has("Via"));
  return unnamed ? std::string() : owner;
}

}  // namespace openseat::neuro
