// Outgoing HTTP calls: models, webhooks. libcurl on the shards' own loops: HTTP/2 if the server speaks it, pooled
// connections, proxies, TLS verified against the system's authorities (SSL_CERT_FILE and SSL_CERT_DIR are respected).
//
// A call belongs to the shard that it was made on: Call, Cancel and `done` all run on that shard's thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "base/scheduler.h"
#include "net/http.h"
#include "net/shard.h"

namespace openseat::net {

// The address that a connection is about to be made to.
struct PeerAddress {
  std::string ip;  // "127.0.0.1", "2001:db8::1"; an IPv4 address mapped into IPv6 is given as the IPv4 address
  std::uint16_t port = 0;
};

struct HttpCall {
  Method method = Method::kGet;
  std::string url;  // http:// or https://, without a user name or password
  Headers headers;
  std::string body;
  Duration timeout = std::chrono::seconds(60);          // for everything, including a body that trickles in
  Duration connect_timeout = std::chrono::seconds(10);  // for name, connection and TLS
  std::size_t max_body_bytes = 8u << 20;                // of the answer, decompressed
  // How many redirects are followed; 0: a 3xx is an answer like any other. The headers are sent along to every target,
  // so leave it at 0 if they contain secrets.
  int max_redirects = 0;
  // "" for none; nullopt: the environment's (http_proxy, https_proxy, no_proxy).
  std::optional<std::string> proxy;
  // Whether this address may be contacted: asked after the name was resolved, before a connection is made, and again
  // before the request is sent over an existing connection, so that no name leads around it. The environment's proxy is
  // not used then, since only its address would be seen.
  std::function<bool(const PeerAddress&)> allow_address;
  // Called when there is a connection, and the request is about to be sent over it: perhaps several times, or never.
  // May not call or cancel anything here.
  std::function<void()> on_sent;
  // If set, the body of a 2xx goes there as it arrives, and the response has none; for streams of any length within
  // max_body_bytes. May not call or cancel anything here.
  std::function<void(std::string_view)> on_body;
};

// The answer, whatever its status. Errors: kInvalid (the call cannot be made like this), kDenied (allow_address),
// kTimeout, kTooLarge, kIo with what happened, kClosed (the program stops). Messages name the host, never headers or
// the query.
using HttpDone = std::function<void(Result<HttpResponse>)>;
using HttpCallId = NumberId<struct HttpCallTag>;

// Makes calls; tests have their own implementation.
class HttpCaller {
 public:
  virtual ~HttpCaller() = default;
  // `done` runs later, never from within this call. REQUIRES to be called on `scheduler`.
  virtual HttpCallId Call(Scheduler& scheduler, HttpCall call, HttpDone done) = 0;
  // `done` is destroyed without running. Does nothing for a call that is over.
  virtual void Cancel(Scheduler& scheduler, HttpCallId call) = 0;
};

// A call that is canceled when its owner is destroyed.
class ScopedHttpCall {
 public:
  ScopedHttpCall() = default;
  ~ScopedHttpCall() { Cancel(); }
  ScopedHttpCall(const ScopedHttpCall&) = delete;
  ScopedHttpCall& operator=(const ScopedHttpCall&) = delete;

  // Replaces a call in progress. `caller` outlives this. `done` may make the next call.
  void Start(HttpCaller& caller, Scheduler& scheduler, HttpCall call, HttpDone done);
  void Cancel();

 private:
  HttpCaller* caller_ = nullptr;
  Scheduler* scheduler_ = nullptr;
  HttpCallId id_;
};

// One client for each shard. Made before the shards start, or on any thread while they do not run; outlives its
// callers, and is destroyed when the shards have stopped. Remaining calls are then dropped without `done`.
class HttpClients final : public HttpCaller {
 public:
  explicit HttpClients(Shards& shards);
  ~HttpClients() override;

  // REQUIRES `scheduler` to be one of the shards.
  HttpCallId Call(Scheduler& scheduler, HttpCall call, HttpDone done) override;
  void Cancel(Scheduler& scheduler, HttpCallId call) override;

 private:
  class Client;
  Client& On(const Scheduler& scheduler);

  std::vector<std::unique_ptr<Client>> clients_;
};

}  // namespace openseat::net
