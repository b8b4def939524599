// HTTP/1.1 on the wire without I/O: bytes in any pieces become a request, a response becomes bytes. Beast's parser
// reads the syntax; what we accept beyond that (sizes, Host, targets) is decided here. Internal.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "net/http.h"

namespace openseat::net {

struct HttpLimits {
  std::size_t max_target_bytes = 8u << 10;
  std::size_t max_header_bytes = 16u << 10;  // the request line included
  std::size_t max_body_bytes = 8u << 20;
};

// Parses one request; make a new one for the next.
class RequestParser {
 public:
  enum class State { kHeader, kBody, kDone, kFailed };

  explicit RequestParser(const HttpLimits& limits);
  ~RequestParser();

  // Returns how many bytes were used. What is left must be fed again with more behind it (kHeader, kBody), or belongs
  // to the next request (kDone).
  std::size_t Feed(std::string_view bytes);

  State state() const;
  // Bytes that it holds until the request is complete.
  std::size_t held() const;
  // Of kBody: the client waits for "100 Continue" before it sends the body. True once.
  bool TakeExpectation();

  // Of kBody (what its headers say) and kDone. `peer`, `loopback`, `payer` and `params` are the caller's to fill in.
  // Before, its path may be known, or how it begins.
  HttpRequest& request();
  const std::vector<std::string>& segments() const;
  // All three of kBody and kDone. Whether the client will go on with this connection after the answer.
  bool keep_alive() const;
  bool http_1_0() const;
  // "Connection: upgrade" and "Upgrade: websocket" are both there.
  bool wants_websocket() const;

  // Of kFailed: what to answer before closing.
  int error_status() const;
  const std::string& error_message() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

// A chunked body that is not over has at least "0\r\n\r\n" to come. Beast asserts that it sees as much when it is shown
// an unfinished last chunk again, so it is not asked before that is there.
inline constexpr std::size_t kLeastChunkedRest = 5;

// Whether `token` is among the comma-separated ones of `value`, without case.
bool HasToken(std::string_view value, std::string_view token);

std::string_view StatusText(int status);

struct ResponseOptions {
  bool head = false;  // the request was HEAD: all headers, no body
  bool keep_alive = true;
  bool http_1_0 = false;
  bool tls = false;       // came over TLS, which is said to be used from now on (Strict-Transport-Security)
  bool streamed = false;  // the body follows in chunks (AppendChunk); to HTTP/1.0, as it is until the end
  // The answer depends on the page that asks (Vary: Origin), and whose pages may read it; "": none but the server's
  // own.
  bool by_origin = false;
  std::string_view readable_by{};
};

// Appends the status line and headers of `response` (its own, and Date, Content-Length, Connection where needed,
// X-Content-Type-Options, Strict-Transport-Security over TLS, those of CORS), then its body unless it is shared (the
// caller sends that one). Line breaks within header values become spaces.
void AppendResponse(std::string& out, const HttpResponse& response, const ResponseOptions& options);

// A piece of a streamed body; the empty one is the last.
void AppendChunk(std::string& out, std::string_view bytes);

// "Tue, 03 Nov 2026 08:49:37 GMT", of now; made once a second.
std::string_view HttpDate();

// {"error": {"code", "message"}} for answers that no handler gave.
HttpResponse ErrorResponse(int status, std::string_view message);

}  // namespace openseat::net
