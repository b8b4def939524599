// HTTP/1.1 on the wire without I/O: bytes in any pieces become a request, a response becomes bytes. Beast's parser
// handles the syntax; the further conditions (sizes, Host, targets) are checked here. Internal.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "net/http.h"

namespace openseat::net {

struct HttpLimits {
  std::size_t max_target_bytes = 8u << 10;
  std::size_t max_header_bytes = 16u << 10;  // including the request line
  std::size_t max_body_bytes = 8u << 20;
};

// Parses one request; make a new parser for the next.
class RequestParser {
 public:
  enum class State { kHeader, kBody, kDone, kFailed };

  explicit RequestParser(const HttpLimits& limits);  // which must outlive it
  ~RequestParser();

  // Returns how many bytes were used. The rest must be fed again with more after it (kHeader, kBody), or belongs to the
  // next request (kDone).
  std::size_t Feed(std::string_view bytes);

  State state() const;
  // Bytes that it holds until the request is complete.
  std::size_t held() const;
  // Of those, what is allocated and has not come yet.
  std::size_t untouched() const;
  // In kBody: the client waits for "100 Continue" before it sends the body. True once.
  bool TakeExpectation();

  // In kBody (what its headers say) and kDone. The caller fills in `peer`, `loopback`, `payer` and `params`. Earlier,
  // the path or its beginning may be known.
  HttpRequest& request();
  const std::vector<std::string>& segments() const;
  // All three in kBody and kDone. Whether the client will continue with this connection after the answer.
  bool keep_alive() const;
  bool http_1_0() const;
  // "Connection: upgrade" and "Upgrade: websocket" are both present.
  bool wants_websocket() const;

  // In kFailed: the answer to send before closing.
  int error_status() const;
  const std::string& error_message() const;
  // The setting that refused it, if one did. Not counted yet.
  const std::optional<Refusal>& beyond() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

// A chunked body that is not over has at least "0\r\n\r\n" to come. Beast asserts that it sees that much when it is
// shown an unfinished last chunk again, so it is not called before that is there.
inline constexpr std::size_t kLeastChunkedRest = 5;

// Whether `token` is in the comma-separated list `value`, ignoring case.
bool HasToken(std::string_view value, std::string_view token);

std::string_view StatusText(int status);

// The header that every answer over TLS has.
inline constexpr std::string_view kStrictTransport = "Strict-Transport-Security: max-age=31536000\r\n";

struct ResponseOptions {
  bool head = false;  // the request was HEAD: all headers, no body
  bool keep_alive = true;
  bool http_1_0 = false;
  bool tls = false;       // came over TLS, so Strict-Transport-Security is sent
  bool streamed = false;  // the body follows in chunks (AppendChunk); for HTTP/1.0, until the connection ends
  // The answer depends on the page that asks (Vary: Origin), and on whose pages may read it; "": only the server's own.
  bool by_origin = false;
  std::string_view readable_by{};
};

// Appends the status line and headers of `response` (its own, and Date, Content-Length, Connection if needed,
// X-Content-Type-Options, Strict-Transport-Security over TLS, those of CORS, "Cache-Control: private, no-store" and for
// 429 "Retry-After: 1" unless it has one), then its body unless it is shared (the caller sends that one). Line breaks
// within header values become spaces.
void AppendResponse(std::string& out, const HttpResponse& response, const ResponseOptions& options);

// A piece of a streamed body; the empty one is the last.
void AppendChunk(std::string& out, std::string_view bytes);

// The current date, "Tue, 03 Nov 2026 08:49:37 GMT"; made once a second.
std::string_view HttpDate();

// {"error": {"code", "message"}} for answers that no handler gave.
HttpResponse ErrorResponse(int status, std::string_view message);

}  // namespace openseat::net
