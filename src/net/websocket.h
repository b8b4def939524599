// WebSocket as sessions see it. One object per connection, on the shard that accepted it; all calls below are made on
// that shard's thread unless noted otherwise.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/budget.h"
#include "base/scheduler.h"
#include "net/http.h"

namespace openseat::net {

enum class SendStatus {
  kTaken,   // queued; sent with everything else of this loop turn in one write, at its end or soon after
  kFull,    // the outbox limit is reached: the connection is being closed, the message is lost
  kClosed,  // already closing or closed
};

namespace close_code {
inline constexpr std::uint16_t kNormal = 1000;
inline constexpr std::uint16_t kGoingAway = 1001;
inline constexpr std::uint16_t kProtocolError = 1002;
inline constexpr std::uint16_t kNone = 1005;      // a close frame without a code
inline constexpr std::uint16_t kAbnormal = 1006;  // no close frame came
inline constexpr std::uint16_t kInvalidData = 1007;
inline constexpr std::uint16_t kPolicy = 1008;
inline constexpr std::uint16_t kTooBig = 1009;
inline constexpr std::uint16_t kInternal = 1011;
inline constexpr std::uint16_t kTryAgain = 1013;
}  // namespace close_code

// With which code a connection is closed that is beyond a limit: kTryAgain where it may come back and be fine.
inline std::uint16_t CloseCodeFor(Limit limit) {
  if (limit == Limit::kMessageBytes) return close_code::kTooBig;
  const bool later = limit == Limit::kMemory || limit == Limit::kUnfinishedBytes ||
                     limit == Limit::kUnfinishedBytesOfAddress || limit == Limit::kUnfinishedBytesOfKey ||
                     limit == Limit::kWaitingBytesInAll;
  return later ? close_code::kTryAgain : close_code::kPolicy;
}

// How a connection ended.
struct Closing {
  enum class Cause : std::uint8_t {
    kPeer,       // the peer's close frame
    kUs,         // our Close(), or the shutdown of the server
    kViolation,  // the peer broke the WebSocket protocol or a limit, which `reason` names; we closed with `code`
    kDropped,    // the peer was silent after a ping or read too slowly, as `reason` says; we gave up on it
    kLost,       // the connection ended or broke without a close frame
  };
  std::uint16_t code = close_code::kNormal;  // one of close_code
  std::string reason{};                      // for people
  Cause cause = Cause::kPeer;
  bool unfinished = false;  // the peer was in the middle of a frame or of a message, which is lost
};

// An open connection. Its session holds it by weak or shared pointer; it stays valid (sends return kClosed) after the
// end.
class WebSocket {
 public:
  virtual ~WebSocket() = default;

  // Queues one text message. It should be valid UTF-8: most peers close the connection if it is not. Copies it once,
  // into the outgoing buffer.
  virtual SendStatus SendText(std::string_view message) = 0;
  virtual SendStatus SendBinary(std::string_view message) = 0;
  // The peer answers with a pong that repeats `payload` (at most 125 bytes), which OnPong gets: by then the peer has
  // read everything that was sent before.
  virtual void Ping(std::string_view payload = {}) = 0;
  // Starts the close handshake; OnClosed follows, after a time-out at the latest.
  virtual void Close(std::uint16_t code, std::string_view reason) = 0;

  // Bytes that were sent and wait for the peer to read them: for callers that prefer to send less rather than lose the
  // connection.
  virtual std::size_t unsent() const { return 0; }

  // Runs `task`, what is left to do of what the peer has sent, on the shard: at its turn, as if it came now.
  virtual void Later(Task task) { scheduler().Post(std::move(task)); }
  virtual Scheduler& scheduler() = 0;    // the shard it lives on
  virtual std::uint64_t id() const = 0;  // unique in this process
  virtual const std::string& peer() const = 0;
  // Whose budget pays for what the connection opens (HttpRequest::payer); null: no budget.
  virtual std::shared_ptr<Payer> payer() const { return nullptr; }
};

// Another connection under the same name: for those who look at, or change, some of what passes.
class WebSocketTap : public WebSocket {
 public:
  explicit WebSocketTap(std::shared_ptr<WebSocket> socket) : socket_(std::move(socket)) {}

  SendStatus SendText(std::string_view message) override { return socket_->SendText(message); }
  SendStatus SendBinary(std::string_view message) override { return socket_->SendBinary(message); }
  void Ping(std::string_view payload) override { socket_->Ping(payload); }
  void Close(std::uint16_t code, std::string_view reason) override { socket_->Close(code, reason); }
  std::size_t unsent() const override { return socket_->unsent(); }
  void Later(Task task) override { socket_->Later(std::move(task)); }
  Scheduler& scheduler() override { return socket_->scheduler(); }
  std::uint64_t id() const override { return socket_->id(); }
  const std::string& peer() const override { return socket_->peer(); }
  std::shared_ptr<Payer> payer() const override { return socket_->payer(); }

 private:
  const std::shared_ptr<WebSocket> socket_;
};

// A protocol's side of a connection. Owned by the connection and destroyed after OnClosed.
class WebSocketSession {
 public:
  virtual ~WebSocketSession() = default;

  virtual void OnOpen(std::shared_ptr<WebSocket> socket) = 0;
  // A whole message; `message` is valid during the call. Text is NOT checked for UTF-8 if the session asked for raw
  // text (UpgradeOptions); a session that did not ask never sees invalid text: the connection is closed with 1007.
  virtual void OnText(std::string_view message) = 0;
  virtual void OnBinary(std::string_view message) = 0;
  // The answer to a Ping. A peer may also send pongs that nobody asked for.
  virtual void OnPong(std::string_view /*payload*/) {}
  // The end, exactly once, after OnOpen.
  virtual void OnClosed(const Closing& closing) = 0;
  // Bytes of messages that the session keeps until it can handle them. Where memory is short, those with most are cut.
  virtual std::size_t waiting() const { return 0; }
};

// The names in Sec-WebSocket-Protocol of an upgrade request, in its order.
std::vector<std::string> OfferedSubprotocols(const HttpRequest& request);

// Whether a request may open a WebSocket, if others decide that, such as by its token. Called on the connection's shard
// with a request that lives until `done` was called; `done` is called once, at once or later, on any thread, with whose
// API key the request bears (HttpRequest::who; "": none that counts). An error is the answer.
using AdmitUpgrade = std::function<void(const HttpRequest& request, std::function<void(Result<std::string>)> done)>;

struct UpgradeOptions {
  std::vector<std::string> subprotocols;  // ours, best first; the first that the peer offers too is chosen
  bool echo_any_subprotocol = false;      // accept the peer's first offer that is not a token, whatever it is (lenient)
  bool raw_text = false;                  // pass on text that is not valid UTF-8 instead of closing with 1007
  std::size_t max_message_bytes = 0;      // 0: the server's limit
  AdmitUpgrade admit{};                   // after the router's guard; empty: everyone is admitted
};

}  // namespace openseat::net
