// WebSocket as sessions see it. One object a connection, on the shard that accepted it; all calls below are made on
// that shard's thread unless said otherwise.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/scheduler.h"
#include "net/http.h"

namespace openseat::net {

enum class SendStatus {
  kTaken,   // queued; leaves with everything else of this loop turn in one write
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

// An open connection. Its session holds it by weak or shared pointer; it stays valid (sends answer kClosed) after the
// end.
class WebSocket {
 public:
  virtual ~WebSocket() = default;

  // Queues one text message (valid UTF-8 is REQUIRED). Copies it once, into the outgoing buffer.
  virtual SendStatus SendText(std::string_view message) = 0;
  virtual SendStatus SendBinary(std::string_view message) = 0;
  virtual void Ping() = 0;
  // Starts the close handshake; OnClosed follows, after a time-out at the latest.
  virtual void Close(std::uint16_t code, std::string_view reason) = 0;

  virtual Scheduler& scheduler() = 0;    // the shard it lives on
  virtual std::uint64_t id() const = 0;  // unique in this process
  virtual const std::string& peer() const = 0;
};

// What a protocol makes of a connection. Owned by the connection and destroyed after OnClosed.
class WebSocketSession {
 public:
  virtual ~WebSocketSession() = default;

  virtual void OnOpen(std::shared_ptr<WebSocket> socket) = 0;
  // A whole message; `message` is valid during the call. Text is NOT checked for UTF-8 where the session asked for raw
  // text (UpgradeOptions); a session that did not ask never sees invalid text: the connection is closed with 1007.
  virtual void OnText(std::string_view message) = 0;
  virtual void OnBinary(std::string_view message) = 0;
  // The end, exactly once, after OnOpen. `code` as close_code has them; `reason` for people.
  virtual void OnClosed(std::uint16_t code, std::string_view reason) = 0;
};

struct UpgradeOptions {
  std::vector<std::string> subprotocols;  // ours, best first; the first the peer offers too is chosen
  bool echo_any_subprotocol = false;      // take the peer's first offer, whatever it is (lenient protocols)
  bool raw_text = false;                  // hand over text that is no UTF-8 instead of closing with 1007
  std::size_t max_message_bytes = 0;      // 0: the server's limit
};

}  // namespace openseat::net
