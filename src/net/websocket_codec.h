// The WebSocket wire format (RFC 6455) without I/O: bytes in any pieces become messages and control frames, and frames
// become bytes. Internal. wslay takes the frames apart; the rules above frames (fragments, sizes, close codes) are
// here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

struct wslay_frame_context;
struct wslay_frame_iocb;

namespace openseat::net {

enum class Opcode : std::uint8_t { kContinuation = 0, kText = 1, kBinary = 2, kClose = 8, kPing = 9, kPong = 10 };

// Takes messages out of a stream of bytes. Holds 4 KiB, so connections borrow one while a frame or message is
// incomplete (idle() is false) and hand it back otherwise.
class MessageDecoder {
 public:
  struct Options {
    bool masked = true;  // what the peer's frames must be: a client's masked, a server's not
    bool raw_text = false;
    std::size_t max_message_bytes = 0;
  };
  enum class Event { kNeedMore, kText, kBinary, kPing, kPong, kClose, kError };

  MessageDecoder();
  ~MessageDecoder();
  MessageDecoder(const MessageDecoder&) = delete;
  MessageDecoder& operator=(const MessageDecoder&) = delete;

  // REQUIRES idle().
  void SetOptions(const Options& options) { options_ = options; }
  // The bytes that came; they must stay until Next() has returned kNeedMore.
  void Feed(std::string_view bytes);
  // The next thing in them. After kError nothing more comes.
  Event Next();

  // The message, or the payload of the ping or pong, of the last event; valid until the next call of Next().
  std::string_view payload() const { return payload_; }
  // Of kClose: what the peer said (1005 where it gave no code). Of kError: what to close with, and why.
  std::uint16_t code() const { return code_; }
  std::string_view reason() const { return reason_; }

  // No frame and no message is under way, nothing is buffered.
  bool idle() const;
  bool reusable() const { return idle() && !failed_; }

 private:
  static ssize_t Receive(std::uint8_t* buffer, std::size_t size, int flags, void* self);
  Event OnPiece(const wslay_frame_iocb& frame);
  Event OnFrameStart(const wslay_frame_iocb& frame);
  Event OnDataPiece(const wslay_frame_iocb& frame, std::string_view piece);
  Event OnControlPiece(const wslay_frame_iocb& frame, std::string_view piece);
  Event OnClose();
  Event Fail(std::uint16_t code, std::string_view reason);

  wslay_frame_context* context_ = nullptr;
  Options options_;
  std::string_view input_;
  std::uint64_t unread_ = 0;      // bytes given to wslay that no frame has accounted for yet
  std::uint64_t frame_left_ = 0;  // payload of the frame under way that is still to come
  bool in_frame_ = false;
  Opcode message_opcode_ = Opcode::kContinuation;  // of the message under way; kContinuation: none
  bool message_given_ = false;                     // message_ was handed out and is to be emptied
  std::string message_;
  std::string control_;
  std::string_view payload_;
  std::uint16_t code_ = 0;
  std::string reason_;
  bool failed_ = false;
};

// Appends one unfragmented frame; with a mask where `mask` is not null (a client's frames must have one).
void AppendFrame(std::string& out, Opcode opcode, std::string_view payload, const std::uint32_t* mask);
// Appends a close frame; a reason that is too long is cut. `code` 1005 makes an empty one.
void AppendCloseFrame(std::string& out, std::uint16_t code, std::string_view reason, const std::uint32_t* mask);
// Whether a close frame may carry this code.
bool IsCloseCodeAllowed(std::uint16_t code);

}  // namespace openseat::net
