#include "protocols/neuro/owner.h"

#include <arpa/inet.h>

#include <array>
#include <string_view>

#include "base/budget.h"
#include "base/digest.h"
#include "net/bearer.h"
#include "net/http_reply.h"

namespace openseat::neuro {
namespace {

bool IsAddress(const std::string& text) {
  std::array<unsigned char, sizeof(in6_addr)> parsed{};
  return inet_pton(AF_INET, text.c_str(), parsed.data()) == 1 || inet_pton(AF_INET6, text.c_str(), parsed.data()) == 1;
}

// The header's last entry, which a proxy has written; what stands before it is what the client wrote.
std::string LastEntry(const net::HttpRequest& request, std::string_view header) {
  std::string_view last;
  for (const auto& [name, value] : request.headers.all()) {
    if (net::EqualsIgnoringCase(name, header)) last = value;
  }
  if (const std::size_t comma = last.rfind(','); comma != std::string_view::npos) last.remove_prefix(comma + 1);
  while (last.starts_with(' ')) last.remove_prefix(1);
  while (last.ends_with(' ')) last.remove_suffix(1);
  return std::string(last);
}

}  // namespace

std::string OwnerOf(const net::HttpRequest& request) {
  if (const std::string token = net::WebSocketToken(request); !token.empty()) return "token " + Sha256Hex(token);
  std::string owner = AddressKey(request.peer);
  if (!request.loopback) return owner;
  // A client may send the one of these that its proxy does not, so both count.
  bool named = false;
  for (const std::string_view header : {"X-Forwarded-For", "X-Real-IP"}) {
    if (!request.headers.Has(header)) continue;
    const std::string address = LastEntry(request, header);
    if (!IsAddress(address)) return {};
    owner.append(" ").append(header).append(" ").append(AddressKey(address));
    named = true;
  }
  const bool unnamed = !named && (request.headers.Has("Forwarded") || request.headers.Has("Via"));
  return unnamed ? std::string() : owner;
}

}  // namespace openseat::neuro
