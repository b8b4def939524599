// URLs as needed by this module: request targets taken apart, absolute addresses, hosts. Pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace openseat::net {

// Decodes %XX; with `plus_is_space` also "+" (queries). Errors: kParse for a broken %XX or an encoded zero byte.
Result<std::string> PercentDecode(std::string_view text, bool plus_is_space = false);

struct Target {
  std::string authority;              // of an absolute target: "host:8000"; "" for any other
  std::string origin;                 // path and query unchanged, without a fragment; starts with "/", or is "*"
  std::string path;                   // decoded, starts with "/"
  std::vector<std::string> segments;  // of the path, each decoded separately: an encoded "/" does not split
  std::vector<std::pair<std::string, std::string>> query;  // decoded, in order; a name without "=" has the value ""
};

// Takes a request target apart: "/a/b?x=1", an absolute "http://host/a/b" or "https://host/a/b", or "*" (path "*").
// Error: kParse.
Result<Target> ParseTarget(std::string_view target);

// An absolute address; the only parser of them.
struct Url {
  bool tls = false;
  std::string host;  // unchanged, but without the brackets of an IPv6 address
  std::uint16_t port = 80;
  std::string target;  // path and query unchanged, "/" if both are missing

  // For the Host header: with brackets if needed, and with the port if it is not the scheme's default.
  std::string Authority() const;
};

using WebSocketUrl = Url;

// Parse ws:// or wss://, and http:// or https://. Neither allows a user name. Error: kInvalid, with what is wrong.
Result<Url> ParseWebSocketUrl(std::string_view url);
Result<Url> ParseHttpUrl(std::string_view url);

// Whether a host, without brackets and in any case, is this machine by a name that nobody else can give it:
// "localhost", "127.0.0.0" to "127.255.255.255" as four numbers, "::1". Not "127.evil.example", which leads wherever
// its owner likes, nor other forms of those addresses.
bool IsLoopbackHost(std::string_view host);

}  // namespace openseat::net
