#include "net/websocket_client.h"

#include <boost/asio/connect.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <optional>
#include <utility>

#include "base/text.h"
#include "net/http_codec.h"
#include "net/url.h"
#include "net/websocket_connection.h"
#include "net/websocket_handshake.h"

namespace openseat::net {
namespace {

namespace beast_http = boost::beast::http;
using ResponseParser = beast_http::response_parser<beast_http::string_body>;

// For the error message, of an answer that refuses.
constexpr std::size_t kMaxRefusalBytes = 64u << 10;
constexpr std::size_t kShownRefusalBytes = 200;
constexpr std::uint32_t kMaxAnswerHeader = 16u << 10;

// Without the query, which may contain a key: messages end up in logs.
std::string Shown(const std::string& url) {
  return url.substr(0, url.find_first_of("?#"));
}

// One attempt to connect. Keeps itself alive through its pending operations until it has succeeded or failed.
class Dialer final : public Connection, public std::enable_shared_from_this<Dialer> {
 public:
  Dialer(ShardImpl& shard, std::string url, const WebSocketClientOptions& options,
         std::unique_ptr<WebSocketSession> session, std::function<void(Error)> failed)
      : Connection(shard.clients()),
        shard_(shard),
        url_text_(std::move(url)),
        options_(options),
        session_(std::move(session)),
        failed_(std::move(failed)),
        resolver_(shard.io()) {}

  void Start() {
    if (over_) return;  // it was cut before it began
    if (registry().shutting_down()) return Cut("the program is stopping");
    auto url = ParseWebSocketUrl(url_text_);
    if (!url) return Fail(url.error().code, std::move(url.error().message));
    url_ = std::move(*url);
    timer_.Set(shard_, options_.connect_timeout, [self = shared_from_this()] {
      self->Fail(ErrorCode::kTimeout, "no connection to " + Shown(self->url_text_) + ": " + self->WaitingFor());
    });
    resolver_.async_resolve(
        url_.host, std::to_string(url_.port),
        [self = shared_from_this()](IoError error, const TcpResolver::results_type& found) {
          if (self->over_) return;
          if (error) {
            return self->Fail(ErrorCode::kIo, "cannot find the host \"" + self->url_.host + "\": " + error.message());
          }
          self->Connect(found);
        });
  }

  void Flush() override {}
  void OnTick() override {}
  void BeginShutdown() override { Cut("the program is stopping"); }
  void Cut(std::string_view reason) override {
    Fail(ErrorCode::kClosed, "no connection to " + Shown(url_text_) + ": " + std::string(reason));
  }

 private:
  enum class Step { kResolving, kConnecting, kHandshaking, kWaiting };

  std::string WaitingFor() const {
    switch (step_) {
      case Step::kResolving:
        return "the name was not resolved in time";
      case Step::kConnecting:
        return "the server did not accept in time";
      case Step::kHandshaking:
      case Step::kWaiting:
        return "the server did not answer in time";
    }
    return {};
  }

  void Connect(const TcpResolver::results_type& found) {
    step_ = Step::kConnecting;
    socket_.emplace(shard_.io());
    asio::async_connect(*socket_, found, [self = shared_from_this()](IoError error, const Tcp::endpoint& endpoint) {
      if (self->over_) return;
      if (error) {
        return self->Fail(ErrorCode::kIo, "cannot connect to " + self->url_.Authority() + ": " + error.message());
      }
      self->OnConnected(endpoint);
    });
  }

  void OnConnected(const Tcp::endpoint& endpoint) {
    step_ = Step::kHandshaking;
    peer_ = endpoint.address().to_string();
    Transport::Prepare(*socket_);
    std::unique_ptr<TlsStream> tls;
    if (url_.tls) {
      auto context = shard_.ClientTls();
      if (!context) return Fail(context.error().code, std::move(context.error().message));
      tls = (*context)->Connect(socket_->native_handle(), url_.host);
    }
    transport_.emplace(std::move(*socket_), std::move(tls));
    socket_.reset();
    MakeRequest();
    Proceed();
  }

  void MakeRequest() {
    key_ = NewKey();
    HttpRequest request;
    Headers& headers = request.headers;
    headers.Add("Host", url_.Authority());
    headers.Add("Upgrade", "websocket");
    headers.Add("Connection", "Upgrade");
    headers.Add("Sec-WebSocket-Key", key_);
    headers.Add("Sec-WebSocket-Version", "13");
    std::string offered;
    for (const std::string& each : options_.subprotocols) offered += (offered.empty() ? "" : ", ") + each;
    if (!offered.empty()) headers.Add("Sec-WebSocket-Protocol", offered);
    for (const auto& [name, value] : options_.headers.all()) headers.Add(name, value);
    out_ = "GET " + url_.target + " HTTP/1.1\r\n";
    for (const auto& [name, value] : headers.all()) {
      const std::string line = name + ": " + value;
      for (const char c : line) out_.push_back(c == '\r' || c == '\n' ? ' ' : c);
      out_ += "\r\n";
    }
    out_ += "\r\n";
  }

  // Writes and reads what is possible now (including a TLS handshake), then waits.
  void Proceed() {
    while (!out_.empty()) {
      const IoResult result = transport_->Write(out_.data(), out_.size());
      if (result.status == IoStatus::kOk) {
        out_.erase(0, result.bytes);
        if (out_.empty()) step_ = Step::kWaiting;
        continue;
      }
      return WaitFor(result.status);
    }
    for (;;) {
      const IoResult result = transport_->Read(shard_.read_buffer(), ShardImpl::kReadBufferSize);
      if (result.status == IoStatus::kEnd) return OnEnd();
      if (result.status != IoStatus::kOk) return WaitFor(result.status);
      in_.append(shard_.read_buffer(), result.bytes);
      if (!Parse()) return;
    }
  }

  void WaitFor(IoStatus status) {
    const auto go_on = [self = shared_from_this()](IoError error) {
      if (!error && !self->over_) self->Proceed();
    };
    if (status == IoStatus::kWantRead) return transport_->WaitReadable(go_on);
    if (status == IoStatus::kWantWrite) return transport_->WaitWritable(go_on);
    const std::string problem = transport_->TlsProblem();
    if (!problem.empty()) {
      return Fail(ErrorCode::kIo, "no secure connection to " + url_.Authority() + ": " + problem);
    }
    Fail(ErrorCode::kIo, "the connection to " + url_.Authority() + " broke before the server answered");
  }

  // Returns whether more is needed.
  bool Parse() {
    if (!parser_) {
      parser_.emplace();
      parser_->header_limit(kMaxAnswerHeader);
      parser_->body_limit(kMaxRefusalBytes);
      parser_->eager(true);
    }
    while (!in_.empty() && !parser_->is_done()) {
      if (parser_->is_header_done() && parser_->get().result_int() == 101) break;
      if (parser_->is_header_done() && parser_->chunked() && in_.size() < kLeastChunkedRest) break;
      IoError error;
      const std::size_t used = parser_->put(asio::const_buffer(in_.data(), in_.size()), error);
      in_.erase(0, used);
      if (error == beast_http::error::need_more) break;
      if (error == beast_http::error::body_limit) {
        Judge();
        return false;
      }
      if (error) {
        Fail(ErrorCode::kIo, url_.Authority() + " did not answer in HTTP: " + error.message());
        return false;
      }
    }
    if (!parser_->is_done()) return in_.size() <= kMaxAnswerHeader || TooLong();
    Judge();
    return false;
  }

  bool TooLong() {
    Fail(ErrorCode::kIo, "the answer of " + url_.Authority() + " has too large headers");
    return false;
  }

  void OnEnd() {
    if (parser_ && parser_->is_header_done()) return Judge();
    Fail(ErrorCode::kIo, url_.Authority() + " closed the connection without an answer");
  }

  void Judge() {
    const auto& answer = parser_->get();
    const auto header = [&answer](std::string_view name) {
      const auto value = answer[boost::beast::string_view(name.data(), name.size())];
      return std::string(value.data(), value.size());
    };
    const int status = static_cast<int>(answer.result_int());
    if (status != 101) {
      std::string message = "the server answered " + std::to_string(status);
      if (const auto text = StatusText(status); !text.empty()) message += " " + std::string(text);
      message += " to " + Shown(url_text_);
      if (status >= 300 && status < 400) {
        message += "; redirects are not followed";
        if (const std::string location = header("Location"); !location.empty())
          message += " (to " + Shown(location) + ")";
      } else if (!answer.body().empty()) {
        message += ": " + Ellipsize(SanitizeUtf8(answer.body()), kShownRefusalBytes);
      }
      return Fail(ErrorCode::kDenied, std::move(message));
    }
    if (!EqualsIgnoringCase(header("Upgrade"), "websocket") || !HasToken(header("Connection"), "upgrade") ||
        header("Sec-WebSocket-Accept") != AcceptKey(key_)) {
      return Fail(ErrorCode::kIo, "the answer of " + url_.Authority() + " is not a WebSocket handshake");
    }
    const std::string chosen = header("Sec-WebSocket-Protocol");
    bool offered = chosen.empty();
    for (const std::string& each : options_.subprotocols) offered = offered || each == chosen;
    if (!offered || !header("Sec-WebSocket-Extensions").empty()) {
      return Fail(ErrorCode::kIo, url_.Authority() + " chose a subprotocol or extension that was not offered");
    }
    Open();
  }

  void Open() {
    WebSocketConnection::Setup setup;
    setup.client = true;
    setup.raw_text = options_.raw_text;
    setup.max_message_bytes = options_.max_message_bytes;
    setup.max_outbox_bytes = options_.max_outbox_bytes;
    setup.peer = std::move(peer_);
    auto socket = std::make_shared<WebSocketConnection>(registry(), std::move(*transport_), std::move(setup));
    std::string early = std::move(in_);
    End();
    socket->Start(std::move(session_), {}, std::move(early));
  }

  void Fail(ErrorCode code, std::string message) {
    if (over_) return;
    const auto self = shared_from_this();
    End();
    session_.reset();
    if (failed_) std::exchange(failed_, nullptr)(Error{code, std::move(message), {}});
  }

  void End() {
    over_ = true;
    timer_.Cancel();
    resolver_.cancel();
    socket_.reset();
    transport_.reset();
    parser_.reset();
    Leave();
  }

  ShardImpl& shard_;
  const std::string url_text_;
  const WebSocketClientOptions options_;
  std::unique_ptr<WebSocketSession> session_;
  std::function<void(Error)> failed_;
  WebSocketUrl url_;
  TcpResolver resolver_;
  std::optional<TcpSocket> socket_;  // until it is connected
  std::optional<Transport> transport_;
  std::string peer_;
  std::string key_;
  std::string out_;
  std::string in_;
  std::optional<ResponseParser> parser_;
  ScopedTimer timer_;
  Step step_ = Step::kResolving;
  bool over_ = false;
};

}  // namespace

void ConnectWebSocket(Shard& shard, const std::string& url, const WebSocketClientOptions& options,
                      std::unique_ptr<WebSocketSession> session, std::function<void(Error)> failed) {
  auto& impl = static_cast<ShardImpl&>(shard);
  // Never from within this call: the caller may not be ready for the answer.
  shard.Post([dialer = std::make_shared<Dialer>(impl, url, options, std::move(session), std::move(failed))] {
    dialer->Start();
  });
}

}  // namespace openseat::net
