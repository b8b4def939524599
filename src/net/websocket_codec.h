// The WebSocket wire format (RFC 6455) without I/O: bytes in any pieces become messages and control frames, and frames
// become bytes. Internal. Frames are parsed, checked against the rules (masks, fragments, sizes, close codes) and
// unmasked in place here; wslay is only the judge in a test.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace openseat::net {

enum class Opcode : std::uint8_t { kContinuation = 0, kText = 1, kBinary = 2, kClose = 8, kPing = 9, kPong = 10 };

// Takes messages out of a stream of bytes. Connections borrow one while a frame or message is incomplete (idle() is
// false) and otherwise return it, together with the memory of its message buffer.
class MessageDecoder {
 public:
  struct Options {
    bool masked = true;  // what the peer's frames must be: a client's masked, a server's not
    bool raw_text = false;
    std::size_t max_message_bytes = 0;
  };
  enum class Event { kNeedMore, kText, kBinary, kPing, kPong, kClose, kError };

  // REQUIRES idle().
  void SetOptions(const Options& options) { options_ = options; }
  // The bytes received. They are unmasked in place and must stay until Next() has returned kNeedMore, which must have
  // happened before more are fed.
  void Feed(std::span<char> bytes);
  // The next event in them. After kError nothing more comes.
  Event Next();

  // The message, or the payload of the ping or pong, of the last event; valid until the next call of Next().
  std::string_view payload() const { return payload_; }
  // For kClose: the peer's code and reason (1005 if it gave no code). For kError: the code to close with, and why.
  std::uint16_t code() const { return code_; }
  std::string_view reason() const { return reason_; }

  // No frame and no message is in progress.
  bool idle() const { return header_size_ == 0 && !in_frame_ && message_opcode_ == Opcode::kContinuation; }
  bool reusable() const { return idle() && !failed_; }
  // Bytes of the message in progress.
  std::size_t held() const { return message_given_ ? 0 : message_.capacity() + control_.capacity(); }
  // Of those, what is allocated and has not come yet.
  std::size_t untouched() const { return message_given_ ? 0 : message_.capacity() - message_.size(); }

 private:
  struct Frame {
    bool final = false;
    Opcode opcode = Opcode::kContinuation;
    std::uint64_t left = 0;  // payload still to come
    bool masked = false;
    std::uint32_t key = 0;  // in wire order, rotated so that it fits the next byte of the payload
  };

  bool ReadHeader();  // whether it is complete
  Event OnHeader();
  Event OnPiece(std::string_view piece);
  Event OnControl(std::string_view piece);
  Event OnClose();
  Event Fail(std::uint16_t code, std::string_view reason);

  Options options_;
  std::span<char> input_;
  std::array<unsigned char, 14> header_{};
  std::size_t header_size_ = 0;  // of header_, while a header is incomplete
  Frame frame_;
  bool in_frame_ = false;
  Opcode message_opcode_ = Opcode::kContinuation;  // of the message in progress; kContinuation: none
  bool message_given_ = false;                     // message_ was handed out and must be emptied
  bool failed_ = false;
  std::uint16_t code_ = 0;
  std::string message_;  // the fragments so far
  std::string control_;  // the control frame so far, which may come between fragments
  std::string_view payload_;
  std::string reason_;
};

// Appends one unfragmented frame; masked if `mask` is not null (a client's frames must be).
void AppendFrame(std::string& out, Opcode opcode, std::string_view payload, const std::uint32_t* mask);
// Appends a close frame; a reason that is too long is cut. `code` 1005 makes an empty one.
void AppendCloseFrame(std::string& out, std::uint16_t code, std::string_view reason, const std::uint32_t* mask);
// Whether a close frame may carry this code.
bool IsCloseCodeAllowed(std::uint16_t code);

}  // namespace openseat::net
