// Where a request comes from: one rule for everything that counts by address, or trusts this machine. A trusted proxy
// says for whom it asks (X-Forwarded-For, Forwarded, X-Real-IP); trusted proxies are those on this machine, and those
// that the operator names (Proxies). Pure functions; any thread.
//
// Clients can send these headers, too. A proxy adds its entry to a list after what the client wrote, so lists are read
// from the end, skipping the addresses of trusted proxies. A client can also send the header that its proxy does not
// set, which looks the same: if two headers name different addresses, neither is believed.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "net/http.h"

namespace openseat::net {

// Addresses of proxies on other machines.
class Proxies {
 public:
  // Parses "192.0.2.7", "10.0.0.0/8", "2001:db8::/32". kInvalid for anything else, and for networks as large as half of
  // all addresses.
  static Result<Proxies> Parse(std::span<const std::string> texts);

  bool Contains(std::string_view address) const;

 private:
  struct Network {
    std::array<std::uint8_t, 16> address;  // an IPv4 one as ::ffff:…
    unsigned bits;                         // in the prefix
  };
  std::vector<Network> networks_;
};

// For whom a trusted proxy asks: "" if unknown, also if 16 or more proxies follow its entry; nullopt if the request
// comes from its peer itself. Called once by the code that receives a request: the result is kept as its
// `forwarded_for`, which the functions below use.
std::optional<std::string> ForwardedFor(const HttpRequest& request, const Proxies& proxies = {});

// Whether the request was made on this machine: it came over loopback, and not through a proxy there.
bool IsLocal(const HttpRequest& request);

// The address that a request comes from: the peer's, or that for which a trusted proxy asks; "proxy" if unknown, so
// that all such requests count as one address.
std::string ClientAddress(const HttpRequest& request);

}  // namespace openseat::net
