// Which web pages may use a server: one rule for REST, MCP and WebSockets. A page may use it if its origin is the
// server's own, or one that the operator allows; programs other than browsers name no page and may use it. Pure
// functions; any thread.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "net/http.h"

namespace openseat::net {

// The host in "host", "host:port", "[::1]", "[::1]:port" or "::1", without brackets, in lower case; "" if anything else
// follows the bracket.
std::string HostOnly(std::string_view host_and_port);

// An origin from a setting, in the form in which browsers send it: "HTTP://Localhost:5173/" is "http://localhost:5173".
// kInvalid if it is not an origin.
Result<std::string> ParseOrigin(std::string_view text);

// Whether the page behind a request, if there is one, may make it; otherwise kDenied, with a message for the page's
// author.
// - Origin must be the request's own (the host that it was sent to, with its port; from a program that is no browser
// also without) or one of `allowed`.
// - Without Origin, a browser that says the request comes from another site (Sec-Fetch-Site) is refused, unless a
//   person followed a link to a page (HttpRequest::page).
Result<void> CheckPage(const HttpRequest& request, std::span<const std::string> allowed);
// Also allows every page of this machine: a game under development runs in a page on any of its ports. A browser of
// this machine must name the server by a name of this machine, unless its page is one of `allowed`. The message names
// --allow-origin, which the programs that use this have.
Result<void> CheckGamePage(const HttpRequest& request, std::span<const std::string> allowed);

// The Origin of a request from a page of one of `allowed`, which may read the answer (CORS); "" for all others.
std::string AllowedOrigin(const HttpRequest& request, std::span<const std::string> allowed);

}  // namespace openseat::net
