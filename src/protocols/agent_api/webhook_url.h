// Where webhooks may go. A URL is checked when it is given, and every address that its name resolves to when it is
// called.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "net/http_client.h"

namespace openseat::agent_api {

struct WebhookPolicy {
  bool allow_http = false;     // beyond loopback, too
  bool allow_private = false;  // private and link-local networks, too; never those where clouds keep their secrets
};

// Errors: kInvalid, with what is wrong: not an http(s) URL, a user name in it, http:// where https:// is required.
Result<void> CheckWebhookUrl(std::string_view url, const WebhookPolicy& policy);
// A webhook's key is sent as a header: at most 256 printable ASCII characters. kInvalid.
Result<void> CheckWebhookKey(std::string_view key);
// Which addresses a call of this URL may reach. Loopback is reached only by its own names, not by a name from
// elsewhere.
std::function<bool(const net::PeerAddress&)> AddressesFor(std::string_view url, const WebhookPolicy& policy);
// Scheme, host, port and path: the part that may be shown.
std::string ShownUrl(std::string_view url);

}  // namespace openseat::agent_api
