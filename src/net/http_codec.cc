#include "net/http_codec.h"

#include <algorithm>
#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/status.hpp>
#include <charconv>
#include <ctime>
#include <optional>
#include <utility>

#include "base/text.h"
#include "net/io.h"
#include "net/url.h"

namespace openseat::net {
namespace {

namespace beast_http = boost::beast::http;
using BeastView = boost::beast::string_view;

std::string_view View(BeastView text) {
  return {text.data(), text.size()};
}

std::optional<Method> ToMethod(std::string_view name) {
  for (const Method method :
       {Method::kGet, Method::kHead, Method::kPost, Method::kPut, Method::kPatch, Method::kDelete, Method::kOptions}) {
    if (name == MethodName(method)) return method;
  }
  return std::nullopt;
}

std::string_view Trim(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

// The path of a request whose first line, or at least its beginning, is here; undecoded, "" if there is none.
std::string_view PathIn(std::string_view request) {
  const std::size_t space = request.find_first_of(" \r\n");
  if (space == std::string_view::npos || request[space] != ' ') return {};
  request.remove_prefix(space + 1);
  return request.substr(0, request.find_first_of(" ?\r\n"));
}

}  // namespace

bool HasToken(std::string_view value, std::string_view token) {
  while (!value.empty()) {
    const std::size_t comma = value.find(',');
    if (EqualsIgnoringCase(Trim(value.substr(0, comma)), token)) return true;
    value = comma == std::string_view::npos ? std::string_view() : value.substr(comma + 1);
  }
  return false;
}

// Fills an HttpRequest directly from Beast's parser, without its containers in between.
class RequestParser::Impl final : public beast_http::basic_parser<true> {
 public:
  explicit Impl(const HttpLimits& limits) : limits_(limits) {
    // Beast counts only what is left over between calls against its header limit; Feed never shows it more than the
    // limit allows.
    header_limit(static_cast<std::uint32_t>(limits.max_header_bytes));
    // Beast subtracts a chunk from its body limit again each time it is shown an unfinished chunk header.
    body_limit(boost::none);
    eager(true);
  }

  std::size_t Feed(std::string_view bytes) {
    std::size_t used = 0;
    while (!started_ && used < bytes.size() && (bytes[used] == '\r' || bytes[used] == '\n')) ++used;
    if (used == bytes.size()) return used;
    started_ = true;

    if (state_ == State::kBody && chunked() && bytes.size() < kLeastChunkedRest) return 0;
    std::string_view piece = bytes.substr(used);
    if (state_ == State::kHeader) piece = piece.substr(0, limits_.max_header_bytes - header_bytes_);
    // A trailer that is too long is so in one piece as well.
    if (state_ == State::kBody && chunked()) piece = piece.substr(0, limits_.max_header_bytes + 1);
    IoError error;
    const std::size_t n = put(boost::asio::const_buffer(piece.data(), piece.size()), error);
    const std::string_view left = piece.substr(n);
    if (error && error != beast_http::error::need_more) {
      if (error_status_ == 0) Explain(error, left);
      state_ = State::kFailed;
    } else if (state_ == State::kHeader) {
      header_bytes_ += n;
      if (header_bytes_ + left.size() >= limits_.max_header_bytes) TooLong(left);
    } else if (state_ == State::kBody && left.size() > limits_.max_header_bytes) {
      Refuse(400, Limit::kHeaderBytes, limits_.max_header_bytes);
    }
    return used + n;
  }

  const HttpLimits& limits_;
  State state_ = State::kHeader;
  HttpRequest request_;
  std::vector<std::string> segments_;
  std::string authority_;  // of an absolute target
  bool started_ = false;
  bool http_1_0_ = false;
  bool wants_websocket_ = false;
  bool expects_continue_ = false;
  int error_status_ = 0;
  std::string error_message_;
  std::optional<Refusal> beyond_;
  std::size_t header_bytes_ = 0;

 private:
  void Refuse(int status, std::string message) {
    state_ = State::kFailed;
    error_status_ = status;
    error_message_ = std::move(message);
  }
  // A setting refuses it.
  void Refuse(int status, Limit limit, std::uint64_t allowed) {
    beyond_ = Refusal{.limit = limit, .allowed = allowed};
    Refuse(status, beyond_->Text());
  }
  // Stops Beast from within one of its callbacks.
  void Refuse(int status, std::string message, IoError& error) {
    Refuse(status, std::move(message));
    error = beast_http::error::bad_value;
  }

  // Refuses the body if `size` more bytes are too much.
  void LimitBody(std::uint64_t size, IoError& error) {
    if (size <= limits_.max_body_bytes - request_.body.size()) return;
    Refuse(413, Limit::kBodyBytes, limits_.max_body_bytes);
    error = beast_http::error::bad_value;
  }

  void TooLong(std::string_view left) {
    if (request_.path.empty()) request_.path = PathIn(left);
    const bool in_first_line = request_.target.empty() && left.find('\n') == std::string_view::npos;
    Refuse(in_first_line ? 414 : 431, Limit::kHeaderBytes, limits_.max_header_bytes);
  }

  void Explain(const IoError& error, std::string_view left) {
    if (error == beast_http::error::header_limit) {
      TooLong(left);
    } else if (error == beast_http::error::bad_version) {
      Refuse(505, "only HTTP/1.0 and HTTP/1.1 are spoken here");
    } else {
      Refuse(400, "the request is not valid HTTP: " + error.message());
    }
  }

  void on_request_impl(beast_http::verb /*verb*/, BeastView method, BeastView target, int version,
                       IoError& error) override {
    http_1_0_ = version == 10;
    if (target.size() > limits_.max_target_bytes) {
      request_.path = View(target.substr(0, limits_.max_target_bytes));  // for the answer
      return Refuse(414, "the URL is longer than " + std::to_string(limits_.max_target_bytes) + " bytes", error);
    }
    const auto known = ToMethod(View(method));
    if (!known) {
      request_.path = View(target);  // for the answer
      return Refuse(501, "the method " + std::string(View(method)) + " is not offered", error);
    }
    request_.method = *known;
    auto parsed = ParseTarget(View(target));
    if (!parsed) return Refuse(400, std::move(parsed.error().message), error);
    request_.target = std::move(parsed->origin);
    request_.path = std::move(parsed->path);
    request_.query = std::move(parsed->query);
    segments_ = std::move(parsed->segments);
    authority_ = std::move(parsed->authority);
  }

  void on_response_impl(int /*status*/, BeastView /*reason*/, int /*version*/, IoError& /*error*/) override {}

  void on_field_impl(beast_http::field /*field*/, BeastView name, BeastView value, IoError& /*error*/) override {
    if (state_ != State::kHeader) return;  // trailers are not used
    request_.headers.Add(std::string(View(name)), std::string(View(value)));
  }

  void on_header_impl(IoError& error) override {
    const Headers& headers = request_.headers;
    if (!http_1_0_ && !headers.Has("Host")) return Refuse(400, "an HTTP/1.1 request needs a Host header", error);
    // Refuses what a proxy in front of us may read differently (RFC 9112, 3.2 and 6.3): two hosts, and a body in any
    // coding but chunks. Beast would take that for no body, and its contents for the next request.
    if (HasTwo("Host")) return Refuse(400, "a request has one Host header", error);
    // The host of an absolute target counts, not the header (RFC 9112, 3.2.2).
    if (!authority_.empty()) request_.headers.Set("Host", std::move(authority_));
    if (headers.Has("Transfer-Encoding") && (http_1_0_ || HasTwo("Transfer-Encoding") ||
                                             !EqualsIgnoringCase(headers.Get("Transfer-Encoding"), "chunked"))) {
      return Refuse(400, "the only transfer coding understood is \"chunked\", of HTTP/1.1", error);
    }
    wants_websocket_ = upgrade() && HasToken(headers.Get("Upgrade"), "websocket");
    if (const std::string_view expect = headers.Get("Expect"); !expect.empty() && !http_1_0_) {
      if (!EqualsIgnoringCase(expect, "100-continue")) {
        return Refuse(417, "only \"Expect: 100-continue\" is understood", error);
      }
      expects_continue_ = true;
    }
    state_ = State::kBody;
    LimitBody(content_length().value_or(0), error);
  }

  bool HasTwo(std::string_view name) const {
    return std::ranges::count_if(request_.headers.all(),
                                 [name](const auto& entry) { return EqualsIgnoringCase(entry.first, name); }) > 1;
  }

  void on_body_init_impl(const boost::optional<std::uint64_t>& /*length*/, IoError& /*error*/) override {}

  std::size_t on_body_impl(BeastView body, IoError& /*error*/) override {
    request_.body.append(body.data(), body.size());
    return body.size();
  }

  void on_chunk_header_impl(std::uint64_t size, BeastView /*extensions*/, IoError& error) override {
    LimitBody(size, error);
  }

  std::size_t on_chunk_body_impl(std::uint64_t /*left*/, BeastView body, IoError& /*error*/) override {
    request_.body.append(body.data(), body.size());
    return body.size();
  }

  void on_finish_impl(IoError& /*error*/) override { state_ = State::kDone; }
};

RequestParser::RequestParser(const HttpLimits& limits) : impl_(std::make_unique<Impl>(limits)) {}
RequestParser::~RequestParser() = default;

std::size_t RequestParser::Feed(std::string_view bytes) {
  return impl_->Feed(bytes);
}
RequestParser::State RequestParser::state() const {
  return impl_->state_;
}
std::size_t RequestParser::held() const {
  return impl_->header_bytes_ + impl_->request_.body.capacity();
}
std::size_t RequestParser::untouched() const {
  return impl_->request_.body.capacity() - impl_->request_.body.size();
}
bool RequestParser::TakeExpectation() {
  return std::exchange(impl_->expects_continue_, false);
}
HttpRequest& RequestParser::request() {
  return impl_->request_;
}
const std::vector<std::string>& RequestParser::segments() const {
  return impl_->segments_;
}
bool RequestParser::keep_alive() const {
  return impl_->keep_alive();
}
bool RequestParser::http_1_0() const {
  return impl_->http_1_0_;
}
bool RequestParser::wants_websocket() const {
  return impl_->wants_websocket_;
}
int RequestParser::error_status() const {
  return impl_->error_status_;
}
const std::string& RequestParser::error_message() const {
  return impl_->error_message_;
}
const std::optional<Refusal>& RequestParser::beyond() const {
  return impl_->beyond_;
}

std::string_view StatusText(int status) {
  const auto text = beast_http::obsolete_reason(beast_http::int_to_status(static_cast<unsigned>(status)));
  return View(text);
}

std::string_view HttpDate() {
  thread_local std::time_t made = -1;
  thread_local char text[32];
  thread_local std::size_t size = 0;
  if (const std::time_t now = std::time(nullptr); now != made) {
    std::tm parts{};
    gmtime_r(&now, &parts);
    size = std::strftime(text, sizeof text, "%a, %d %b %Y %H:%M:%S GMT", &parts);
    made = now;
  }
  return {text, size};
}

void AppendResponse(std::string& out, const HttpResponse& response, const ResponseOptions& options) {
  const auto append_clean = [&out](std::string_view text) {
    for (const char c : text) out.push_back(c == '\r' || c == '\n' ? ' ' : c);
  };
  out += "HTTP/1.1 ";
  out += std::to_string(response.status);
  out += ' ';
  out += StatusText(response.status);
  out += "\r\nDate: ";
  out += HttpDate();
  out += "\r\n";
  for (const auto& [name, value] : response.headers.all()) {
    append_clean(name);
    out += ": ";
    append_clean(value);
    out += "\r\n";
  }
  const bool bodiless = response.status == 204 || response.status == 304 || response.status < 200;
  const std::size_t size = response.bytes().size();
  if (options.streamed) {
    if (!options.http_1_0) out += "Transfer-Encoding: chunked\r\n";
  } else if (!bodiless) {
    out += "Content-Length: ";
    out += std::to_string(size);
    out += "\r\n";
  }
  // Every refusal of what is too much says when to retry; in a second where that is unknown.
  if (response.status == 429 && !response.headers.Has("Retry-After")) out += "Retry-After: 1\r\n";
  // What a handler says nothing about may be for one person only.
  if (!response.headers.Has("Cache-Control")) out += "Cache-Control: private, no-store\r\n";
  out += "X-Content-Type-Options: nosniff\r\n";
  if (options.by_origin) out += "Vary: Origin\r\n";
  if (!options.readable_by.empty()) {
    out += "Access-Control-Allow-Origin: ";
    append_clean(options.readable_by);
    out += "\r\nAccess-Control-Expose-Headers: *\r\n";
  }
  if (options.tls) out += kStrictTransport;
  if (!options.keep_alive) {
    out += "Connection: close\r\n";
  } else if (options.http_1_0) {
    out += "Connection: keep-alive\r\n";
  }
  out += "\r\n";
  if (!bodiless && !options.head && !options.streamed && response.shared_body == nullptr) out += response.body;
}

void AppendChunk(std::string& out, std::string_view bytes) {
  char size[16];
  const auto end = std::to_chars(size, size + sizeof size, bytes.size(), 16).ptr;
  out.append(size, end).append("\r\n").append(bytes).append("\r\n");
}

HttpResponse ErrorResponse(int status, std::string_view message) {
  std::string code;
  for (const char c : StatusText(status)) {
    code.push_back(c == ' ' ? '-' : c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c);
  }
  json::Object inner;
  inner["code"] = code;
  inner["message"] = message;
  json::Object body;
  body["error"] = std::move(inner);
  return HttpResponse::Json(status, body);
}

}  // namespace openseat::net
