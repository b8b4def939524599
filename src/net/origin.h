// Which web pages may use a server: one rule for REST, MCP and WebSockets. A page may where it is of the server's own
// origin, or of one that the server's owner allows; programs that are no browsers say nothing of a page and may. Pure
// functions; any thread.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "net/http.h"

namespace openseat::net {

// Of "host", "host:port", "[::1]", "[::1]:port" or "::1", the host without brackets, in lower case; "" where something
// else stands behind the bracket.
std::string HostOnly(std::string_view host_and_port);

// An origin as a setting names it, in the form in which browsers send it: "HTTP://Localhost:5173/" is
// "http://localhost:5173". kInvalid for what is no origin.
Result<std::string> ParseOrigin(std::string_view text);

// Whether the page behind a request, if there is one, may make it; kDenied, in words for its author, where it may not.
// - Origin must be the request's own (the host that it was sent to, with its port or none) or one of `allowed`.
// - Without Origin, a browser that says the request comes from another site (Sec-Fetch-Site) is refused, unless a
//   person followed a link here.
Result<void> CheckPage(const HttpRequest& request, std::span<const std::string> allowed);

// The Origin of a request that a page of one of `allowed` makes, which may read the answer (CORS); "" for all others.
std::string AllowedOrigin(const HttpRequest& request, std::span<const std::string> allowed);

}  // namespace openseat::net
